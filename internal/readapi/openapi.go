package readapi

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Schema is the JSON Schema of a kind's manifests.
type Schema struct {
	GVK manifest.GroupVersionKind
	Doc map[string]any
}

// openapi answers requests for /openapi/v3 and the paths below it. Version 2, which kubectl used before 1.27, cannot express these schemas.
func (h *Handler) openapi(w http.ResponseWriter, path []string) {
	if len(path) < 2 || path[1] != "v3" {
		Refuse(w, http.StatusNotFound, "there is only OpenAPI version 3 here")
		return
	}
	schemas, err := h.allSchemas()
	if err != nil {
		Refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	below := map[string][]Schema{}
	for _, s := range schemas {
		at := "apis/" + s.GVK.APIVersion()
		if s.GVK.Group == "" {
			at = "api/" + s.GVK.Version
		}
		below[at] = append(below[at], s)
	}
	if len(path) == 2 {
		paths := map[string]any{}
		for at := range below {
			paths[at] = map[string]string{"serverRelativeURL": "/openapi/v3/" + at}
		}
		answer(w, http.StatusOK, "", map[string]any{"paths": paths})
		return
	}
	at := strings.Join(path[2:], "/")
	if below[at] == nil {
		Refuse(w, http.StatusNotFound, "there is no such group or version")
		return
	}
	answer(w, http.StatusOK, "", described(at, below[at], h.store.resources()))
}

// allSchemas returns the schemas of the kinds that can be read.
func (h *Handler) allSchemas() ([]Schema, error) {
	schemas, err := h.schemas()
	if err != nil {
		return nil, fmt.Errorf("schemas: %w", err)
	}
	readable := map[manifest.GroupVersionKind]bool{}
	for _, r := range h.store.resources() {
		readable[r.GroupVersionKind] = true
	}
	for gvk, kind := range own {
		if kind.about != "" {
			schemas = append(schemas, Schema{gvk, map[string]any{"type": "object", "description": kind.about}})
		}
	}
	return slices.DeleteFunc(schemas, func(s Schema) bool { return !readable[s.GVK] }), nil
}

// described returns the OpenAPI document of one version of a group.
func described(at string, schemas []Schema, readable []resource) map[string]any {
	paths, components := map[string]any{}, map[string]any{intOrString: map[string]any{"format": "int-or-string", "oneOf": types("integer", "string"), "description": "A number, or a text."}}
	for _, s := range schemas {
		gvk := map[string]string{"group": s.GVK.Group, "version": s.GVK.Version, "kind": s.GVK.Kind}
		doc := toOpenAPI(s.Doc)
		doc["x-kubernetes-group-version-kind"] = []any{gvk}
		components[strings.ReplaceAll(s.GVK.APIVersion(), "/", ".")+"."+s.GVK.Kind] = doc
		n := slices.IndexFunc(readable, func(r resource) bool { return r.GroupVersionKind == s.GVK })
		if n < 0 {
			continue // the kind no longer exists
		}
		r := readable[n]
		path := "/" + at + "/" + r.plural
		if r.namespaced {
			path = "/" + at + "/namespaces/{namespace}/" + r.plural
		}
		paths[path+"/{name}"] = map[string]any{"patch": patching(gvk)}
		paths[path] = map[string]any{"get": map[string]any{
			"x-kubernetes-action": "list", "x-kubernetes-group-version-kind": gvk,
			"responses": map[string]any{"200": map[string]string{"description": "what there is"}},
		}}
	}
	return map[string]any{
		"openapi": "3.0.0", "info": map[string]string{"title": "Stackreeve", "version": "1"}, "paths": paths,
		"components": map[string]any{"schemas": components},
	}
}

// patching declares a PATCH with fieldValidation and dryRun. Without it, kubectl would look for schemas in OpenAPI version 2, which is not
// served. Then it could not even print what it would send (`apply --dry-run=client`). The PATCH request itself is refused.
func patching(gvk map[string]string) map[string]any {
	query := func(name string) map[string]any {
		return map[string]any{"name": name, "in": "query", "schema": map[string]any{"type": "string"}}
	}
	return map[string]any{
		"x-kubernetes-action": "patch", "x-kubernetes-group-version-kind": gvk, "parameters": []any{query("fieldValidation"), query("dryRun")},
		"responses": map[string]any{"405": map[string]string{"description": noWriting}},
	}
}
