package glance

import (
	"net/http"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

func transition(i *Image, to string) error {
	return conflict("Image status transition from %s to %s is not allowed", i.Status, to)
}

func (g *Glance) upload(c *oslo.Call) (*oslo.Response, error) {
	i, err := g.writable(c, "upload_image")
	if _, seen := g.Visible(c.Caller, c.PathValue("id")); err != nil && seen {
		return nil, forbidden("Not allowed to upload image data for image %s", c.PathValue("id"))
	}
	if err != nil {
		return nil, err
	}
	switch {
	case c.Header.Get("Content-Type") != "application/octet-stream":
		return nil, oslo.Errorf(http.StatusUnsupportedMediaType, "HTTPUnsupportedMediaType", "The request media type %s is not supported by this server.", c.Header.Get("Content-Type"))
	case i.Status != "queued":
		return nil, transition(i, "saving")
	case i.DiskFormat == nil || i.ContainerFormat == nil:
		return nil, badRequest("Properties disk_format, container_format must be set prior to saving data.")
	}
	g.Store(i.ID, c.Body())
	return oslo.NoContent(), nil
}

func (g *Glance) download(c *oslo.Call) (*oslo.Response, error) {
	i, ok := g.Visible(c.Caller, c.PathValue("id"))
	switch {
	case !ok:
		return nil, missing(c.PathValue("id"))
	case i.Status == "deactivated" && !c.Caller.Admin():
		return nil, forbidden("The requested image has been deactivated. Image data download is forbidden.")
	case i.data == nil:
		return oslo.NoContent(), nil
	}
	return oslo.OK(i.data).With("Content-Type", "application/octet-stream").With("Content-MD5", i.checksum), nil
}

// stage is the first half of the import method glance-direct.
func (g *Glance) stage(c *oslo.Call) (*oslo.Response, error) {
	i, err := g.writable(c, "modify_image")
	if err != nil {
		return nil, err
	}
	if i.Status != "queued" {
		return nil, transition(i, "uploading")
	}
	size := len(c.Body())
	i.Status, i.staged, i.hasStage, i.size, i.Updated = "uploading", c.Body(), true, &size, g.cloud.Now()
	return oslo.NoContent(), nil
}

func (g *Glance) importImage(c *oslo.Call) (*oslo.Response, error) {
	var in struct {
		Method struct{ Name, URI string } `json:"method"`
	}
	if !c.Decode(&in) {
		return nil, badRequest("Malformed JSON in request body.")
	}
	i, err := g.writable(c, "import_image")
	if err != nil {
		return nil, err
	}
	switch method := in.Method.Name; {
	case method == "":
		return nil, badRequest("Import request requires a 'method' field.")
	case !slices.Contains([]string{"glance-direct", "web-download"}, method):
		return nil, badRequest("Unknown import method name '%s'.", method)
	case i.Status == "active":
		return nil, conflict("Image with status active cannot be target for import")
	case method == "glance-direct" && i.Status != "uploading":
		return nil, conflict("Image needs to be staged before 'glance-direct' method can be used")
	case i.ContainerFormat == nil:
		return nil, conflict("'container_format' needs to be set before import")
	case i.DiskFormat == nil:
		return nil, conflict("'disk_format' needs to be set before import")
	case method == "web-download" && i.Status != "queued":
		return nil, conflict("Image needs to be in 'queued' state to use 'web-download' method")
	case method == "web-download":
		return nil, badRequest("URI for web-download does not pass filtering: %s", in.Method.URI)
	}
	i.Status, i.Updated = "importing", g.cloud.Now()
	id := i.ID
	g.cloud.After(0, func() {
		if i, ok := g.images.Get(id); ok && i.Status == "importing" && i.hasStage {
			g.Store(id, i.staged)
			i.staged, i.hasStage = nil, false
		}
	})
	return oslo.Accepted(nil), nil
}

func (g *Glance) act(c *oslo.Call) (*oslo.Response, error) {
	action := c.PathValue("action")
	if action != "deactivate" && action != "reactivate" {
		return nil, oslo.Errorf(http.StatusNotFound, "HTTPNotFound", "The resource could not be found.")
	}
	i, err := g.writable(c, action)
	if err != nil {
		return nil, err
	}
	want, word := "active", "deactivated"
	if action == "reactivate" {
		want, word = word, want
	}
	if i.Status != want && i.Status != word {
		return nil, forbidden("Not allowed to %s image in status '%s'", action, i.Status)
	}
	i.Status, i.Updated = word, g.cloud.Now()
	return oslo.NoContent(), nil
}

// taggable finds an image whose tags the caller may write.
func (g *Glance) taggable(c *oslo.Call) (*Image, error) {
	i, err := g.writable(c, "modify_image")
	if _, seen := g.Visible(c.Caller, c.PathValue("id")); err != nil && seen {
		return nil, forbidden("Not allowed to update tags for image %s.", c.PathValue("id"))
	}
	return i, err
}

func (g *Glance) addTag(c *oslo.Call) (*oslo.Response, error) {
	i, err := g.taggable(c)
	if err != nil {
		return nil, err
	}
	if tag := c.PathValue("tag"); !slices.Contains(i.Tags, tag) {
		i.Tags, i.Updated = append(slices.Clone(i.Tags), tag), g.cloud.Now()
	}
	return oslo.NoContent(), nil
}

func (g *Glance) removeTag(c *oslo.Call) (*oslo.Response, error) {
	i, err := g.taggable(c)
	if err != nil {
		return nil, err
	}
	at := slices.Index(i.Tags, c.PathValue("tag"))
	if at < 0 {
		return nil, oslo.Errorf(http.StatusNotFound, "HTTPNotFound", "The resource could not be found.")
	}
	i.Tags, i.Updated = slices.Delete(slices.Clone(i.Tags), at, at+1), g.cloud.Now()
	return oslo.NoContent(), nil
}

// imageSchema mirrors the part of glance/api/v2/images.py: get_base_properties
// that clients read: the names, their types, and which ones are read-only.
func imageSchema() map[string]any {
	properties := map[string]any{}
	for _, spec := range strings.Fields("id:string name:string status:string! visibility:string protected:boolean os_hidden:boolean " +
		"checksum:string! os_hash_algo:string! os_hash_value:string! owner:string size:integer! virtual_size:integer! container_format:string disk_format:string " +
		"created_at:string! updated_at:string! tags:array direct_url:string! min_ram:integer min_disk:integer self:string! file:string! schema:string! " +
		"architecture:string kernel_id:string ramdisk_id:string instance_uuid:string os_distro:string os_version:string stores:string!") {
		name, kind, _ := strings.Cut(spec, ":")
		p := map[string]any{"type": strings.TrimSuffix(kind, "!")}
		if strings.HasSuffix(kind, "!") {
			p["readOnly"] = true
		}
		properties[name] = p
	}
	return map[string]any{"name": "image", "properties": properties, "additionalProperties": map[string]string{"type": "string"},
		"links": []any{map[string]string{"rel": "self", "href": "{self}"}, map[string]string{"rel": "enclosure", "href": "{file}"}, map[string]string{"rel": "describedby", "href": "{schema}"}}}
}
