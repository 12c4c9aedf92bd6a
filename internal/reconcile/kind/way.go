package kind

import (
	"reflect"
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Way is a way in which a change that would replace the object can be carried out
// instead, when the object's annotation asks for it.
type Way struct {
	Name       string     // "resize"
	Disruption Disruption // what it does to users of the object
	Loss       string     // what is lost, to be read after "loses"; "" for nothing
	// Closed says why the object cannot be changed in this way as it is now, to be read
	// after its name; "" where it can.
	Closed string
}

// WaysOf reads the ways of a field's declaration: the tag ways, and what those that
// wipe a disk lose, in the tag loss.
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

// Offer says in which ways the changes of a field can be carried out that would
// replace the object.
func (c *Changes) Offer(field string, ways []Way) {
	for i := range c.list {
		if change := &c.list[i]; change.Field == field && change.Disruption == Replace {
			change.Ways = ways
		}
	}
}

// Way is how the annotation has changes of a field carried out: the name of a way,
// [manifest.WayReplace], [manifest.WayNext], [manifest.WayIgnore], or "" where it does not say.
func (o Options) Way(field string) string {
	for path, way := range o.Ways {
		if Within(field, path) {
			return way
		}
	}
	return ""
}

// Way is that of the object's annotation for a field; see [Options.Way].
func (w Want) Way(field string) string {
	if w.options == nil {
		return ""
	}
	return w.options.Way(field)
}

// Chosen is a change as the object's annotation has it carried out. Where it asks for
// a way that is not open, refusal says why; the change would replace the object then.
func (o Options) Chosen(c Change) (chosen Change, refusal string) {
	name := o.Way(c.Field)
	if c.Disruption != Replace || name == "" || name == manifest.WayIgnore || name == manifest.WayNext {
		return c, ""
	}
	if name == manifest.WayReplace {
		c.Way = name
		return c, ""
	}
	if by, ok := c.By(name); ok {
		return by, ""
	}
	if i := slices.IndexFunc(c.Ways, func(w Way) bool { return w.Name == name }); i >= 0 {
		return c, name + " " + c.Ways[i].Closed
	}
	return c, name + " is no way to change it here"
}

// By is the change carried out in a way; ok is false where it has no such one that is open.
func (c Change) By(name string) (by Change, ok bool) {
	i := slices.IndexFunc(c.Ways, func(w Way) bool { return w.Name == name && w.Closed == "" })
	if i < 0 {
		return c, false
	}
	c.Way, c.Disruption, c.Loss = name, c.Ways[i].Disruption, c.Ways[i].Loss
	return c, true
}

// Open are the names of the ways in which the change can be carried out.
func (c Change) Open() (names []string) {
	for _, w := range c.Ways {
		if w.Closed == "" {
			names = append(names, w.Name)
		}
	}
	return names
}
