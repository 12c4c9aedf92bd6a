package kind

// Unknown is what [Change.Have] holds of a field that the cloud does not show and of which
// nothing was written down yet: carrying such a change out in place writes it down.
const Unknown = "unknown"

// Export is what a kind says about a live object that is to be written as a manifest.
type Export struct {
	// Name is the metadata.name that the manifest will have.
	Name string
	// LeftOut says why no manifest is written for the object, which comes with another one:
	// "belongs to a router". What refers to it names it by an import.
	LeftOut string
	// Chosen is true for an object that was asked for by itself: it is written also where it could
	// be taken for a part of another one.
	Chosen bool
	// ImportOnly says why the object can be used and not adopted; "" where it can.
	ImportOnly string
	// Renames are fields whose change does no more than give other names to parts of the
	// object: adoption may change them.
	Renames []string
	// Ref is the name of the manifest for the object of a kind with that ID, for fields
	// that name others without a ref tag. ok is false where the cloud does not show it.
	Ref func(kind, id string) (name string, ok bool)
	// Adopts reports whether the object of a kind that comes before this one, with that ID, is
	// to be adopted, too.
	Adopts func(kind, id string) bool
	// Lost are fields whose value the manifest cannot hold, such as secrets.
	Lost []Note
	// Without reports whether the element of a list with that ID is left to the cloud; nil for none.
	Without func(list, id string) bool
	// Left are elements of lists that the kind leaves to the cloud, and why: Field is the path of one.
	Left []Note
	// IDs are those of the elements that the spec has, by the path of their list, as far as the kind says them.
	IDs map[string][]string
}

// Element records the ID of the cloud's object that the next element of a list of the spec stands for. It returns false
// if that object is left to the cloud: the spec must not have the element then.
func (e *Export) Element(list, id string) bool {
	if e.Without != nil && e.Without(list, id) {
		return false
	}
	if e.IDs == nil {
		e.IDs = map[string][]string{}
	}
	e.IDs[list] = append(e.IDs[list], id)
	return true
}

// Leave records that the object with that ID is left to the cloud, since no element of the list can describe it; what says why.
func (e *Export) Leave(list, id, what string) {
	e.Left = append(e.Left, Note{ElementPath(list, id), what})
}

// Lose records that a field is left out, and why.
func (e *Export) Lose(field, why string) { e.Lost = append(e.Lost, Note{field, why}) }

// Called is what an exported object is: its kind, and the name of its manifest.
type Called struct{ Kind, Name string }

// Exported is an object that is written as a manifest to be adopted. Spec is its spec as JSON has it,
// with the names of other objects.
type Exported struct {
	Called
	Spec map[string]any
}

// Gathered is one manifest in place of several: Spec is that of a workload's body, and
// Parts are the objects that it stands for, all there are.
type Gathered struct {
	Name   string
	Spec   any
	Parts  []Called
	Ignore []string // fields of the parts that are left to the cloud
	Lost   []Note   // what the parts' own manifests say and this one does not
}
