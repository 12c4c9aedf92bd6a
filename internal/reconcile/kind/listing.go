package kind

import "github.com/stackreeve/stackreeve/internal/manifest"

// Listing says what a driver is asked to list. The zero value asks for what any stack needs.
type Listing struct {
	// Everything asks drivers that leave out parts of objects which no stack owns to list them, too.
	Everything bool
	// Managed is true when the stack manages objects of the kind: then none may be left out that the
	// credentials cannot see.
	Managed bool
	// Moment is that of the snapshot; nil for a list by itself.
	Moment *Moment
	// Hosts is for kinds that are found inside machines.
	Hosts Hosts
}

// Hosts is what a driver of a kind that is found inside machines (see [Info.HostedOn]) lists by: which
// objects of its kind manifests ask for, and what the cloud has of the kinds that say where the machines are.
// It is the caller's, and must not be changed.
type Hosts struct {
	Stack string
	Want  []Desired
	Have  Snapshot
	// Data is the content of a ConfigMap or Secret that manifests have, nil for others. It is set where Want is.
	Data func(manifest.Key) map[string]string
}

// Owned finds the objects of a kind that bear marks of owners, each its own, by the owner texts. Of several with one
// mark it is not known which is meant: then there is nil.
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
