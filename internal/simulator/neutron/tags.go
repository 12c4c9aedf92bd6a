package neutron

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// The routes below are the sub-resource /tags of every resource with standard
// attributes (neutron/services/tag/tag_plugin.py,
// neutron/extensions/tagging.py).

const tagLimit = 255

func parseTags(name string, v any) (any, *oslo.Error) {
	l, ok := v.([]any)
	if !ok {
		return nil, invalidInput("'%s' is not a list.", py(v))
	}
	out := []string{}
	for _, x := range l {
		s, ok := x.(string)
		switch {
		case !ok:
			return nil, invalidInput("'%s' is not a valid string.", py(x))
		case len([]rune(s)) > tagLimit:
			return nil, invalidInput("'%s' exceeds maximum length of %d.", s, tagLimit)
		case slices.Contains(out, s):
			return nil, invalidInput("Duplicate items in the list: '%s'.", s)
		}
		out = append(out, s)
	}
	return out, nil
}

func sortedTags(tags []string) []string {
	out := append([]string{}, tags...)
	slices.Sort(out)
	return out
}

func tagsFit(have []string, key string, words []string) bool {
	var want []string
	for _, w := range words {
		want = append(want, strings.Split(w, ",")...)
	}
	count := 0
	for _, w := range want {
		if slices.Contains(have, w) {
			count++
		}
	}
	switch key {
	case "tags":
		return count == len(want)
	case "tags-any":
		return count > 0
	case "not-tags":
		return count < len(want)
	default: // not-tags-any
		return count == 0
	}
}

func (k *kind[T]) tagRoutes() {
	path := cmp.Or(k.tagPath, k.path)
	k.n.handle("GET", path+"/{id}/tags", k.listTags)
	k.n.handle("PUT", path+"/{id}/tags", k.replaceTags)
	k.n.handle("POST", path+"/{id}/tags", func(*oslo.Call) (*oslo.Response, error) {
		return nil, notFound("HTTPNotFound", "not supported")
	})
	k.n.handle("DELETE", path+"/{id}/tags", k.clearTags)
	k.n.handle("GET", path+"/{id}/tags/{tag}", k.checkTag)
	k.n.handle("PUT", path+"/{id}/tags/{tag}", k.addTag)
	k.n.handle("DELETE", path+"/{id}/tags/{tag}", k.removeTag)
}

// tagTarget finds the resource of a request about tags. In Zed, everybody who can see a resource can tag it.
func (k *kind[T]) tagTarget(c *oslo.Call) (*Standard, error) {
	id := c.PathValue("id")
	rec, err := k.find(c.Caller, id)
	if err != nil {
		return nil, notFound("TagResourceNotFound", "Resource %s %s could not be found.", k.path, id)
	}
	if strings.Contains(c.PathValue("tag"), "/") {
		return nil, notFound("HTTPNotFound", "The resource could not be found.")
	}
	return k.standard(rec), nil
}

func tagNotFound(tag string) error {
	return notFound("TagNotFound", "Tag %s could not be found.", tag)
}

func (k *kind[T]) listTags(c *oslo.Call) (*oslo.Response, error) {
	s, err := k.tagTarget(c)
	if err != nil {
		return nil, err
	}
	return oslo.OK(map[string]any{"tags": s.Tags}), nil
}

func (k *kind[T]) replaceTags(c *oslo.Call) (*oslo.Response, error) {
	var body any
	if !c.Decode(&body) {
		return nil, oslo400("MalformedRequestBody", "Malformed request body: Cannot understand JSON.")
	}
	in, _ := body.(map[string]any)
	if _, sent := in["tags"]; !sent {
		return nil, invalidInput("Invalid tags body.")
	}
	tags, perr := parseTags("tags", in["tags"])
	if perr != nil {
		return nil, perr
	}
	s, err := k.tagTarget(c)
	if err != nil {
		return nil, err
	}
	asked, _ := tags.([]string)
	if next := sortedTags(asked); !slices.Equal(next, s.Tags) {
		s.Tags = next
		k.n.bump(s)
	}
	return oslo.OK(in), nil // the answer is the request's body
}

func (k *kind[T]) clearTags(c *oslo.Call) (*oslo.Response, error) {
	s, err := k.tagTarget(c)
	if err != nil {
		return nil, err
	}
	if len(s.Tags) > 0 {
		s.Tags = []string{}
		k.n.bump(s)
	}
	return oslo.NoContent(), nil
}

func (k *kind[T]) checkTag(c *oslo.Call) (*oslo.Response, error) {
	s, err := k.tagTarget(c)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(s.Tags, c.PathValue("tag")) {
		return nil, tagNotFound(c.PathValue("tag"))
	}
	return oslo.NoContent(), nil
}

func (k *kind[T]) addTag(c *oslo.Call) (*oslo.Response, error) {
	s, err := k.tagTarget(c)
	if err != nil {
		return nil, err
	}
	tag := c.PathValue("tag")
	if len([]rune(tag)) > tagLimit {
		return nil, invalidInput("'%s' exceeds maximum length of %d.", tag, tagLimit)
	}
	if !slices.Contains(s.Tags, tag) {
		s.Tags = sortedTags(append(s.Tags, tag))
		k.n.bump(s)
	}
	return &oslo.Response{Status: http.StatusCreated, Body: []byte("null")}, nil
}

func (k *kind[T]) removeTag(c *oslo.Call) (*oslo.Response, error) {
	s, err := k.tagTarget(c)
	if err != nil {
		return nil, err
	}
	i := slices.Index(s.Tags, c.PathValue("tag"))
	if i < 0 {
		return nil, tagNotFound(c.PathValue("tag"))
	}
	s.Tags = slices.Delete(slices.Clone(s.Tags), i, i+1)
	k.n.bump(s)
	return oslo.NoContent(), nil
}
