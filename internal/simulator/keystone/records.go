package keystone

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// extras are the attributes of a record that Keystone does not know and stores all the same.
type extras map[string]any

// records is a collection that administrators write. Attributes of a request that are not in the table are stored
// with the record (keystone/server/flask/common.py and the models' extra).
type records[T any] struct {
	k        *Keystone
	name     string // the name of a record, such as "user"; the name of the collection has an additional s
	table    oslo.Table
	fields   oslo.Fields
	store    *oslo.Collection[T]
	id       func(*T) string
	extra    func(*T) *extras
	seeOwn   func(c *oslo.Call, id string) bool // reports whether a caller who is no administrator may see a record; nil allows nobody.
	echoes   bool                               // the answer to an update repeats the extras under the key extra.
	check    func(rec, old *T, v oslo.Values) error
	removing func(*T) error                  // deletes the dependent objects before a record is deleted, or returns an error.
	listed   func(c *oslo.Call, rec *T) bool // an additional condition of a list; nil if there is none.
	builtin  func(*oslo.Call) []any          // additional records of a list; nil if there is none.
}

func (r *records[T]) serve() {
	r.fields = oslo.FieldsOf[T]()
	path := "/v3/" + r.name + "s"
	r.k.svc.Handle("GET "+path, r.list)
	r.k.svc.Handle("POST "+path, r.create)
	r.k.svc.Handle("GET "+path+"/{id}", r.show)
	r.k.svc.Handle("PATCH "+path+"/{id}", r.update)
	r.k.svc.Handle("DELETE "+path+"/{id}", r.remove)
}

// view is the record with its extras.
func (r *records[T]) view(c *oslo.Call, rec *T) map[string]any {
	out := map[string]any{}
	maps.Copy(out, *r.extra(rec))
	text, err := json.Marshal(rec)
	if err != nil || json.Unmarshal(text, &out) != nil {
		panic(r.name) // the type is defined in this package
	}
	if out["default_project_id"] == nil {
		delete(out, "default_project_id")
	}
	out["links"] = self(c, r.name+"s/"+r.id(rec))
	return out
}

func (r *records[T]) answer(c *oslo.Call, status int, rec *T) *oslo.Response {
	return &oslo.Response{Status: status, Body: map[string]any{r.name: r.view(c, rec)}}
}

func (r *records[T]) list(c *oslo.Call) (*oslo.Response, error) {
	if !administers(c.Caller) {
		return nil, forbidden("list_" + r.name + "s")
	}
	q := c.Query()
	items := []any{}
	if r.builtin != nil {
		items = r.builtin(c)
	}
	for rec := range r.store.All() {
		fits := r.listed == nil || r.listed(c, rec)
		for _, a := range r.table {
			have, _ := r.fields.Get(rec, a.Name)
			fits = fits && (!a.Filter || !q.Has(a.Name) || oslo.Equal(have, q.Get(a.Name)))
		}
		if fits {
			items = append(items, r.view(c, rec))
		}
	}
	return list(c, r.name+"s", items), nil
}

func (r *records[T]) find(c *oslo.Call, action string) (*T, error) {
	id := c.PathValue("id")
	if !administers(c.Caller) && (action != "get" || r.seeOwn == nil || !r.seeOwn(c, id)) {
		return nil, forbidden(action + "_" + r.name)
	}
	rec, ok := r.store.Get(id)
	if !ok {
		return nil, notFound(r.name, id)
	}
	return rec, nil
}

func (r *records[T]) show(c *oslo.Call) (*oslo.Response, error) {
	rec, err := r.find(c, "get")
	if err != nil {
		return nil, err
	}
	return r.answer(c, http.StatusOK, rec), nil
}

// body splits a request into attributes of the table and others.
func (r *records[T]) body(c *oslo.Call) (known map[string]any, other extras, err error) {
	var in map[string]map[string]any
	if !c.Decode(&in) || in[r.name] == nil {
		return nil, nil, malformed(r.name, "request body")
	}
	known, other = map[string]any{}, extras{}
	for name, value := range in[r.name] {
		name = strings.NewReplacer(":", "_", "-", "_").Replace(name)
		if slices.ContainsFunc(r.table, func(a oslo.Attribute) bool { return a.Name == name }) {
			known[name] = value
		} else {
			other[name] = value
		}
	}
	return known, other, nil
}

func (r *records[T]) create(c *oslo.Call) (*oslo.Response, error) {
	if !administers(c.Caller) {
		return nil, forbidden("create_" + r.name)
	}
	known, other, err := r.body(c)
	if err != nil {
		return nil, err
	}
	v, refused := r.table.Create(known, refuse(r.name))
	if refused != nil {
		return nil, refused
	}
	rec := new(T)
	v["id"] = r.k.cloud.HexID()
	r.fields.Set(rec, v)
	*r.extra(rec) = other
	if err := r.check(rec, nil, v); err != nil {
		return nil, err
	}
	r.store.Add(rec)
	return r.answer(c, http.StatusCreated, rec), nil
}

func (r *records[T]) update(c *oslo.Call) (*oslo.Response, error) {
	rec, err := r.find(c, "update")
	if err != nil {
		return nil, err
	}
	known, other, err := r.body(c)
	if err != nil {
		return nil, err
	}
	v, refused := r.table.Update(known, refuse(r.name))
	if refused != nil {
		return nil, refused
	}
	next := *rec
	r.fields.Set(&next, v)
	if err := r.check(&next, rec, v); err != nil {
		return nil, err
	}
	*rec = next
	all := extras{}
	maps.Copy(all, *r.extra(rec))
	maps.Copy(all, other)
	*r.extra(rec) = all
	shown := r.view(c, rec)
	if r.echoes {
		shown["extra"] = all
	}
	return oslo.OK(map[string]any{r.name: shown}), nil
}

func (r *records[T]) remove(c *oslo.Call) (*oslo.Response, error) {
	rec, err := r.find(c, "delete")
	if err != nil {
		return nil, err
	}
	if err := r.removing(rec); err != nil {
		return nil, err
	}
	r.store.Remove(r.id(rec))
	return oslo.NoContent(), nil
}

// taken returns an error if another record already has the name.
func taken[T any](store *oslo.Collection[T], but *T, same func(*T) bool, words string) error {
	for other := range store.All() {
		if other != but && same(other) {
			return oslo.Errorf(http.StatusConflict, "Conflict", "Conflict occurred attempting to store %s", words)
		}
	}
	return nil
}

// refuse returns the function that makes jsonschema's errors for requests that a table refuses.
func refuse(resource string) oslo.Refuse {
	return func(why oslo.Refusal, names ...string) *oslo.Error {
		if why == oslo.MissingAttribute {
			return oslo.Errorf(http.StatusBadRequest, "ValidationError", "'%s' is a required property\n\nFailed validating 'required' in schema", names[0])
		}
		return oslo.Errorf(http.StatusBadRequest, "ValidationError", "Cannot change %s of %s", strings.Join(names, ", "), resource)
	}
}

// types returns the error that Keystone's schemas report for a problem of a value.
var types oslo.Types = func(p oslo.Problem, name string, v, bound any) *oslo.Error {
	switch p {
	case oslo.NotText:
		return oslo.Errorf(http.StatusBadRequest, "ValidationError", "Invalid input for field '%s': %v is not of type 'string'", name, v)
	case oslo.TooLong:
		return oslo.Errorf(http.StatusBadRequest, "ValidationError", "Invalid input for field '%s': '%v' is too long", name, v)
	default:
		return oslo.Errorf(http.StatusBadRequest, "ValidationError", "Invalid input for field '%s': %v is not valid, %v", name, v, bound)
	}
}

func flag(name string, v any) (any, *oslo.Error) {
	if b, ok := v.(bool); ok {
		return b, nil
	}
	return nil, oslo.Errorf(http.StatusBadRequest, "ValidationError", "Invalid input for field '%s': %v is not of type 'boolean'", name, v)
}

func object(name string, v any) (any, *oslo.Error) {
	if m, ok := v.(map[string]any); ok {
		return m, nil
	}
	return nil, types(oslo.NotText, name, v, nil)
}

// named, stripped, described, enabled, within and optional return rows that several tables contain.
func named(limit int) oslo.Attribute {
	return oslo.Attribute{Name: "name", Create: oslo.Anybody, Update: oslo.Anybody, Required: true, Filter: true, Parse: types.Text(limit)}
}

// stripped is a name without white space at both ends, because Keystone strips the names of domains, projects,
// users and groups. (resource/core.py, identity/core.py)
func stripped(limit int) oslo.Attribute {
	a := named(limit)
	a.Parse = func(name string, v any) (any, *oslo.Error) {
		x, err := types.Text(limit)(name, v)
		if s, ok := x.(string); ok {
			x = strings.TrimSpace(s)
		}
		return x, err
	}
	return a
}

func described(byDefault any, limit int) oslo.Attribute {
	return oslo.Attribute{Name: "description", Create: oslo.Anybody, Update: oslo.Anybody, Default: byDefault, Parse: oslo.OrNull(types.Text(limit))}
}

var (
	enabled  = oslo.Attribute{Name: "enabled", Create: oslo.Anybody, Update: oslo.Anybody, Default: true, Filter: true, Parse: flag}
	within   = oslo.Attribute{Name: "domain_id", Create: oslo.Anybody, Default: domainID, Filter: true, Parse: types.Text(64)}
	optional = oslo.Attribute{Name: "options", Create: oslo.Anybody, Update: oslo.Anybody, Default: map[string]any{}, Parse: object}
)
