package kind

import (
	"reflect"
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Way is a way to carry out a change without replacing the object, when the object's annotation
// asks for it.
type Way struct {
	Name       string     // "resize"
	Disruption Disruption // the effect on users of the object
	Loss       string     // the data that is lost, in words that messages put after "loses"; "" if there is none
	// Closed says why the object cannot be changed in this way in its present state; messages put
	// it after the name. It is "" if the object can be changed.
	Closed string
}

// WaysOf reads the ways from the tags of a field. The tag `ways:"…"` lists them. The tag `loss:"…"`
// names the data that are lost in a way that wipes a disk.
func WaysOf(tag reflect.StructTag) ([]Way, error) {
	declared, err := manifest.ParseWays(tag.Get("ways"))
	if err != nil {
		return nil, err
	}
	var ways []Way
	for _, d := range declared {
		w := Way{Name: d.Name, Disruption: Disruption(slices.Index(manifest.WayCosts(), d.Cost))}
		if w.Disruption >= Rebuild {
			w.Loss = tag.Get("loss")
		}
		ways = append(ways, w)
	}
	return ways, nil
}

// Offer sets the ways for those changes of a field that would replace the object.
func (c *Changes) Offer(field string, ways []Way) {
	for i := range c.list {
		if change := &c.list[i]; change.Field == field && change.Disruption == Replace {
			change.Ways = ways
		}
	}
}

// Way returns the choice of the annotation for changes of a field: the name of a way,
// [manifest.WayReplace], [manifest.WayNext] or [manifest.WayIgnore]. It is "" if the annotation
// does not mention the field.
func (o Options) Way(field string) string {
	for path, way := range o.Ways {
		if Within(field, path) {
			return way
		}
	}
	return ""
}

// Way is the choice of the object's annotation for a field; see [Options.Way].
func (w Want) Way(field string) string {
	if w.options == nil {
		return ""
	}
	return w.options.Way(field)
}

// Chosen returns the change carried out in the way that the object's annotation chooses. If that
// way is not open, refusal says why, and chosen still replaces the object.
func (o Options) Chosen(c Change) (chosen Change, refusal string) {
	name := o.Way(c.Field)
	if c.Disruption != Replace || name == "" || name == manifest.WayIgnore || name == manifest.WayNext {
		return c, ""
	}
	if name == manifest.WayReplace {
		c.Way = name
		return c, ""
	}
	if by, ok := c.InWay(name); ok {
		return by, ""
	}
	if i := slices.IndexFunc(c.Ways, func(w Way) bool { return w.Name == name }); i >= 0 {
		return c, name + " " + c.Ways[i].Closed
	}
	return c, name + " is not possible for this field"
}

// InWay returns the change carried out in the way of that name. ok is false if the change has no such
// open way.
func (c Change) InWay(name string) (by Change, ok bool) {
	i := slices.IndexFunc(c.Ways, func(w Way) bool { return w.Name == name && w.Closed == "" })
	if i < 0 {
		return c, false
	}
	c.Way, c.Disruption, c.Loss = name, c.Ways[i].Disruption, c.Ways[i].Loss
	return c, true
}

// OpenWays returns the names of the ways in which the change can be carried out.
func (c Change) OpenWays() (names []string) {
	for _, w := range c.Ways {
		if w.Closed == "" {
			names = append(names, w.Name)
		}
	}
	return names
}
