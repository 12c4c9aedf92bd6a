package roleassignment

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

type (
	live   = typed.Live[state]
	driver struct{ client *cloud.Client }
)

// List implements [typed.Kind].
func (d driver) List(ctx context.Context, asked kind.Listing) ([]live, error) {
	ctx = cloud.At(ctx, asked.Shared)
	type id struct {
		ID string `json:"id"`
	}
	type assignment struct {
		Role, User, Group id
		Scope             struct {
			Project, Domain id
			Inherited       string `json:"OS-INHERIT:inherited_to"`
		}
	}
	var given []assignment
	var around surroundings
	var group errgroup.Group
	group.Go(func() (err error) {
		given, err = cloud.List[assignment](ctx, d.client, cloud.Call{Service: cloud.Identity, Path: "role_assignments"}, "role_assignments")
		return err
	})
	group.Go(func() (err error) {
		around, err = d.surroundings(ctx)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var all []live
	for _, a := range given {
		path := Spec{a.Role.ID, a.User.ID, a.Group.ID, a.Scope.Project.ID, a.Scope.Domain.ID}.path()
		if spec, ok := parse(path); ok && a.Scope.Inherited == "" {
			all = append(all, d.live(spec, true, around.notes[path]))
			delete(around.notes, path)
		}
	}
	for path, n := range around.notes {
		if n.Project != d.client.ProjectID {
			continue // the mark says that another project wrote it, and no assignment confirms that
		}
		spec, _ := parse(path) // the note's path is valid: surroundings.read has parsed it
		l := d.live(spec, false, n)
		if l.Message = around.missing(spec); l.Message != "" {
			l.Phase, l.Empty = kind.Failed, true
		}
		all = append(all, l)
	}
	return all, nil
}

// live returns an assignment as a [typed.Live]. n is nil if the assignment has no mark.
func (d driver) live(spec Spec, given bool, n *note) live {
	path := spec.path()
	s := &state{given: given}
	s.Spec = spec
	l := live{Live: kind.Live{ID: path, Name: path, Phase: kind.Ready, InOwnProject: true,
		Uses: slices.DeleteFunc([]string{spec.RoleRef, spec.UserRef, spec.GroupRef, spec.ProjectRef, spec.DomainRef}, func(id string) bool { return id == "" || id == define.DefaultDomain })}, State: s}
	if n != nil {
		s.bearers, l.Mark, l.InOwnProject = n.bearers, n.Mark, n.Project == d.client.ProjectID
	}
	return l
}

// Create implements [typed.Kind]. It writes the mark first. Until the role is given, the
// mark says that the assignment is unfinished.
func (d driver) Create(ctx context.Context, w want) (live, error) {
	ids, known := resolved(w)
	if !known {
		return live{}, fmt.Errorf("%w: the role, the project or the user of the assignment does not exist yet", kind.ErrNotYet)
	}
	bearer, err := d.bearer(ctx, ids, w.Mark)
	if err != nil {
		return live{}, err
	}
	begun := w.Mark
	begun.Applied = kind.Unfinished
	if err := d.write(ctx, bearer, ids.path(), d.text(ids.path(), begun)); err != nil {
		return live{}, err
	}
	if err := d.do(ctx, http.MethodPut, ids.path(), nil); err != nil {
		return live{}, err
	}
	if err := d.write(ctx, bearer, ids.path(), d.text(ids.path(), w.Mark)); err != nil {
		return live{}, err
	}
	m := w.Mark
	return d.live(ids, true, &note{mark.Claim{Mark: &m, Project: d.client.ProjectID}, []string{bearer}}), nil
}

// Update implements [typed.Kind]. If somebody has revoked the role, and the manifest now
// names other objects, Update creates another assignment.
func (d driver) Update(ctx context.Context, w want, have live, _ []kind.Change) error {
	if ids, known := resolved(w); known && !have.State.given && ids.path() != have.ID {
		if err := d.Unmark(ctx, have); err != nil {
			return err
		}
		_, err := d.Create(ctx, w)
		return err
	}
	bearers := have.State.bearers
	if len(bearers) == 0 {
		bearer, err := d.bearer(ctx, have.State.Spec, w.Mark)
		if err != nil {
			return err
		}
		bearers = []string{bearer}
	}
	if !have.State.given {
		if err := d.do(ctx, http.MethodPut, have.ID, nil); err != nil {
			return err
		}
	}
	for _, bearer := range bearers {
		if err := d.write(ctx, bearer, have.ID, d.text(have.ID, w.Mark)); err != nil {
			return err
		}
	}
	return nil
}

// Delete implements [typed.Kind]. It removes the mark last. If others have already revoked
// or deleted the assignment, that is no error.
func (d driver) Delete(ctx context.Context, have live) (gone bool, err error) {
	if have.State.given {
		if err := d.keepOwn(ctx, have.State.Spec); err != nil {
			return false, err
		}
	}
	if err := d.do(ctx, http.MethodDelete, have.ID, nil); err != nil && !errors.Is(err, kind.ErrGone) {
		return false, err
	}
	if err := d.Unmark(ctx, have); err != nil {
		return false, err
	}
	return true, nil
}

// Unmark implements [typed.Kind]. If the object that had the mark no longer exists, that is
// no error.
func (d driver) Unmark(ctx context.Context, have live) error {
	for _, bearer := range have.State.bearers {
		if err := d.write(ctx, bearer, have.ID, nil); err != nil && !errors.Is(err, kind.ErrGone) {
			return err
		}
	}
	return nil
}

// keepOwn refuses to revoke a role that the agent itself needs: one of the roles of its
// token. An agent with an application credential needs all its roles in its project, because
// Keystone deletes the credential if any of them is revoked.
func (d driver) keepOwn(ctx context.Context, s Spec) error {
	for _, one := range d.client.All() {
		if err := d.keep(ctx, s, one); err != nil {
			return err
		}
	}
	return nil
}

func (d driver) keep(ctx context.Context, s Spec, one *cloud.Client) error {
	own := one.Login()
	if s.ProjectRef != own.Project || !slices.Contains(own.Roles, s.RoleRef) && one.OwnCredential() == "" {
		return nil
	}
	if s.GroupRef != "" {
		if member, err := d.client.InGroup(ctx, s.GroupRef); err != nil || !member {
			return err
		}
		return define.KeepOwn(s.GroupRef, "role of the group", s.GroupRef)
	}
	return define.KeepOwn(s.UserRef, "role of the user", own.User)
}

func (d driver) do(ctx context.Context, method, path string, body any) error {
	return d.client.Do(ctx, cloud.Call{Service: cloud.Identity, Method: method, Path: path, Body: body})
}
