package group

import "github.com/stackreeve/stackreeve/internal/reconcile/plan/world"

// worldReader is the world, with read-only methods about groups.
type worldReader struct{ *world.World }
