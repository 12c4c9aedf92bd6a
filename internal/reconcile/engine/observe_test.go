package engine

import (
	"context"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// What nothing can be owned of costs no request until a manifest asks for it.
func TestObserveLeavesOutWhatNobodyAsksFor(t *testing.T) {
	w := thingtest.New()
	want, err := w.Wanted("a")
	if err != nil {
		t.Fatal(err)
	}
	e := engineOf(w)
	for i, k := range e.Kinds {
		if k.Info().Kind == "Thing" {
			info := k.Info()
			info.ImportOnly = true
			e.Kinds[i] = kind.Define[thingtest.Spec, thingtest.Filter, thingtest.Thing](info, thingtest.Rules{}, w)
		}
	}
	if _, listed := e.Observe(context.Background(), nil)["Thing"]; listed {
		t.Error("listed though nobody asks for one")
	}
	if _, listed := e.Observe(context.Background(), want)["Thing"]; !listed {
		t.Error("not listed though a manifest asks for one")
	}
}
