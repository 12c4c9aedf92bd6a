package neutron

import (
	"cmp"
	"net/url"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// kind is one collection of the API. Its methods implement the common behaviour of all collections. Its
// functions implement the special behaviour of this collection.
type kind[T any] struct {
	n      *Neutron
	name   string // "security_group"
	path   string // "security-groups"
	attrs  oslo.Table
	filter []string // additional filters that are no attributes
	store  *oslo.Collection[T]
	fields oslo.Fields
	tagged bool
	// bare is set if the records have only id and project_id of the standard attributes.
	bare bool
	// many is the key of the collection in the body of a list. If it is empty, the key is name with an s.
	many string
	// tagPath is the path of the tags. If it is empty, it equals path.
	tagPath string
	// ignoresTags is set for ports: Zed accepts tags in a POST of ports and ignores them. It refuses tags in a POST
	// of all other collections.
	ignoresTags bool

	standard func(*T) *Standard
	visible  func(*oslo.Caller, *T) bool
	missing  func(id string) *oslo.Error
	view     func(*oslo.Caller, *T) any
	// viewNew, if set, is the view in the answer to a create.
	viewNew func(*oslo.Caller, *T) any
	// idleWithoutBody is set if a PUT without attributes does not raise the revision.
	idleWithoutBody bool
	// mayDelete, if set, reports which additional callers may delete a record. The project of the record and admins
	// always may.
	mayDelete func(*oslo.Caller, *T) bool
	// matches, if set, implements filters that are no attributes.
	matches func(rec *T, key string, words []string) (fits, known bool)
	// checkQuery, if set, refuses malformed filters.
	checkQuery func(url.Values) *oslo.Error
	// before, if set, prepares the collection for a list.
	before func(*oslo.Call)
	// create and update store only the attributes that are not plain. The table stores the plain ones.
	create func(*oslo.Call, oslo.Values) (*T, error)
	update func(*oslo.Call, *T, oslo.Values) error
	remove func(*oslo.Call, *T) error
	// checkBulk, if set, checks all bodies of a create together.
	checkBulk func([]oslo.Values) error
	// made, if set, is called with the records that a request created.
	made func([]*T)
	// undo removes a record of a failed bulk create.
	undo func(*T)
}

func (k *kind[T]) plural() string { return cmp.Or(k.many, k.name+"s") }

// base returns the rows for ID, project, the standard attributes and tags. They are the same in all collections.
func (k *kind[T]) base(tagsInPost bool) oslo.Table {
	tags := oslo.Never
	if tagsInPost || k.ignoresTags {
		tags = oslo.Anybody
	}
	out := oslo.Table{
		{Name: "id", Filter: true},
		{Name: "tenant_id", Filter: true, Create: oslo.Anybody, Parse: text(255)},
		{Name: "project_id", Filter: true, Create: oslo.Anybody, Parse: text(255)},
	}
	if k.bare {
		return out
	}
	out = append(out, oslo.Table{
		{Name: "description", Filter: true, Plain: true, Create: oslo.Anybody, Update: oslo.Anybody, Default: "", Parse: text(255)},
		{Name: "created_at"}, {Name: "updated_at"}, {Name: "revision_number", Filter: true},
	}...)
	if k.tagged {
		out = append(out, oslo.Attribute{Name: "tags", Create: tags, Default: []string{}, Parse: parseTags})
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
	k.filter = append(append(k.filter, "name"), k.attrs.Names(func(a oslo.Attribute) bool { return a.Filter })...)
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

// shown reports whether a caller without the role admin may see a record.
func (k *kind[T]) shown(c *oslo.Caller, rec *T) bool {
	s := k.standard(rec)
	return s.ProjectID == c.ProjectID || k.visible(c, rec) || k.n.sharedWith(c.ProjectID, s.ID)
}

// find finds a record that the caller may see.
func (k *kind[T]) find(c *oslo.Caller, id string) (*T, *oslo.Error) {
	rec, ok := k.store.Get(id)
	if !ok || !c.Admin() && !k.shown(c, rec) {
		return nil, k.missing(id)
	}
	return rec, nil
}

// owned finds a record for a write. A policy refuses a visible record of another project.
func (k *kind[T]) owned(c *oslo.Caller, id, action string) (*T, *oslo.Error) {
	rec, err := k.find(c, id)
	if err != nil {
		return nil, err
	}
	if !c.Admin() && k.standard(rec).ProjectID != c.ProjectID && (action != "delete" || k.mayDelete == nil || !k.mayDelete(c, rec)) {
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
