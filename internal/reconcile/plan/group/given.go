package group

import "github.com/stackreeve/stackreeve/internal/reconcile/plan/world"

// given is the world as groups read it. Methods of it decide nothing, and write nothing.
type given struct{ *world.World }
