package glance

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
	"github.com/stackreeve/stackreeve/internal/simulator/pyjson"
)

// writable finds an image that the caller may change. action is the name of the
// action in policies.
func (g *Glance) writable(c *oslo.Call, action string) (*Image, error) {
	i, ok := g.Visible(c.Caller, c.PathValue("id"))
	if !ok {
		return nil, missing(c.PathValue("id"))
	}
	if !c.Caller.Admin() && i.Owner != c.Caller.ProjectID {
		return nil, unauthorizedFor(action)
	}
	return i, nil
}

var patchTypes = []string{"application/openstack-images-v2.1-json-patch", "application/openstack-images-v2.0-json-patch"}

func (g *Glance) patch(c *oslo.Call) (*oslo.Response, error) {
	if kind := c.Header.Get("Content-Type"); !slices.Contains(patchTypes, kind) {
		e := oslo.Errorf(http.StatusUnsupportedMediaType, "HTTPUnsupportedMediaType", "The request media type %s is not supported by this server.", kind)
		e.Header = http.Header{"Accept-Patch": {patchTypes[1] + ", " + patchTypes[0]}}
		return nil, e
	}
	v, err := pyjson.Parse(c.Body())
	ops, ok := v.([]any)
	if err != nil || !ok {
		return nil, badRequest("Request body must be a JSON array of operation objects.")
	}
	i, err := g.writable(c, "modify_image")
	if seen, ok := g.Visible(c.Caller, c.PathValue("id")); ok && len(ops) == 0 {
		return oslo.OK(seen.view()), nil // a request without operations needs no right to change the image
	}
	if err != nil {
		return nil, err
	}
	changed := *i
	changed.Properties = map[string]string{}
	for k, v := range i.Properties {
		changed.Properties[k] = v
	}
	for _, op := range ops {
		if err := g.apply(c.Caller, &changed, op); err != nil {
			return nil, err
		}
	}
	*i = changed
	if len(ops) > 0 {
		i.Updated = g.cloud.Now()
	}
	return oslo.OK(i.view()), nil
}

// apply mirrors images.py: _do_add, _do_replace and _do_remove, for one operation.
func (g *Glance) apply(c *oslo.Caller, i *Image, raw any) error {
	op, ok := raw.(*pyjson.Object)
	if !ok {
		return badRequest("Operations must be JSON objects.")
	}
	path := op.Text("path")
	if !strings.HasPrefix(path, "/") {
		return badRequest("Pointer `%s` does not start with \"/\".", path)
	}
	if strings.Contains(path[1:], "/") {
		return badRequest("Invalid JSON pointer for this resource: '%s'", path)
	}
	key := strings.NewReplacer("~1", "/", "~0", "~").Replace(path[1:])
	value, given := op.Get("value")
	kind := op.Text("op")
	if kind != "remove" && !given {
		return badRequest(`Operation "%s" requires a member named "value".`, kind)
	}
	if key == "owner" && !c.Admin() {
		return denied("Owner can't be updated by non admin.")
	}
	_, property := i.Properties[key]
	switch kind {
	case "replace", "add":
		if kind == "replace" && !property && !baseAttribute(key) {
			return patchConflict(fmt.Sprintf("Property %s does not exist.", key))
		}
		return g.set(c, i, key, value)
	case "remove":
		switch {
		case baseAttribute(key) || slices.Contains(readOnly, key):
			return denied("Property %s may not be removed.", key)
		case !property:
			return patchConflict(fmt.Sprintf("Property %s does not exist.", key))
		}
		delete(i.Properties, key)
		return nil
	}
	return badRequest("Invalid operation: `%s`. It must be one of the following: add, remove, replace.", kind)
}

func baseAttribute(key string) bool {
	switch key {
	case "name", "disk_format", "container_format", "visibility", "protected", "os_hidden", "min_disk", "min_ram", "owner", "tags":
		return true
	}
	return slices.Contains(readOnly, key) || slices.Contains(reserved, key)
}
