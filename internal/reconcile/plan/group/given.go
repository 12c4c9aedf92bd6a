package group

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
)

// given is the world as groups read it. Methods of it decide nothing, and write nothing.
type given struct{ *world.World }

// Found is what the desired objects are in the cloud.
type Found struct {
	Live  map[manifest.Key]*kind.Live
	Ready map[manifest.Key]bool
	// Doomed objects will get a new ID: nothing new may depend on the one they
	// have, and what depends on it by a fixed reference goes with it.
	Doomed    map[manifest.Key]bool
	StandsFor map[*kind.Live]*kind.Desired  // which desired object each is in the cloud
	Imports   map[*kind.Live][]manifest.Key // which manifests import it; others of the repository may make it
}
