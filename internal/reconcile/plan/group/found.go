package group

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Found has the objects of the cloud that package decide found for the desired objects. Each decision about an object adds what it found.
type Found struct {
	Live  map[*kind.Desired]*kind.Live
	Ready map[*kind.Desired]bool // the objects that can be used; every virtual object, because the cloud has none for it
	// GetsNewID are the objects that will get a new ID. No new object may depend on the present ID. Objects that refer to such an object by
	// a fixed reference are replaced, too.
	GetsNewID map[manifest.Key]bool
	DesiredOf map[*kind.Live]*kind.Desired  // the desired object of each live one
	Imports   map[*kind.Live][]manifest.Key // the manifests that import the object, even if another manifest manages it
}
