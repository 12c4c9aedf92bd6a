// Package glance simulates the image service of Zed: images with their
// properties, tags, members and small contents.
//
// It knows nothing about servers or volumes; Nova and Cinder read images through
// the exported methods. It downloads nothing: an import by web-download is refused.
package glance

import (
	"net/http"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// Options are the differences between clouds.
type Options struct {
	// MaxPage is api_limit_max; zero means 1000.
	MaxPage int
}

// Glance is the image service.
type Glance struct {
	cloud *oslo.Cloud
	svc   *oslo.Service
	opts  Options

	images *oslo.Collection[Image]
}

// New registers the image service.
func New(cloud *oslo.Cloud, opts Options) *Glance {
	if opts.MaxPage == 0 {
		opts.MaxPage = 1000
	}
	g := &Glance{cloud: cloud, opts: opts, images: oslo.NewCollection(func(i *Image) string { return i.ID })}
	g.svc = &oslo.Service{Name: "glance", Types: []string{"image"}, Prefix: "/image", Render: render}
	cloud.Register(g.svc)
	g.svc.HandlePublic("GET /{$}", versions(http.StatusMultipleChoices))
	g.svc.HandlePublic("GET /versions", versions(http.StatusOK))
	g.svc.Handle("GET /v2/images", g.list)
	g.svc.Handle("POST /v2/images", g.create)
	g.svc.Handle("GET /v2/images/{id}", g.show)
	g.svc.Handle("PATCH /v2/images/{id}", g.patch)
	g.svc.Handle("DELETE /v2/images/{id}", g.remove)
	g.svc.Handle("PUT /v2/images/{id}/file", g.upload)
	g.svc.Handle("GET /v2/images/{id}/file", g.download)
	g.svc.Handle("PUT /v2/images/{id}/stage", g.stage)
	g.svc.Handle("POST /v2/images/{id}/import", g.importImage)
	g.svc.Handle("POST /v2/images/{id}/actions/{action}", g.act)
	g.svc.Handle("PUT /v2/images/{id}/tags/{tag}", g.addTag)
	g.svc.Handle("DELETE /v2/images/{id}/tags/{tag}", g.removeTag)
	g.addMembers()
	g.addInfo()
	return g
}

// versions mirrors glance/api/versions.py with one store and no image cache API.
func versions(status int) oslo.Handler {
	return func(c *oslo.Call) (*oslo.Response, error) {
		var list []any
		for i, v := range []string{"2.15", "2.13", "2.12", "2.11", "2.10", "2.9", "2.8", "2.7", "2.6", "2.5", "2.4", "2.3", "2.2", "2.1", "2.0"} {
			word := "SUPPORTED"
			if i == 0 {
				word = "CURRENT"
			}
			list = append(list, map[string]any{"id": "v" + v, "status": word,
				"links": []any{map[string]string{"rel": "self", "href": c.Base + "/v2/"}}})
		}
		return &oslo.Response{Status: status, Body: map[string]any{"versions": list}}, nil
	}
}

func (g *Glance) addInfo() {
	answer := func(v any) oslo.Handler {
		return func(*oslo.Call) (*oslo.Response, error) { return oslo.OK(v), nil }
	}
	g.svc.Handle("GET /v2/info/import", answer(map[string]any{"import-methods": map[string]any{
		"description": "Import methods available.", "type": "array", "value": []string{"glance-direct", "web-download"}}}))
	g.svc.Handle("GET /v2/info/stores", answer(map[string]any{"stores": []any{map[string]string{"id": "file", "default": "true"}}}))
	g.svc.Handle("GET /v2/schemas/image", answer(imageSchema()))
	g.svc.Handle("GET /v2/schemas/images", answer(map[string]any{"name": "images",
		"properties": map[string]any{"images": map[string]any{"type": "array", "items": imageSchema()},
			"first": map[string]string{"type": "string"}, "next": map[string]string{"type": "string"}, "schema": map[string]string{"type": "string"}},
		"links": []any{map[string]string{"rel": "first", "href": "{first}"}, map[string]string{"rel": "next", "href": "{next}"}, map[string]string{"rel": "describedby", "href": "{schema}"}}}))
}
