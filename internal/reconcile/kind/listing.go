package kind

import "github.com/stackreeve/stackreeve/internal/manifest"

// Listing says what a driver must list. The zero value asks for what any stack needs.
type Listing struct {
	// Everything asks drivers to list also those parts of objects that no stack owns and that they leave out
	// otherwise.
	Everything bool
	// Managed is true when the stack manages objects of the kind. Then the driver must not leave out objects that
	// the credentials cannot see.
	Managed bool
	// Moment is that of the snapshot; nil for a list outside a snapshot.
	Moment *Moment
	// Hosts is for kinds whose objects run inside machines.
	Hosts Hosts
}

// Hosts tells a driver where to look for objects that run inside machines (see [Info.HostedOn]). It has the objects
// of the kind that manifests ask for, and what the cloud has of the kinds of those machines. The driver must not
// change it.
type Hosts struct {
	Stack string
	Want  []Desired
	Have  Snapshot
	// Data returns the content of a ConfigMap or Secret in the manifests, nil for others. It is set where Want is
	// set.
	Data func(manifest.Key) map[string]string
}

// Owned finds the objects of a kind that bear a mark with one owner, by the owner texts. The value is nil if several
// objects bear the same mark, since it is unknown which one is meant.
func (a Hosts) Owned(kindName string) map[string]*Live {
	owned := map[string]*Live{}
	items := a.Have[kindName].Items
	for i := range items {
		l := &items[i]
		if !l.InOwnProject || l.Mark == nil || l.Mark.Rivals != "" || l.Copied != "" {
			continue
		}
		if _, twice := owned[l.Mark.Owner]; twice {
			l = nil
		}
		owned[items[i].Mark.Owner] = l
	}
	return owned
}
