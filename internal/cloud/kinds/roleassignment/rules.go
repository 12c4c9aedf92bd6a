package roleassignment

import (
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

type want = typed.Want[Spec]

// state is an assignment. Its spec contains IDs.
type state struct {
	table.Object[Spec, More]
	// given is false if an assignment has a mark, but the role is not given: it is not
	// given yet, or others have revoked it.
	given bool
	// bearers are the paths of the objects that have the mark.
	bearers []string
}

type rules struct{}

var fields = table.New[Spec, More]()

// Name implements [typed.Kind]: the path of the assignment, or "" while a part of
// the path is unknown.
func (rules) Name(w want) string {
	ids, known := resolved(w)
	if !known {
		return ""
	}
	return ids.path()
}

// resolved returns the spec with IDs instead of names; false while an ID is unknown.
func resolved(w want) (ids Spec, known bool) {
	known = true
	id := func(kind, name string) string {
		ref := w.Ref(kind, name)
		known = known && (name == "" || ref.ID != "")
		return ref.ID
	}
	s := w.Spec
	ids = Spec{RoleRef: id("Role", s.RoleRef), UserRef: id("User", s.UserRef), GroupRef: id("Group", s.GroupRef),
		ProjectRef: id("Project", s.ProjectRef), DomainRef: id("Domain", s.DomainRef)}
	return ids, known
}

// scope is the path of the project or domain. actor is the path of the user or
// group.
func (s Spec) scope() string {
	if s.ProjectRef != "" {
		return "projects/" + s.ProjectRef
	}
	return "domains/" + s.DomainRef
}

func (s Spec) actor() string {
	if s.UserRef != "" {
		return "users/" + s.UserRef
	}
	return "groups/" + s.GroupRef
}

func (s Spec) path() string { return s.scope() + "/" + s.actor() + "/roles/" + s.RoleRef }

// parse reads a spec from a path, as path writes it.
func parse(path string) (s Spec, ok bool) {
	words := strings.Split(path, "/")
	if len(words) != 6 || words[1] == "" || words[3] == "" || words[4] != "roles" || words[5] == "" {
		return Spec{}, false
	}
	s.RoleRef = words[5]
	switch words[0] {
	case "projects":
		s.ProjectRef = words[1]
	case "domains":
		s.DomainRef = words[1]
	}
	switch words[2] {
	case "users":
		s.UserRef = words[3]
	case "groups":
		s.GroupRef = words[3]
	}
	return s, s.path() == path
}

// Validate implements [typed.Kind].
func (rules) Validate(s *Spec, r *kind.Report) {
	if (s.UserRef == "") == (s.GroupRef == "") {
		r.Problem("spec.resource", "names no user or group for the role", "give one of userRef and groupRef")
	}
	if (s.ProjectRef == "") == (s.DomainRef == "") {
		r.Problem("spec.resource", "names no project or domain for the role", "give one of projectRef and domainRef")
	}
}

// Diff implements [typed.Kind].
func (rules) Diff(w want, have *state, c *kind.Changes) {
	if !have.given { // no assignment exists that would have to be replaced
		kind.Field(c, "spec.resource", "taken back", "given")
		return
	}
	fields.Compare(w, &have.Object, c)
}

// Export implements [typed.Kind].
func (rules) Export(have *state, e *kind.Export) *Spec {
	s := have.Spec
	switch {
	case !have.given:
		e.LeftOut = "was taken back"
	case !e.Adopts("Project", s.ProjectRef) && !e.Adopts("User", s.UserRef) && !e.Adopts("Group", s.GroupRef):
		e.ImportOnly = "cannot be adopted without its project, user or group, because one of these has the owner mark"
	}
	return &s
}

// Match implements [typed.Kind].
func (rules) Match(w typed.Want[Filter], have *state) bool {
	return have.given && have.Object.Match(w.Spec, w.Ref)
}

// Status implements [typed.Kind].
func (rules) Status(have *state) any {
	shown := table.Shown{}
	table.Show(&have.Spec, shown)
	return shown
}
