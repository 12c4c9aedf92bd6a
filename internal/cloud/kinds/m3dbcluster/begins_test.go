package m3dbcluster_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// If machines cannot start M3DB, they report why, and so do their instances. The placement begins
// as soon as the machines can start it.
func TestMachinesSayWhyTheyCannotBegin(t *testing.T) {
	testcost.Long(t) // The agent creates a whole cluster.
	const why = "https://mirror.example.org/1.5.0/m3dbnode cannot be downloaded: HTTP Error 404: Not Found"
	w := newWorld(t)
	w.Fail(why)
	manifests := published(t, 1)
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Second)
	defer stop()
	w.Engine(w.client).Sync(ctx, engine.Revision{Commit: "test", Want: w.Resolve(manifests)})
	said := 0
	for _, s := range w.Plan(manifests).Steps {
		if s.Key.Kind == "M3DBInstance" && strings.Contains(s.ShortCause(), why) {
			said++
		}
	}
	if said != 3 || w.Inits() > 0 {
		t.Errorf("%d instances say why; %d placements have begun", said, w.Inits())
	}
	w.Fail("")
	w.MustSync(manifests)
	if w.Inits() != 1 {
		t.Errorf("%d placements have begun", w.Inits())
	}
}
