package define

import (
	"fmt"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// ImportKind is a kind of which objects can be found but not made: an administrator or
// another tool makes them. Its Spec is known so that a manifest that asks for one is
// refused with the right words.
type ImportKind[Spec, Filter, More any] struct {
	Info       kind.Info
	Collection Collection
	// Making is what such a manifest asks for, "a flavor to be made", and Instead what
	// people do: "let an administrator make it".
	Making, Instead string
	Match           func(*Filter, *PlainState[Spec, More]) bool
	Observe         func(*PlainState[Spec, More], *kind.Live[*PlainState[Spec, More]])
}

// Import makes the kind over c, which may be nil where only rules are needed.
func Import[Spec, Filter, More any](c *cloud.Client, i ImportKind[Spec, Filter, More]) kind.Kind {
	i.Info.ImportOnly = true
	return Plain(c, PlainKind[Spec, Filter, More]{
		Info: i.Info, Collection: i.Collection, Match: i.Match,
		Validate: func(_ *Spec, r *kind.Report) {
			r.Problem("spec.resource", "asks for "+i.Making+", which is not supported",
				i.Instead+", and set managementPolicy: unmanaged with spec.import.filter.name")
		},
		Observe: func(s *PlainState[Spec, More], live *kind.Live[*PlainState[Spec, More]]) {
			live.Facts = kind.Facts{Name: s.Name}
			if i.Observe != nil {
				i.Observe(s, live)
			}
		},
	})
}

// errImportOnly is what drivers of kinds answer that can only be imported. Such
// a kind refuses managed manifests when they are read, so people never see it.
var errImportOnly = fmt.Errorf("%w: objects of this kind can only be imported", kind.ErrRejected)
