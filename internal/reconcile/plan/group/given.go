package group

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
)

// given is the world as groups read it. Its methods decide nothing and write nothing.
type given struct{ *world.World }

// Found says what the planner found in the cloud for the desired objects.
type Found struct {
	Live  map[manifest.Key]*kind.Live
	Ready map[manifest.Key]bool
	// Doomed objects will get a new ID. Nothing new may depend on the present one, and objects that refer to them by a fixed reference are replaced
	// with them.
	Doomed    map[manifest.Key]bool
	StandsFor map[*kind.Live]*kind.Desired  // the desired object that each one is
	Imports   map[*kind.Live][]manifest.Key // the manifests that import it, even if the repository also makes it
}
