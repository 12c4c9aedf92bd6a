package decide

import (
	"fmt"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// carts are two kinds of workloads: a Cart is a Thing that stands on another one, its wheel, and a Train is a group of Carts.
func carts() []*kind.Kind {
	return []*kind.Kind{
		typed.Workload[cartSpec]{Info: kind.Info{Group: "test", Version: "v1", Kind: "Cart", Parts: []string{"Thing"}}, Validate: func(*cartSpec, *kind.Report) {}, Expand: expandCart}.Kind(),
		typed.Workload[trainSpec]{Info: kind.Info{Group: "test", Version: "v1", Kind: "Train", Parts: []string{"Cart"}}, Group: kind.Group{Members: "Cart"}, Validate: func(*trainSpec, *kind.Report) {}, Expand: expandTrain}.Kind(),
	}
}

type cartSpec struct {
	Colour string `json:"colour,omitempty"`
	Shape  string `json:"shape,omitempty"`
	Wheel  string `json:"wheel,omitempty"` // the shape of its wheel
}

type trainSpec struct {
	Carts int      `json:"carts"`
	From  int      `json:"from"` // the first one that is changed
	Cart  cartSpec `json:"cart"`
}

func expandCart(s *cartSpec, e *kind.Expansion) {
	wheel := e.Key.Name + "-wheel"
	e.Child("Thing", wheel, thing(thingtest.Spec{Shape: s.Wheel}))
	e.Child("Thing", e.Key.Name, thing(thingtest.Spec{Colour: s.Colour, Shape: s.Shape, On: []string{wheel}}))
}

func thing(resource thingtest.Spec) any {
	return map[string]any{"spec": map[string]any{"resource": resource}}
}

func expandTrain(s *trainSpec, e *kind.Expansion) {
	e.Roll(rollout.Strategy{MaxUnavailable: &rollout.Amount{Count: 1}, MaxSurge: &rollout.Amount{}, Partition: s.From, From: s.From}, nil)
	for i := range s.Carts {
		e.Child("Cart", fmt.Sprintf("%s-%d", e.Key.Name, i), map[string]any{"spec": s.Cart})
	}
}

// cart is a manifest of a Cart that adopts what bears its names.
func cart(name string) string {
	return "kind: Cart\napiVersion: test/v1\nmetadata: {name: " + name + ", annotations: {stackreeve.dev/adopt: \"true\"}}\nspec: {}"
}

// train is a manifest of a Train.
func train(name, spec string) string {
	return "kind: Train\napiVersion: test/v1\nmetadata: {name: " + name + "}\nspec: {" + spec + "}"
}
