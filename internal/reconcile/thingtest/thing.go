package thingtest

import (
	"reflect"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Spec is the spec of a Thing's manifest.
type Spec struct {
	Colour string   `json:"colour,omitempty"`
	Shape  string   `json:"shape,omitempty" rule:"immutable"`
	Weight string   `json:"weight,omitempty" rule:"immutable" ways:"trim=reboot|melt=rebuild" loss:"what is engraved on it" alias:"mass"`
	On     []string `json:"atop,omitempty" rule:"immutable" ref:"Thing"`
	Near   []string `json:"near,omitempty" ref:"Thing"`
	Beside []string `json:"beside,omitempty" ref:"Thing,late"`
}

// Filter finds a Thing.
type Filter struct {
	Name   string `json:"name,omitempty"`
	Colour string `json:"colour,omitempty"`
}

// FilterName returns the name that the filter asks for. Package decide reads it.
func (f *Filter) FilterName() string { return f.Name }

// Thing is one object in a world.
type Thing struct {
	ID, Name, Colour, Shape, Weight string
	On, Near, Beside                []string // IDs of other Things
	Mark                            *kind.Mark
	Mine                            bool
	Elsewhere                       string // the project of an object that is not Mine, whose mark nobody there can write.
	Building                        int    // number of lists until it is ready.
	Leaving                         int    // number of lists until it is gone; 0 if it stays.
	Failed, Used                    bool
	Created, Updated                time.Time
	Since                           time.Time // time when it was ready.
	Copied                          string
	Down                            string // a word for the reason why it does not serve.
	Restarts                        int
	Says                            string // message of the cloud, for a failed one
}

// Rules has the pure functions of the kind.
type Rules struct{}

// Name implements the rule [typed.Kind.Name].
func (Rules) Name(w typed.Want[Spec]) string { return w.Key.Name }

// Validate implements the rule [typed.Kind.Validate].
func (Rules) Validate(s *Spec, r *kind.Report) {
	if s.Shape == "spiky" {
		r.Problem("spec.resource.shape", "is spiky", "file it down")
	}
}

// Match implements the rule [typed.Kind.Match].
func (Rules) Match(w typed.Want[Filter], t *Thing) bool {
	return (w.Spec.Name == "" || w.Spec.Name == t.Name) && (w.Spec.Colour == "" || w.Spec.Colour == t.Colour)
}

// Status implements the rule [typed.Kind.Status].
func (Rules) Status(t *Thing) any { return map[string]string{"colour": t.Colour} }

// Diff implements the rule [typed.Kind.Diff].
func (Rules) Diff(w typed.Want[Spec], t *Thing, c *kind.Changes) {
	kind.Field(c, "spec.resource.colour", t.Colour, w.Spec.Colour)
	kind.Fixed(c, "spec.resource.shape", t.Shape, w.Spec.Shape)
	kind.Fixed(c, "spec.resource.weight", t.Weight, w.Spec.Weight)
	c.Offer("spec.resource.weight", weightWays(t))
	if ids, ok := idsOf(w, w.Spec.On); ok {
		kind.Set(c, "spec.resource.atop", t.On, ids, kind.Replace)
	}
	if ids, ok := nearby(w, t); ok {
		kind.Set(c, "spec.resource.near", t.Near, ids, kind.InPlace)
	} else {
		c.Add(kind.Change{Field: "spec.resource.near", Want: "known later"})
	}
	if ids, all := besides(w, t.ID); all {
		kind.Set(c, "spec.resource.beside", t.Beside, ids, kind.InPlace)
	} else {
		c.Add(kind.Change{Field: "spec.resource.beside", Want: "known later"})
	}
}

var allWays = func() []kind.Way {
	field, _ := reflect.TypeFor[Spec]().FieldByName("Weight")
	ways, _ := kind.WaysOf(field.Tag) // package manifest reads the tag, too, and reports its errors
	return ways
}()

// weightWays returns the ways to change the weight. A hollow thing cannot be trimmed.
func weightWays(t *Thing) []kind.Way {
	if t.Weight != "hollow" {
		return allWays
	}
	ways := slices.Clone(allWays)
	ways[0].Closed = "is not for what is hollow"
	return ways
}

// besides returns the IDs of the things that a thing must be beside. The argument own is the ID of the thing itself. besides returns false if some IDs are not
// known yet.
func besides(w typed.Want[Spec], own string) (ids []string, all bool) {
	all = true
	for _, name := range w.Spec.Beside {
		ref := w.Ref("Thing", name)
		switch {
		case ref.Key == w.Key:
			ids = append(ids, own)
		case ref.Ready:
			ids = append(ids, ref.ID)
		default:
			all = false
		}
	}
	return ids, all
}

// nearby returns the IDs of the things that a thing must be near. It adds the things that it is near now and that are substitutes for
// others.
func nearby(w typed.Want[Spec], t *Thing) (ids []string, ok bool) {
	ids, ok = idsOf(w, w.Spec.Near)
	for _, id := range t.Near {
		if w.StandsIn(id) && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, ok
}

func idsOf(w typed.Want[Spec], names []string) ([]string, bool) {
	ids := []string{}
	for _, name := range names {
		ref := w.Ref("Thing", name)
		switch {
		case ref.Spare:
		case ref.ID == "":
			return nil, false
		default:
			ids = append(ids, ref.ID)
		}
	}
	return ids, true
}
