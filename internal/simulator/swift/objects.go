package swift

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// versions lists the objects with ?versions; all else of a listing is not known here.
// (swift/common/middleware/versioned_writes/object_versioning.py)
func (s *Swift) versions(c *oslo.Call) (*oslo.Response, error) {
	one, err := s.find(c)
	if err != nil {
		return nil, err
	}
	out := []any{}
	for _, v := range one.Versions {
		if c.Query().Has("versions") && v.id > c.Query().Get("marker") {
			out = append(out, map[string]any{"name": v.name, "version_id": v.id, "bytes": v.size, "is_latest": v.current})
		}
	}
	return oslo.OK(out), nil
}

func (s *Swift) putObject(c *oslo.Call) (*oslo.Response, error) {
	one, err := s.find(c)
	if err != nil {
		return nil, err
	}
	name, size := c.PathValue("object"), len(c.Body())
	// swift/common/middleware/container_quotas.py: what is overwritten is counted, too
	for quota, after := range map[string]int{"Quota-Count": len(one.Objects) + 1, "Quota-Bytes": one.bytes() + size} {
		if limit, err := strconv.Atoi(one.Headers[metaPrefix+quota]); err == nil && after > limit {
			return nil, oslo.Errorf(http.StatusRequestEntityTooLarge, "text", "Upload exceeds quota.")
		}
	}
	one.begin(name)
	one.Objects[name] = size
	one.keep(name, size, true)
	return oslo.Created(nil), nil
}

func (s *Swift) removeObject(c *oslo.Call) (*oslo.Response, error) {
	one, err := s.find(c)
	if err != nil {
		return nil, err
	}
	name := c.PathValue("object")
	if id := c.Query().Get("version-id"); id != "" {
		one.Versions = slices.DeleteFunc(one.Versions, func(v version) bool { return v.name == name && v.id == id })
		return oslo.NoContent(), nil
	}
	if _, ok := one.Objects[name]; !ok {
		one.keep(name, 0, false) // that it was deleted is a version, all the same
		return nil, errNotFound
	}
	one.begin(name)
	delete(one.Objects, name)
	one.keep(name, 0, false)
	return oslo.NoContent(), nil
}

// begin keeps what an object is before it is written for the first time since there are versions.
func (one *Container) begin(name string) {
	size, there := one.Objects[name]
	if there && !slices.ContainsFunc(one.Versions, func(v version) bool { return v.name == name }) {
		one.keep(name, size, false)
	}
}

// keep adds a version, of what was put or of a deletion, where the container has them.
func (one *Container) keep(name string, size int, current bool) {
	if one.Headers["X-Versions-Enabled"] != "True" {
		return
	}
	for i := range one.Versions {
		if one.Versions[i].name == name {
			one.Versions[i].current = false
		}
	}
	one.numbered++
	one.Versions = append(one.Versions, version{id: fmt.Sprintf("%010d.00000", one.numbered), name: name, size: size, current: current})
}
