package roleassignment

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// notePrefix is the prefix of an attribute that holds the mark of an assignment. The name ends with a
// digest of the assignment's path, so each assignment has a separate attribute, and several agents
// can write marks at the same time. The value is the path, a space and the mark.
const notePrefix = mark.ExtraKey + "_assignment_"

func noteKey(path string) string { return notePrefix + checksum.Short(path) }

// note is the mark of one assignment, and the paths of the objects that have it.
type note struct {
	mark.Claim
	bearers []string
}

// bearers are the Keystone collections whose objects can have a note. kind is the kind that an
// object's own owner mark has to name. If several objects have a note of one assignment, the first
// collection counts.
var bearers = []struct{ collection, kind string }{{"projects", "Project"}, {"users", "User"}, {"groups", "Group"}}

func bearerKind(collection string) string {
	for _, b := range bearers {
		if b.collection == collection {
			return b.kind
		}
	}
	return ""
}

// surroundings are the objects around assignments. notes has the marks of assignments by the path of
// the assignment. there has the paths of the existing projects, users and groups.
type surroundings struct {
	notes map[string]*note
	there map[string]bool
}

// surroundings reads all objects that can have notes.
func (d driver) surroundings(ctx context.Context) (surroundings, error) {
	found := surroundings{map[string]*note{}, map[string]bool{}}
	lists := make([][]table.Attributes, len(bearers))
	var group errgroup.Group // other kinds read the same lists, so these requests are sent only once
	for i, b := range bearers {
		group.Go(func() (err error) {
			lists[i], err = cloud.List[table.Attributes](ctx, d.client, cloud.Call{Service: cloud.Identity, Path: b.collection}, b.collection)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return found, err
	}
	for i, b := range bearers {
		for _, object := range lists[i] {
			var id string
			if json.Unmarshal(object["id"], &id) != nil {
				continue
			}
			found.there[b.collection+"/"+id] = true
			if holder := mark.HolderOf(object, b.kind); holder != (mark.Holder{}) {
				found.read(b.collection+"/"+id, object, holder)
			}
		}
	}
	return found, nil
}

// read collects the notes that an object has. It ignores a note in a different form, and a note of
// an assignment that does not refer to the object. It also ignores a note that was not written by the
// stack that owns the object.
func (f surroundings) read(bearer string, object table.Attributes, holder mark.Holder) {
	for key, value := range object {
		var text string
		if !strings.HasPrefix(key, notePrefix) || json.Unmarshal(value, &text) != nil {
			continue
		}
		path, rest, _ := strings.Cut(text, " ")
		spec, ok := parse(path)
		c, marked := mark.ReadIdentity(rest)
		if !ok || !marked || key != noteKey(path) || bearer != spec.scope() && bearer != spec.actor() || c.Holder() != holder {
			continue
		}
		n := f.notes[path]
		if n == nil {
			n = &note{Claim: c}
			f.notes[path] = n
		}
		if n.Mark.Owner == c.Mark.Owner { // otherwise the first note counts, which is the project's
			n.bearers = append(n.bearers, bearer)
		}
	}
}

// missing returns a text that says which object of an assignment no longer exists; "" if all objects
// exist that can be checked.
func (f surroundings) missing(s Spec) string {
	for _, path := range []string{s.scope(), s.actor()} {
		collection, _, _ := strings.Cut(path, "/")
		if name := bearerKind(collection); name != "" && !f.there[path] {
			return "its " + strings.ToLower(name) + " was deleted"
		}
	}
	return ""
}

// text is the value of the attribute that holds the mark of an assignment.
func (d driver) text(path string, m kind.Mark) string {
	return path + " " + mark.IdentityText(m, d.client.ProjectID)
}

// write sets the attribute to a text; nil removes it.
func (d driver) write(ctx context.Context, bearer, path string, text any) error {
	collection, _, _ := strings.Cut(bearer, "/")
	return d.do(ctx, http.MethodPatch, bearer, map[string]any{strings.TrimSuffix(collection, "s"): map[string]any{noteKey(path): text}})
}

// maxExtra is the maximal total size in bytes of the attributes that Keystone does not define, after
// a note is added to an object. Keystone stores all of them in one text of 65,535 bytes. A removed
// attribute stays in that text as null.
const maxExtra = 60_000

// bearer returns the path of the object that will have the mark: the first of project, user and group
// that belongs to this stack and has room for the mark.
func (d driver) bearer(ctx context.Context, ids Spec, m kind.Mark) (string, error) {
	ours := mark.Claim{Mark: &m, Project: d.client.ProjectID}.Holder()
	full := ""
	for _, path := range []string{ids.scope(), ids.actor()} {
		collection, _, _ := strings.Cut(path, "/")
		if bearerKind(collection) == "" {
			continue // newer Keystones accept only known attributes for domains
		}
		var answer map[string]table.Attributes
		if err := d.client.Do(ctx, cloud.Call{Service: cloud.Identity, Method: http.MethodGet, Path: path, Into: &answer}); err != nil {
			return "", err
		}
		object := answer[strings.TrimSuffix(collection, "s")]
		if mark.HolderOf(object, bearerKind(collection)) != ours {
			continue
		}
		size := len(noteKey("")) + len(d.text(ids.path(), m)) + len(kind.Unfinished)
		if delete(object, noteKey(ids.path())); extra(collection, object)+size <= maxExtra {
			return path, nil
		}
		full = path
	}
	if full != "" {
		return "", fmt.Errorf("%w: %s has no room for the mark of another assignment, because its other marks fill the space that Keystone has for them; give the role to a group instead of single users, or manage the user or group of this assignment in this stack", kind.ErrRejected, full)
	}
	return "", fmt.Errorf("%w: no object can have the owner mark: Keystone has no place for a mark in an assignment, and this stack manages neither its project nor its user or group; manage one of these in this stack, or move the assignment to the stack that manages one of them", kind.ErrNotYet)
}

// extra is the approximate size in bytes of the attributes that Keystone stores in that text. The
// description of projects and groups has a separate column, so it does not count.
func extra(collection string, object table.Attributes) (size int) {
	for name, value := range object {
		if name != "links" && (name != "description" || collection == "users") {
			size += len(name) + len(value) + len(`"": , `)
		}
	}
	return size
}
