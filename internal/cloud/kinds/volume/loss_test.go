package volume_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
)

// A commit that deletes one volume of eleven objects is held, unless the stack, or the manifest that was applied, allows loss of
// data.
func TestALostVolumeIsHeld(t *testing.T) {
	const volume = "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Volume\nmetadata: {name: data}\nspec: {resource: {size: 1}}"
	var others []string
	for i := range 10 {
		others = append(others, fmt.Sprintf("apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: net-%d}\nspec: {resource: {}}", i))
	}
	rest := strings.Join(others, "\n---\n")
	limit, err := guard.ParseLimit("30%")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		volume  string
		allowed bool
		held    bool
	}{
		"nothing said":       {volume, false, true},
		"the stack allows":   {volume, true, false},
		"the manifest did":   {strings.Replace(volume, "{name: data}", "{name: data, annotations: {stackreeve.dev/data-loss: allow}}", 1), false, false},
		"the manifest knows": {strings.Replace(volume, "{name: data}", "{name: data, annotations: {stackreeve.dev/data-loss: refuse}}", 1), false, true},
	} {
		t.Run(name, func(t *testing.T) {
			g := kindtest.NewTarget(t, all.Kinds)
			g.Only(volume, rest)
			g.MustSync(tt.volume + "\n---\n" + rest)
			e := g.Engine(g.Client(nil))
			e.Limits = guard.Limits{All: limit, DataLoss: tt.allowed}
			pass := e.Sync(t.Context(), engine.Revision{Commit: "test", Want: g.Resolve(rest)})
			if (pass.Last.Held != nil) != tt.held || (len(pass.Results) == 0) != tt.held {
				t.Errorf("%d done, held %q", len(pass.Results), pass.Last.Held)
			}
		})
	}
}
