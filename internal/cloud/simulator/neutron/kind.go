package neutron

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strconv"

	"github.com/stackreeve/stackreeve/internal/cloud/simulator/oslo"
)

// kind is one collection of the API: what all of them have in common is here,
// what differs is in the functions.
type kind[T any] struct {
	n      *Neutron
	name   string // "security_group"
	path   string // "security-groups"
	attrs  []attribute
	filter []string // attributes one may filter by
	store  *oslo.Collection[T]
	fields oslo.Fields
	tagged bool
	// ignoresTags: Zed takes tags in a POST of ports and forgets them, where it
	// refuses them for everything else.
	ignoresTags bool

	standard func(*T) *Standard
	visible  func(*oslo.Caller, *T) bool
	missing  func(id string) *oslo.Error
	view     func(*oslo.Caller, *T) any
	// viewNew, if set, is the view in the answer to a create.
	viewNew func(*oslo.Caller, *T) any
	// idleWithoutBody: a PUT of no attributes leaves the revision as it is.
	idleWithoutBody bool
	// ownerToo, if set, lets more callers write than the project and admins.
	ownerToo func(*oslo.Caller, *T) bool
	// matches, if set, answers for filters that no attribute answers for.
	matches func(rec *T, key string, words []string) (fits, known bool)
	// checkQuery, if set, refuses malformed filters.
	checkQuery func(url.Values) *oslo.Error
	// before, if set, prepares the collection for a list.
	before func(*oslo.Call)
	create func(*oslo.Call, values) (*T, error)
	update func(*oslo.Call, *T, values) error
	remove func(*oslo.Call, *T) error
	// checkBulk, if set, looks at all bodies of a create together.
	checkBulk func([]values) error
	// made, if set, is told what a request created.
	made func([]*T)
	// undo takes a record of a failed bulk create back.
	undo func(*T)
}

func (k *kind[T]) plural() string { return k.name + "s" }

// project and tags attributes are the same everywhere.
func (k *kind[T]) base(tagsInPost bool) []attribute {
	tags := never
	if tagsInPost || k.ignoresTags {
		tags = anybody
	}
	out := []attribute{
		{name: "id"},
		{name: "tenant_id", post: anybody, parse: text(255)},
		{name: "project_id", post: anybody, parse: text(255)},
		{name: "description", post: anybody, put: anybody, byDefault: "", parse: text(255)},
		{name: "created_at"}, {name: "updated_at"}, {name: "revision_number"},
	}
	if k.tagged {
		out = append(out, attribute{name: "tags", post: tags, byDefault: []string{}, parse: parseTags})
	}
	return out
}

func (n *Neutron) handle(method, path string, h oslo.Handler) {
	n.svc.Handle(method+" /v2.0/"+path, h)
}

func (k *kind[T]) register() {
	k.fields = oslo.FieldsOf[T]()
	k.store = oslo.NewCollection(func(t *T) string { return k.standard(t).ID })
	k.attrs = append(k.base(k.n.opts.TagsOnCreate), k.attrs...)
	k.n.usages = append(k.n.usages, usage{k.name, func(project string) int {
		return len(k.store.Where(func(t *T) bool { return k.standard(t).ProjectID == project }))
	}})
	k.n.handle("GET", k.path, k.list)
	k.n.handle("GET", k.path+".json", k.list)
	k.n.handle("POST", k.path, k.post)
	k.n.handle("GET", k.path+"/{id}", k.show)
	k.n.handle("PUT", k.path+"/{id}", k.put)
	k.n.handle("DELETE", k.path+"/{id}", k.delete)
	if k.tagged {
		k.tagRoutes()
	}
}

// find looks a record up as the caller may see it.
func (k *kind[T]) find(c *oslo.Caller, id string) (*T, *oslo.Error) {
	rec, ok := k.store.Get(id)
	if !ok || !c.Admin() && k.standard(rec).ProjectID != c.ProjectID && !k.visible(c, rec) {
		return nil, k.missing(id)
	}
	return rec, nil
}

// owned is find for a write: what is visible but foreign is refused by policy.
func (k *kind[T]) owned(c *oslo.Caller, id, action string) (*T, *oslo.Error) {
	rec, err := k.find(c, id)
	if err != nil {
		return nil, err
	}
	if !c.Admin() && k.standard(rec).ProjectID != c.ProjectID && (k.ownerToo == nil || !k.ownerToo(c, rec)) {
		return nil, disallowed(action+"_"+k.name, "")
	}
	return rec, nil
}

func (k *kind[T]) show(c *oslo.Call) (*oslo.Response, error) {
	rec, err := k.find(c.Caller, c.PathValue("id"))
	if err != nil {
		return nil, err
	}
	view, perr := oslo.Pick(k.view(c.Caller, rec), c.Query()["fields"])
	if perr != nil {
		return nil, perr
	}
	return oslo.OK(map[string]any{k.name: view}), nil
}

// bodies reads the one resource or the list of a bulk create.
func (k *kind[T]) bodies(c *oslo.Call) (list []map[string]any, bulk bool, err *oslo.Error) {
	var in map[string]json.RawMessage
	if len(c.Body()) > 0 && !c.Decode(&in) {
		return nil, false, badRequest("Body contains invalid data")
	}
	if raw, ok := in[k.plural()]; ok {
		if !oslo.Decode(raw, &list) || len(list) == 0 {
			return nil, true, badRequest("Resources required")
		}
		return list, true, nil
	}
	var one map[string]any
	if raw, ok := in[k.name]; !ok || !oslo.Decode(raw, &one) {
		return nil, false, badRequest("Unable to find '%s' in request body", k.name)
	}
	return []map[string]any{one}, false, nil
}

// owner is neutron_lib/api/attributes.py: populate_project_id.
func owner(c *oslo.Caller, body map[string]any) *oslo.Error {
	project := c.ProjectID
	for _, key := range []string{"tenant_id", "project_id"} {
		if s, ok := body[key].(string); ok {
			if s != c.ProjectID && !c.Admin() {
				return badRequest("Specifying 'project_id' or 'tenant_id' other than the authenticated project in request requires admin or advsvc privileges")
			}
			project = s
		}
	}
	body["tenant_id"], body["project_id"] = project, project
	return nil
}

// prepare validates one body of a POST (neutron/api/v2/base.py: prepare_request_body).
func (k *kind[T]) prepare(c *oslo.Call, body map[string]any) (values, error) {
	if err := verify(k.attrs, body); err != nil {
		return nil, err
	}
	if err := owner(c.Caller, body); err != nil {
		return nil, err
	}
	v, err := fill(k.attrs, body)
	if err != nil {
		return nil, err
	}
	if err := permit(k.attrs, c.Caller, "create_"+k.name, body, func(a attribute) access { return a.post }); err != nil {
		return nil, err
	}
	return v, nil
}

func (k *kind[T]) post(c *oslo.Call) (*oslo.Response, error) {
	bodies, bulk, berr := k.bodies(c)
	if berr != nil {
		return nil, berr
	}
	var ready []values
	want := map[string]int{}
	for _, body := range bodies {
		v, err := k.prepare(c, body)
		if err != nil {
			return nil, err
		}
		ready = append(ready, v)
		want[v.text("project_id")]++
	}
	for project, count := range want {
		if err := k.n.reserve(project, k.name, count); err != nil {
			return nil, err
		}
	}
	if k.checkBulk != nil {
		if err := k.checkBulk(ready); err != nil {
			return nil, err
		}
	}
	made, err := k.createAll(c, ready)
	if err != nil {
		return nil, err
	}
	if k.made != nil {
		k.made(made)
	}
	views := []any{}
	view := k.view
	if k.viewNew != nil {
		view = k.viewNew
	}
	for _, rec := range made {
		views = append(views, view(c.Caller, rec))
	}
	if bulk {
		return oslo.Created(map[string]any{k.plural(): views}), nil
	}
	return oslo.Created(map[string]any{k.name: views[0]}), nil
}

// createAll makes all or none.
func (k *kind[T]) createAll(c *oslo.Call, ready []values) ([]*T, error) {
	var made []*T
	for _, v := range ready {
		rec, err := k.create(c, v)
		if err != nil {
			for _, r := range made {
				k.undo(r)
			}
			return nil, err
		}
		if tags, ok := v["tags"].([]string); ok && k.n.opts.TagsOnCreate {
			k.standard(rec).Tags = sortedTags(tags)
		}
		made = append(made, rec)
	}
	return made, nil
}

func (k *kind[T]) put(c *oslo.Call) (*oslo.Response, error) {
	rec, err := k.find(c.Caller, c.PathValue("id"))
	if err != nil {
		return nil, err
	}
	bodies, bulk, err := k.bodies(c)
	if err != nil {
		return nil, err
	}
	if bulk {
		return nil, badRequest("Bulk operation not supported")
	}
	if err := verify(k.attrs, bodies[0]); err != nil {
		return nil, err
	}
	v, err := change(k.attrs, bodies[0])
	if err != nil {
		return nil, err
	}
	if rec, err = k.owned(c.Caller, c.PathValue("id"), "update"); err != nil {
		return nil, err
	}
	if err := permit(k.attrs, c.Caller, "update_"+k.name, bodies[0], func(a attribute) access { return a.put }); err != nil {
		return nil, err
	}
	if err := k.ifMatch(c, rec); err != nil {
		return nil, err
	}
	if err := k.update(c, rec, v); err != nil {
		return nil, err
	}
	take(v, "description", &k.standard(rec).Description)
	if len(v) > 0 || !k.idleWithoutBody {
		k.n.bump(k.standard(rec))
	}
	return oslo.OK(map[string]any{k.name: k.view(c.Caller, rec)}), nil
}

func (k *kind[T]) delete(c *oslo.Call) (*oslo.Response, error) {
	rec, err := k.owned(c.Caller, c.PathValue("id"), "delete")
	if err != nil {
		return nil, err
	}
	if err := k.ifMatch(c, rec); err != nil {
		return nil, err
	}
	if err := k.remove(c, rec); err != nil {
		return nil, err
	}
	return oslo.NoContent(), nil
}

var ifMatchForm = regexp.MustCompile(`^revision_number=(\d+)$`)

// ifMatch is services/revisions/revision_plugin.py: _enforce_if_match_constraints.
func (k *kind[T]) ifMatch(c *oslo.Call, rec *T) error {
	m := ifMatchForm.FindStringSubmatch(c.Header.Get("If-Match"))
	if m == nil {
		return nil // what is no revision is no condition
	}
	want, err := strconv.Atoi(m[1])
	if have := k.standard(rec).Revision; err != nil || want != have {
		return oslo.Errorf(http.StatusPreconditionFailed, "RevisionNumberConstraintFailed", "Constrained to %d, but current revision is %d", want, have)
	}
	return nil
}
