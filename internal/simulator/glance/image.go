package glance

import (
	"crypto/md5"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// Image is an image and its contents.
type Image struct {
	ID              string
	Name            *string
	DiskFormat      *string
	ContainerFormat *string
	Visibility      string // public, private, shared, community
	Status          string // queued, saving, uploading, importing, active, deactivated
	Protected       bool
	Hidden          bool
	MinRAM          int
	MinDisk         int
	Owner           string
	Tags            []string
	Properties      map[string]string
	Created         time.Time
	Updated         time.Time

	checksum, hash string
	size           *int
	data           []byte
	staged         []byte
	hasStage       bool
	members        []*member
	seq            int
}

// Size is the length of the contents in bytes, or zero if there are no contents.
func (i *Image) Size() int {
	if i.size == nil {
		return 0
	}
	return *i.size
}

// Checksum is the MD5 of the contents.
func (i *Image) Checksum() string { return i.checksum }

// Spec are the attributes of a new image.
type Spec struct {
	ID, Name, DiskFormat, ContainerFormat, Visibility string
	MinDisk, MinRAM                                   int
	Tags                                              []string
	Properties                                        map[string]string
}

// Create makes an image for a project. Nova, Cinder and the base data use it. Without data, the image stays
// queued.
func (g *Glance) Create(project string, s Spec, data []byte) *Image {
	i := g.newImage(project)
	if s.ID != "" {
		i.ID = s.ID
	}
	i.Name, i.DiskFormat, i.ContainerFormat = &s.Name, orNil(s.DiskFormat), orNil(s.ContainerFormat)
	if s.Visibility != "" {
		i.Visibility = s.Visibility
	}
	i.MinDisk, i.MinRAM, i.Tags = s.MinDisk, s.MinRAM, append([]string{}, s.Tags...)
	maps.Copy(i.Properties, s.Properties)
	g.images.Add(i)
	if data != nil {
		g.Store(i.ID, data)
	}
	return i
}

func (g *Glance) newImage(project string) *Image {
	now := g.cloud.Now()
	return &Image{ID: g.cloud.UUID(), Visibility: "shared", Status: "queued", Owner: project, Tags: []string{}, Properties: map[string]string{},
		Created: now, Updated: now, seq: g.images.Len()}
}

func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Store sets the contents of an image and makes it active.
func (g *Glance) Store(id string, data []byte) {
	i, ok := g.images.Get(id)
	if !ok {
		return
	}
	sum, hash, n := md5.Sum(data), sha512.Sum512(data), len(data)
	i.data, i.size, i.checksum, i.hash = data, &n, hex.EncodeToString(sum[:]), hex.EncodeToString(hash[:])
	i.Status, i.Updated = "active", g.cloud.Now()
}

// Visible finds an image that a caller may see (db/sqlalchemy/api.py:
// is_image_visible).
func (g *Glance) Visible(c *oslo.Caller, id string) (*Image, bool) {
	i, ok := g.images.Get(id)
	if !ok || !sees(c, i) {
		return nil, false
	}
	return i, true
}

func sees(c *oslo.Caller, i *Image) bool {
	switch {
	case c.Admin(), i.Owner == c.ProjectID, i.Visibility == "public", i.Visibility == "community":
		return true
	case i.Visibility == "shared":
		return slices.ContainsFunc(i.members, func(m *member) bool { return m.Member == c.ProjectID })
	}
	return false
}

// Delete removes an image without checks.
func (g *Glance) Delete(id string) { g.images.Remove(id) }

// view returns an image with the order and content of glance/api/v2/images.py: ResponseSerializer.
func (i *Image) view() json.RawMessage {
	names := slices.Sorted(maps.Keys(i.Properties))
	var out []byte
	add := func(name string, v any) {
		key, _ := json.Marshal(name)
		value, err := json.Marshal(v)
		if err != nil {
			value = []byte("null")
		}
		out = append(append(append(append(out, ','), key...), ':'), value...)
	}
	for _, name := range names {
		add(name, i.Properties[name])
	}
	add("name", i.Name)
	add("disk_format", i.DiskFormat)
	add("container_format", i.ContainerFormat)
	add("visibility", i.Visibility)
	add("size", i.size)
	if i.Status == "uploading" || i.Status == "importing" {
		add("virtual_size", nil)
	} else {
		add("virtual_size", i.size)
	}
	add("status", i.Status)
	add("checksum", orNil(i.checksum))
	add("protected", i.Protected)
	add("min_ram", i.MinRAM)
	add("min_disk", i.MinDisk)
	add("owner", i.Owner)
	add("os_hidden", i.Hidden)
	if i.hash == "" {
		add("os_hash_algo", nil)
	} else {
		add("os_hash_algo", "sha512")
	}
	add("os_hash_value", orNil(i.hash))
	add("id", i.ID)
	add("created_at", oslo.Stamp(i.Created))
	add("updated_at", oslo.Stamp(i.Updated))
	add("tags", i.Tags)
	self := "/v2/images/" + i.ID
	add("self", self)
	add("file", self+"/file")
	add("schema", "/v2/schemas/image")
	if i.data != nil {
		add("stores", "file")
	}
	out[0] = '{'
	return append(out, '}')
}

func (g *Glance) show(c *oslo.Call) (*oslo.Response, error) {
	i, ok := g.Visible(c.Caller, c.PathValue("id"))
	if !ok {
		return nil, missing(c.PathValue("id"))
	}
	return oslo.OK(i.view()), nil
}

func (g *Glance) remove(c *oslo.Call) (*oslo.Response, error) {
	id := c.PathValue("id")
	i, ok := g.Visible(c.Caller, id)
	switch {
	case !ok:
		return nil, oslo.Errorf(http.StatusNotFound, "ImageNotFound", "Failed to find image %s to delete", id)
	case !c.Caller.Admin() && i.Owner != c.Caller.ProjectID:
		return nil, forbidden("You do not own this image")
	case i.Protected:
		return nil, forbidden("Image %s is protected and cannot be deleted.", id)
	}
	g.images.Remove(id)
	return oslo.NoContent(), nil
}
