package kind

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Listing says what a driver must list. The zero value asks for the objects that every stack needs.
type Listing struct {
	// Everything asks drivers to list everything. Otherwise they leave out some parts of objects that no stack owns.
	Everything bool
	// Managed is true if the stack manages objects of the kind. If the credentials cannot list all objects, the
	// driver must then return an error instead of an incomplete list.
	Managed bool
	// Joined are the collections that [Kind.Joins] returns for the stack's manifests, once each.
	Joined []string
	// Shared has the [SharedResults] of the snapshot; nil for a list outside a snapshot.
	Shared *SharedResults
	// Waiting is set if the list has no other purpose than to notice the end of the cloud's work. Then a driver may return
	// [ErrStillPending] instead of a list.
	Waiting Waiting
	// Hosts is set for kinds whose objects run inside machines.
	Hosts Hosts
}

// Joins reports whether a driver must read a collection that it reads only if manifests need it (see [Kind.Joins]).
func (l Listing) Joins(collection string) bool {
	return l.Everything || slices.Contains(l.Joined, collection)
}

// Hosts tells a driver in which machines it has to look for objects (see [Info.HostedOn]). Want are the desired
// objects of the driver's kind. Have has the listed objects of the kinds of the machines. The driver must not change
// it.
type Hosts struct {
	Stack string
	Want  []Desired
	Have  Snapshot
	// Data returns the content of a ConfigMap or Secret in the manifests, nil for others. It is set whenever Want is
	// set.
	Data func(manifest.Key) map[string]string
}

// Owned returns the objects of a kind that have a mark with exactly one owner, by their owner texts. The value is
// nil if several objects have the same mark, since it is unknown which of them is the stack's.
func (a Hosts) Owned(kindName string) map[string]*Live {
	owned := map[string]*Live{}
	items := a.Have[kindName].Items
	for _, l := range items {
		if !l.InOwnProject || l.Mark == nil || l.Mark.Rivals != "" || l.Copied != "" {
			continue
		}
		owner := l.Mark.Owner
		if _, twice := owned[owner]; twice {
			l = nil
		}
		owned[owner] = l
	}
	return owned
}
