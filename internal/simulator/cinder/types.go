package cinder

import (
	"net/http"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
	"github.com/stackreeve/stackreeve/internal/simulator/pyjson"
)

// defaultType is default_volume_type.
const defaultType = "fake"

type volumeType struct {
	ID, Name    string
	Description *string
	Public      bool
	Specs       map[string]string
	Access      []string
}

// AddType adds a public volume type.
func (b *Cinder) AddType(name, description string) {
	t := &volumeType{ID: b.cloud.UUID(), Name: name, Public: true, Specs: map[string]string{}}
	if description != "" {
		t.Description = &description
	}
	b.types.Add(t)
}

func (b *Cinder) addTypes() {
	b.handle("GET", "types", 0, b.listTypes)
	b.handle("POST", "types", 0, b.createType)
	b.handle("GET", "types/{id}", 0, b.showType)
	b.handle("PUT", "types/{id}", 0, b.updateType)
	b.handle("DELETE", "types/{id}", 0, b.deleteType)
	b.handle("GET", "types/{id}/extra_specs", 0, b.listSpecs)
	b.handle("POST", "types/{id}/extra_specs", 0, b.writeSpecs)
	b.handle("DELETE", "types/{id}/extra_specs/{key}", 0, b.deleteSpec)
}

func (t *volumeType) visible(c *oslo.Caller) bool {
	return t.Public || c.Manages() || slices.Contains(t.Access, c.ProjectID)
}

// typeBy finds a type by its ID or name.
func (b *Cinder) typeBy(c *oslo.Caller, ref string) (*volumeType, bool) {
	for t := range b.types.All() {
		if (t.ID == ref || t.Name == ref) && t.visible(c) {
			return t, true
		}
	}
	return nil, false
}

func (t *volumeType) view(c *call, access bool) map[string]any {
	v := map[string]any{"id": t.ID, "name": t.Name, "is_public": t.Public, "description": t.Description, "extra_specs": t.Specs}
	if c.Caller.Manages() {
		v["qos_specs_id"] = nil
	}
	if access {
		v["os-volume-type-access:is_public"] = t.Public
	}
	return v
}

func (b *Cinder) listTypes(c *call) (*oslo.Response, error) {
	l, err := b.listing(c)
	if err != nil {
		return nil, err
	}
	public, all := true, false
	if c.Caller.Manages() { // _parse_is_public: other callers see the public types and the types of their project
		word := c.Query().Get("is_public")
		all, public = strings.EqualFold(word, "none"), word == "" || oslo.Truthy(word)
	}
	recs := b.types.Where(func(t *volumeType) bool {
		return all || t.Public == public || !c.Caller.Manages() && t.visible(c.Caller)
	})
	slices.Reverse(recs)
	recs, err = cut(c, l, recs, func(t *volumeType) string { return t.ID }, func(id string) error { return notFound("Volume type %s could not be found.", id) })
	if err != nil {
		return nil, err
	}
	views, last := []any{}, ""
	for _, t := range recs {
		last = t.ID
		views = append(views, t.view(c, true))
	}
	return l.answer(c, "volume_types", "types", views, last), nil
}

func (b *Cinder) findType(c *call) (*volumeType, error) {
	ref := c.id()
	if ref == "default" {
		ref = defaultType
	}
	t, ok := b.types.Get(ref)
	if ref == defaultType {
		t, ok = b.typeBy(c.Caller, ref)
	}
	if !ok || !t.visible(c.Caller) {
		return nil, notFound("Volume type %s could not be found.", c.id())
	}
	return t, nil
}

func (b *Cinder) showType(c *call) (*oslo.Response, error) {
	t, err := b.findType(c)
	if err != nil {
		return nil, err
	}
	return oslo.OK(map[string]any{"volume_type": t.view(c, c.id() != "default")}), nil
}

func (b *Cinder) createType(c *call) (*oslo.Response, error) {
	if !c.Caller.Manages() {
		return nil, disallowed("volume_extension:type_create")
	}
	body, err := c.read(wrapped("volume_type", &pyjson.Schema{Types: []string{"object"}, Required: []string{"name"}, Props: []pyjson.Prop{{Name: "name", Schema: pyjson.String(1, 255)},
		{Name: "description", Schema: pyjson.OrNull(pyjson.String(0, 255))}, {Name: "os-volume-type-access:is_public", Schema: pyjson.Boolean}}}))
	if err != nil {
		return nil, err
	}
	in := body.Object("volume_type")
	t := &volumeType{ID: b.cloud.UUID(), Name: in.Text("name"), Description: textOrNil(in, "description"), Public: true, Specs: texts(in.Object("extra_specs"))}
	if v, ok := in.Get("os-volume-type-access:is_public"); ok {
		t.Public = pyjson.Truthy(v)
	}
	if _, used := b.typeBy(c.Caller, t.Name); used {
		return nil, oslo.Errorf(http.StatusConflict, "VolumeTypeExists", "Volume Type %s already exists.", t.Name)
	}
	b.types.Add(t)
	return oslo.OK(map[string]any{"volume_type": t.view(c, true)}), nil
}

func (b *Cinder) updateType(c *call) (*oslo.Response, error) {
	if !c.Caller.Manages() {
		return nil, disallowed("volume_extension:type_update")
	}
	t, err := b.findType(c)
	if err != nil {
		return nil, err
	}
	body, err := c.read(wrapped("volume_type", &pyjson.Schema{Types: []string{"object"}, Closed: true, Props: []pyjson.Prop{{Name: "name", Schema: pyjson.OrNull(pyjson.String(0, 255))},
		{Name: "description", Schema: pyjson.OrNull(pyjson.String(0, 255))}, {Name: "is_public", Schema: pyjson.Boolean}}}))
	if err != nil {
		return nil, err
	}
	in := body.Object("volume_type")
	if name := in.Text("name"); name != "" {
		t.Name = name
	}
	if in.Has("description") {
		t.Description = textOrNil(in, "description")
	}
	if public, ok := in.Get("is_public"); ok && public != nil {
		t.Public = pyjson.Truthy(public)
	}
	return oslo.OK(map[string]any{"volume_type": t.view(c, true)}), nil
}

func (b *Cinder) deleteType(c *call) (*oslo.Response, error) {
	if !c.Caller.Manages() {
		return nil, disallowed("volume_extension:type_delete")
	}
	t, err := b.findType(c)
	switch {
	case err != nil:
		return nil, err
	case t.Name == defaultType:
		return nil, badRequest("The volume type %s is a default volume type and cannot be deleted.", t.ID)
	}
	for v := range b.volumes.All() {
		if v.Type == t {
			return nil, badRequest("Target volume type is still in use.")
		}
	}
	b.types.Remove(t.ID)
	return accepted()
}

func (b *Cinder) listSpecs(c *call) (*oslo.Response, error) {
	t, err := b.findType(c)
	if err != nil {
		return nil, err
	}
	return oslo.OK(map[string]any{"extra_specs": t.Specs}), nil
}

// unused mirrors cinder/api/contrib/types_extra_specs.py: _allow_update.
func (b *Cinder) unused(t *volumeType) error {
	for v := range b.volumes.All() {
		if v.Type == t {
			return badRequest("Volume Type is currently in use.")
		}
	}
	return nil
}

func (b *Cinder) writeSpecs(c *call) (*oslo.Response, error) {
	if !c.Caller.Manages() {
		return nil, disallowed("volume_extension:types_extra_specs:create")
	}
	body, err := c.read(wrapped("extra_specs", metadataSchema))
	if err != nil {
		return nil, err
	}
	t, err := b.findType(c)
	if err != nil {
		return nil, err
	}
	if err := b.unused(t); err != nil {
		return nil, err
	}
	for key, value := range texts(body.Object("extra_specs")) {
		t.Specs[key] = value
	}
	return oslo.OK(map[string]any{"extra_specs": pyjson.Plain(body.Object("extra_specs"))}), nil
}

func (b *Cinder) deleteSpec(c *call) (*oslo.Response, error) {
	if !c.Caller.Manages() {
		return nil, disallowed("volume_extension:types_extra_specs:delete")
	}
	t, err := b.findType(c)
	if err != nil {
		return nil, err
	}
	if err := b.unused(t); err != nil {
		return nil, err
	}
	key := c.PathValue("key")
	if _, ok := t.Specs[key]; !ok {
		return nil, notFound("Volume Type %s has no extra specs with key %s.", t.ID, key)
	}
	delete(t.Specs, key)
	return accepted()
}
