package swift

import (
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

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
		one.keep(name, 0, false) // a deletion adds a version even if there is no object
		return nil, errNotFound
	}
	one.begin(name)
	delete(one.Objects, name)
	one.keep(name, 0, false)
	return oslo.NoContent(), nil
}

// begin stores the present object as a version. It does so before the first write after versions were enabled.
func (one *Container) begin(name string) {
	o, there := one.Objects[name]
	if there && !slices.ContainsFunc(one.Versions, func(v version) bool { return v.name == name }) {
		one.keep(name, len(o.Data), false)
	}
}

// keep adds a version for an object that is written or deleted, if the container has versions enabled.
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
