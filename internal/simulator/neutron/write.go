package neutron

import (
	"net/http"
	"strconv"

	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// bodies parses one resource, or the list of resources of a bulk create.
func (k *kind[T]) bodies(c *oslo.Call) (list []map[string]any, bulk bool, err *oslo.Error) {
	var in map[string]any
	if len(c.Body()) > 0 && !c.Decode(&in) {
		return nil, false, badRequest("Body contains invalid data")
	}
	if raw, ok := in[k.plural()]; ok {
		many, _ := raw.([]any)
		for _, x := range many {
			one, ok := x.(map[string]any)
			if !ok {
				return nil, true, badRequest("Body contains invalid data")
			}
			list = append(list, one)
		}
		if len(list) == 0 {
			return nil, true, badRequest("Resources required")
		}
		return list, true, nil
	}
	if in[k.name] == nil {
		return nil, false, badRequest("Unable to find '%s' in request body", k.name)
	}
	one, ok := in[k.name].(map[string]any)
	if !ok {
		return nil, false, badRequest("Object '%s' contains invalid data", k.name)
	}
	return []map[string]any{one}, false, nil
}

// owner mirrors neutron_lib/api/attributes.py: populate_project_id.
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
func (k *kind[T]) prepare(c *oslo.Call, body map[string]any) (oslo.Values, error) {
	if unknown := k.attrs.Unknown(body); len(unknown) > 0 {
		return nil, refuse(oslo.UnknownAttribute, unknown...)
	}
	if err := owner(c.Caller, body); err != nil {
		return nil, err
	}
	v, err := k.attrs.Create(body, refuse)
	if err != nil {
		return nil, err
	}
	if name := k.attrs.AdminOnly(c.Caller, body, func(a oslo.Attribute) oslo.Access { return a.Create }); name != "" {
		return nil, disallowed("create_"+k.name, name)
	}
	return v, nil
}

func (k *kind[T]) post(c *oslo.Call) (*oslo.Response, error) {
	bodies, bulk, berr := k.bodies(c)
	if berr != nil {
		return nil, berr
	}
	var ready []oslo.Values
	want := map[string]int{}
	for _, body := range bodies {
		v, err := k.prepare(c, body)
		if err != nil {
			return nil, err
		}
		ready = append(ready, v)
		want[v.Text("project_id")]++
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

func (k *kind[T]) make(c *oslo.Call, v oslo.Values) (*T, error) {
	rec, err := k.create(c, v)
	if err == nil {
		k.fields.Set(rec, k.attrs.Plain(v))
	}
	return rec, err
}

// createAll makes all resources or none.
func (k *kind[T]) createAll(c *oslo.Call, ready []oslo.Values) ([]*T, error) {
	var made []*T
	for _, v := range ready {
		rec, err := k.make(c, v)
		if err != nil {
			for _, r := range made {
				k.undo(r)
			}
			return nil, err
		}
		if tags, ok := v["tags"].([]string); ok && (k.n.opts.TagsOnCreate || k.ignoresTags && k.n.opts.TagsOnPorts) {
			k.standard(rec).Tags = sortedTags(tags)
		}
		made = append(made, rec)
	}
	return made, nil
}

func (k *kind[T]) put(c *oslo.Call) (*oslo.Response, error) {
	if _, err := k.find(c.Caller, c.PathValue("id")); err != nil {
		return nil, err
	}
	bodies, bulk, err := k.bodies(c)
	if err != nil {
		return nil, err
	}
	if bulk {
		return nil, badRequest("Bulk operation not supported")
	}
	v, err := k.attrs.Update(bodies[0], refuse)
	if err != nil {
		return nil, err
	}
	rec, err := k.owned(c.Caller, c.PathValue("id"), "update")
	if err != nil {
		return nil, err
	}
	if name := k.attrs.AdminOnly(c.Caller, bodies[0], func(a oslo.Attribute) oslo.Access { return a.Update }); name != "" {
		return nil, disallowed("update_"+k.name, name)
	}
	if err := k.ifMatch(c, rec); err != nil {
		return nil, err
	}
	if err := k.update(c, rec, v); err != nil {
		return nil, err
	}
	k.fields.Set(rec, k.attrs.Plain(v))
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
	k.n.unshare(k.standard(rec).ID)
	return oslo.NoContent(), nil
}

var ifMatchForm = pattern.Of(`^revision_number=(\d+)$`)

// ifMatch mirrors services/revisions/revision_plugin.py: _enforce_if_match_constraints.
func (k *kind[T]) ifMatch(c *oslo.Call, rec *T) error {
	m := ifMatchForm.FindStringSubmatch(c.Header.Get("If-Match"))
	if m == nil {
		return nil // a header that contains no revision is ignored
	}
	want, err := strconv.Atoi(m[1])
	if have := k.standard(rec).Revision; err != nil || want != have {
		return oslo.Errorf(http.StatusPreconditionFailed, "RevisionNumberConstraintFailed", "Constrained to %d, but current revision is %d", want, have)
	}
	return nil
}
