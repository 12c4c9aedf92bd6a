package kind

import (
	"context"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Around is what a driver of a kind that is found inside machines (see [Info.Inside]) lists by: which
// objects of its kind manifests ask for, and what the cloud has of the kinds that say where the machines are.
// It is the caller's, and must not be changed.
type Around struct {
	Stack string
	Want  []Desired
	Have  Snapshot
	// Data is the content of a ConfigMap or Secret that manifests have; nil for others.
	Data func(manifest.Key) map[string]string
}

type around struct{}

// WithAround is for lists of kinds that are found inside machines.
func WithAround(ctx context.Context, a Around) context.Context {
	return context.WithValue(ctx, around{}, a)
}

// AroundOf is what a list goes by; nothing without [WithAround].
func AroundOf(ctx context.Context) Around {
	a, _ := ctx.Value(around{}).(Around)
	if a.Data == nil {
		a.Data = func(manifest.Key) map[string]string { return nil }
	}
	return a
}

// Owned finds the objects of a kind that bear marks of owners, each its own, by the owner texts. Of several with one
// mark it is not known which is meant: then there is nil.
func (a Around) Owned(kindName string) map[string]*Live[any] {
	owned := map[string]*Live[any]{}
	items := a.Have[kindName].Items
	for i := range items {
		l := &items[i]
		if !l.Mine || l.Mark == nil || l.Mark.Rivals != "" || l.Copied != "" {
			continue
		}
		if _, twice := owned[l.Mark.Owner]; twice {
			l = nil
		}
		owned[items[i].Mark.Owner] = l
	}
	return owned
}
