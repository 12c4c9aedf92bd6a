package nova

import (
	"net/http"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
	"github.com/stackreeve/stackreeve/internal/simulator/pyjson"
)

// updateSchema mirrors schemas/servers.py: update and its later versions.
func updateSchema(minor int) *pyjson.Schema {
	s := &pyjson.Schema{Types: []string{"object"}, Closed: true, Props: []pyjson.Prop{{Name: "name", Schema: serverName}, {Name: "OS-DCF:diskConfig", Schema: diskConfig},
		{Name: "accessIPv4", Schema: accessIPv4}, {Name: "accessIPv6", Schema: accessIPv6}}}
	if minor >= 19 {
		s.Props = append(s.Props, pyjson.Prop{Name: "description", Schema: pyjson.OrNull(pyjson.String(0, 255))})
	}
	if minor >= 90 {
		s.Props = append(s.Props, pyjson.Prop{Name: "hostname", Schema: hostnameSchema})
	}
	return wrapped("server", s)
}

func (n *Nova) updateServer(c *call) (*oslo.Response, error) {
	body, err := c.read(updateSchema(c.minor))
	if err != nil {
		return nil, err
	}
	s, err := n.find(c)
	if err != nil {
		return nil, err
	}
	in := body.Object("server")
	for key, to := range map[string]*string{"accessIPv4": &s.AccessIPv4, "accessIPv6": &s.AccessIPv6, "OS-DCF:diskConfig": &s.DiskConfig, "hostname": &s.Hostname} {
		if in.Has(key) {
			*to = in.Text(key)
		}
	}
	if in.Has("name") {
		s.Name = strings.TrimSpace(in.Text("name"))
	}
	if v, ok := in.Get("description"); ok {
		s.Description = nil
		if v != nil {
			text := pyjson.Str(v)
			s.Description = &text
		}
	}
	if len(in.Keys()) > 0 {
		n.touch(s)
	}
	return oslo.OK(map[string]any{"server": n.viewer(c).written(s)}), nil
}

func (n *Nova) addMetadata() {
	n.handle("GET /v2.1/servers/{id}/metadata", 1, n.showMetadata)
	n.handle("POST /v2.1/servers/{id}/metadata", 1, n.writeMetadata(false))
	n.handle("PUT /v2.1/servers/{id}/metadata", 1, n.writeMetadata(true))
	n.handle("GET /v2.1/servers/{id}/metadata/{key}", 1, n.showMetadataItem)
	n.handle("PUT /v2.1/servers/{id}/metadata/{key}", 1, n.writeMetadataItem)
	n.handle("DELETE /v2.1/servers/{id}/metadata/{key}", 1, n.deleteMetadataItem)
}

func (n *Nova) showMetadata(c *call) (*oslo.Response, error) {
	s, err := n.find(c)
	if err != nil {
		return nil, err
	}
	return oslo.OK(map[string]any{"metadata": s.Metadata}), nil
}

// setMetadata writes metadata with the checks that all metadata requests have.
func (n *Nova) setMetadata(c *call, in *pyjson.Object, replace bool) (*Server, error) {
	s, err := n.find(c)
	if err != nil {
		return nil, err
	}
	if err := s.describable("update metadata"); err != nil {
		return nil, err
	}
	if err := s.unlocked(c); err != nil {
		return nil, err
	}
	meta := clone(s.Metadata)
	if replace {
		clear(meta)
	}
	for _, key := range in.Keys() {
		meta[key] = in.Text(key)
	}
	if limit := n.quotas.Limit(s.Project, "metadata_items"); limit >= 0 && len(meta) > limit {
		return nil, forbidden("Maximum number of metadata items exceeds %d", limit)
	}
	s.Metadata = meta
	n.touch(s)
	return s, nil
}

func (n *Nova) writeMetadata(replace bool) handler {
	return func(c *call) (*oslo.Response, error) {
		body, err := c.read(wrapped("metadata", metadataSchema))
		if err != nil {
			return nil, err
		}
		s, err := n.setMetadata(c, body.Object("metadata"), replace)
		if err != nil {
			return nil, err
		}
		return oslo.OK(map[string]any{"metadata": s.Metadata}), nil
	}
}

func (n *Nova) showMetadataItem(c *call) (*oslo.Response, error) {
	s, err := n.find(c)
	if err != nil {
		return nil, err
	}
	v, ok := s.Metadata[c.PathValue("key")]
	if !ok {
		return nil, notFound("Metadata item was not found")
	}
	return oslo.OK(map[string]any{"meta": map[string]string{c.PathValue("key"): v}}), nil
}

func (n *Nova) writeMetadataItem(c *call) (*oslo.Response, error) {
	one := *metadataSchema
	one.MaxProps = 1
	body, err := c.read(wrapped("meta", &one))
	if err != nil {
		return nil, err
	}
	in := body.Object("meta")
	if !in.Has(c.PathValue("key")) {
		return nil, badRequest("Request body and URI mismatch")
	}
	if _, err := n.setMetadata(c, in, false); err != nil {
		return nil, err
	}
	return oslo.OK(map[string]any{"meta": pyjson.Plain(in)}), nil
}

func (n *Nova) deleteMetadataItem(c *call) (*oslo.Response, error) {
	s, err := n.find(c)
	if err != nil {
		return nil, err
	}
	if err := s.describable("delete metadata"); err != nil {
		return nil, err
	}
	if err := s.unlocked(c); err != nil {
		return nil, err
	}
	key := c.PathValue("key")
	if _, ok := s.Metadata[key]; !ok {
		return nil, notFound("Metadata item was not found")
	}
	s.Metadata = clone(s.Metadata)
	delete(s.Metadata, key)
	n.touch(s)
	return oslo.NoContent(), nil
}

func (n *Nova) addTags() {
	n.handle("GET /v2.1/servers/{id}/tags", 26, n.showTags)
	n.handle("PUT /v2.1/servers/{id}/tags", 26, n.replaceTags)
	n.handle("DELETE /v2.1/servers/{id}/tags", 26, n.deleteTags)
	n.handle("GET /v2.1/servers/{id}/tags/{tag}", 26, n.showTag)
	n.handle("PUT /v2.1/servers/{id}/tags/{tag}", 26, n.addTag)
	n.handle("DELETE /v2.1/servers/{id}/tags/{tag}", 26, n.deleteTag)
}

func (n *Nova) showTags(c *call) (*oslo.Response, error) {
	s, err := n.find(c)
	if err != nil {
		return nil, err
	}
	return oslo.OK(map[string]any{"tags": append([]string{}, s.Tags...)}), nil
}

// taggable finds a server whose state allows a request to write its tags.
func (n *Nova) taggable(c *call, what string) (*Server, error) {
	s, err := n.find(c)
	if err != nil {
		return nil, err
	}
	return s, s.describable(what)
}

// describable returns an error if the state of a server forbids writing
// metadata and tags.
func (s *Server) describable(what string) error {
	if !slices.Contains([]string{active, paused, suspended, stopped}, s.VMState) {
		return conflict("Cannot '%s' instance %s while it is in vm_state %s", what, s.ID, s.VMState)
	}
	return nil
}

func (n *Nova) replaceTags(c *call) (*oslo.Response, error) {
	body, err := c.read(wrapped("tags", tagsSchema))
	if err != nil {
		return nil, err
	}
	s, err := n.taggable(c, "update tags")
	if err != nil {
		return nil, err
	}
	tags := []string{}
	for _, v := range body.List("tags") {
		tags = append(tags, pyjson.Str(v))
	}
	slices.Sort(tags)
	s.Tags = slices.Compact(tags)
	n.touch(s)
	return oslo.OK(map[string]any{"tags": s.Tags}), nil
}

func (n *Nova) deleteTags(c *call) (*oslo.Response, error) {
	s, err := n.taggable(c, "delete tags")
	if err != nil {
		return nil, err
	}
	s.Tags = []string{}
	n.touch(s)
	return oslo.NoContent(), nil
}

func (n *Nova) showTag(c *call) (*oslo.Response, error) {
	s, err := n.find(c)
	if err != nil {
		return nil, err
	}
	if tag := c.PathValue("tag"); !slices.Contains(s.Tags, tag) {
		return nil, notFound("Server %s has no tag '%s'", s.ID, tag)
	}
	return oslo.NoContent(), nil
}

func (n *Nova) addTag(c *call) (*oslo.Response, error) {
	s, err := n.taggable(c, "update tag")
	if err != nil {
		return nil, err
	}
	tag := c.PathValue("tag")
	if f := tagSchema.Check(tag); f != nil {
		return nil, badRequest("Tag '%s' is invalid. It must be a non empty string without characters '/' and ','. Validation error message: %s", tag, f.Message)
	}
	if slices.Contains(s.Tags, tag) {
		return oslo.NoContent(), nil
	}
	if len(s.Tags) >= 50 {
		return nil, badRequest("The number of tags exceeded the per-server limit 50")
	}
	s.Tags = append(slices.Clone(s.Tags), tag)
	slices.Sort(s.Tags)
	n.touch(s)
	r := &oslo.Response{Status: http.StatusCreated}
	return r.With("Location", c.Base+"/v2.1/servers/"+s.ID+"/tags/"+tag), nil
}

func (n *Nova) deleteTag(c *call) (*oslo.Response, error) {
	s, err := n.taggable(c, "delete tag")
	if err != nil {
		return nil, err
	}
	at := slices.Index(s.Tags, c.PathValue("tag"))
	if at < 0 {
		return nil, notFound("Instance %s has no tag '%s'", s.ID, c.PathValue("tag"))
	}
	s.Tags = slices.Delete(slices.Clone(s.Tags), at, at+1)
	n.touch(s)
	return oslo.NoContent(), nil
}
