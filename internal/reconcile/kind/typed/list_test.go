package typed

import (
	"context"
	"runtime"
	"testing"
	"weak"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// An object of a list stays in memory without the rest of the list, because plans that are kept refer to their objects.
func TestAnObjectDoesNotKeepItsList(t *testing.T) {
	var list weak.Pointer[Live[string]]
	k := Kind[gateSpec, struct{}, string]{List: func(context.Context, kind.Listing) ([]Live[string], error) {
		state := "open"
		items := []Live[string]{{Live: kind.Live{ID: "a"}, State: &state}, {Live: kind.Live{ID: "b"}, State: &state}}
		list = weak.Make(&items[0])
		return items, nil
	}}
	index, err := k.driver().List(t.Context(), kind.Listing{})
	if err != nil {
		t.Fatal(err)
	}
	kept := index.First("b")
	index = nil
	runtime.GC()
	if list.Value() != nil {
		t.Error("the whole list is in memory")
	}
	if state, _ := kept.State.(*string); state == nil || *state != "open" {
		t.Errorf("its state is %v", kept.State)
	}
}
