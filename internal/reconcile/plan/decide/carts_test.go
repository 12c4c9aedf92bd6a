package decide

import (
	"fmt"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// carts are three workload kinds. A Cart expands into a Thing and into another Thing that it depends on, its wheel. A Train is a group of
// Carts. A Row is a group of Things.
func carts() []*kind.Kind {
	return []*kind.Kind{
		typed.Workload[cartSpec]{Info: kind.Info{Group: "test", Version: "v1", Kind: "Cart", Parts: []string{"Thing"}}, Validate: func(*cartSpec, *kind.Report) {}, Expand: expandCart}.Kind(),
		typed.Workload[trainSpec]{Info: kind.Info{Group: "test", Version: "v1", Kind: "Train", Parts: []string{"Cart"}}, Group: kind.Group{Members: "Cart"}, Validate: func(*trainSpec, *kind.Report) {}, Expand: expandTrain}.Kind(),
		typed.Workload[rowSpec]{Info: kind.Info{Group: "test", Version: "v1", Kind: "Row", Parts: []string{"Thing"}}, Group: kind.Group{Members: "Thing"}, Validate: func(*rowSpec, *kind.Report) {}, Expand: expandRow}.Kind(),
	}
}

type cartSpec struct {
	Colour string `json:"colour,omitempty"`
	Shape  string `json:"shape,omitempty"`
	Wheel  string `json:"wheel,omitempty"` // the shape of its wheel
	Tag    bool   `json:"tag,omitempty"`   // whether a third Thing refers to the wheel with near
}

type trainSpec struct {
	Carts int      `json:"carts"`
	From  int      `json:"from"` // the first member that is changed
	Most  int      `json:"most"` // the largest size, if somebody else decides the size
	Heal  bool     `json:"heal"` // whether members that are down are healed
	Drain bool     `json:"drain"`
	Cart  cartSpec `json:"cart"`
}

type rowSpec struct {
	Count int `json:"count"`
	Most  int `json:"most"`
}

func expandCart(s *cartSpec, e *kind.Expansion) {
	wheel := e.Key.Name + "-wheel"
	e.Child("Thing", wheel, thing(thingtest.Spec{Shape: s.Wheel}))
	e.Child("Thing", e.Key.Name, thing(thingtest.Spec{Colour: s.Colour, Shape: s.Shape, On: []string{wheel}}))
	if s.Tag {
		e.Child("Thing", e.Key.Name+"-tag", thing(thingtest.Spec{Near: []string{wheel}}))
	}
}

func thing(resource thingtest.Spec) any {
	return map[string]any{"spec": map[string]any{"resource": resource}}
}

func expandTrain(s *trainSpec, e *kind.Expansion) {
	strategy := rollout.Strategy{MaxUnavailable: &rollout.Amount{Count: 1}, MaxSurge: &rollout.Amount{}, Partition: s.From, From: s.From}
	if s.Heal {
		strategy.Heal = rollout.Heal{Down: map[string]rollout.Cure{"stopped": thingtest.Restart, "stuck": "kick", "failed": rollout.Replace}, PerHour: 3, MaxSick: rollout.Amount{Percent: 100, Share: true}}
	}
	if s.Drain {
		strategy.Drain = time.Minute
	}
	e.SetRollout(strategy, nil)
	scaled(e, "Cart", s.Carts, s.Most, map[string]any{"spec": s.Cart})
}

func expandRow(s *rowSpec, e *kind.Expansion) {
	e.SetRollout(rollout.Strategy{MaxUnavailable: &rollout.Amount{Count: 1}, MaxSurge: &rollout.Amount{}}, nil)
	scaled(e, "Thing", s.Count, s.Most, thing(thingtest.Spec{}))
}

// scaled adds the members that always exist, and the scaled members up to the largest size.
func scaled(e *kind.Expansion, of string, least, most int, body any) {
	name := func(i int) string { return fmt.Sprintf("%s-%d", e.Key.Name, i) }
	only := func(int) int { return 0 }
	e.Varied(of, least, name, []any{body}, only, kind.Always)
	e.Varied(of, most-least, func(i int) string { return name(least + i) }, []any{body}, only, kind.Scaled)
}

// cart returns the manifest of a Cart whose parts adopt objects by their names.
func cart(name string) string {
	return "kind: Cart\napiVersion: test/v1\nmetadata: {name: " + name + ", annotations: {stackreeve.dev/adopt: \"true\"}}\nspec: {}"
}

// train returns the manifest of a Train with the name t. row returns the manifest of a Row with the name r.
func train(spec string) string {
	return "kind: Train\napiVersion: test/v1\nmetadata: {name: t}\nspec: {" + spec + "}"
}

func row(spec string) string {
	return "kind: Row\napiVersion: test/v1\nmetadata: {name: r}\nspec: {" + spec + "}"
}
