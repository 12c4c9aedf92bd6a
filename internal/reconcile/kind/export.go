package kind

// Unknown is the value of [Change.Have] for a field that the cloud does not show, and whose value nobody has recorded yet.
// Carrying out such a change in place records the value.
const Unknown = "unknown"

// Export has further inputs and results of [Kind.Export], for one live object that is exported as a manifest.
type Export struct {
	// Name is the metadata.name that the manifest will have.
	Name string
	// LeftOut says why no manifest is written for the object, for example "belongs to a router". Manifests that refer to the
	// object use an import.
	LeftOut string
	// Chosen is true if somebody asked to export this very object. It is exported even if it looks like a part of another
	// object.
	Chosen bool
	// ImportOnly says why the object can be imported but not adopted; "" if it can be adopted.
	ImportOnly string
	// Renames are fields whose change only renames parts of the object, so adoption may change them.
	Renames []string
	// Ref returns the name of the manifest for the object of a kind with that ID. It is used for fields that name other objects
	// and have no tag `ref:"…"`. ok is false if the cloud does not show the object.
	Ref func(kind, id string) (name string, ok bool)
	// Adopts reports whether the object of a kind with that ID is to be adopted, too. Only objects that are exported before
	// this one are considered.
	Adopts func(kind, id string) bool
	// Lost are fields whose value the manifest cannot contain, such as secrets.
	Lost []Note
	// Without reports whether the element of a list with that ID is left to the cloud; nil if no element is.
	Without func(list, id string) bool
	// LeftToCloud are elements of lists that the kind leaves to the cloud, and why. Field is the path of the element.
	LeftToCloud []Note
	// IDs are the IDs of the spec's list elements, by the path of the list, as far as the kind records them.
	IDs map[string][]string
}

// Element records the ID of the cloud's object that the next element of a list in the spec describes. It returns false if that
// object is left to the cloud. Then the spec must not contain the element.
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

// LeaveToCloud records that the object with that ID is left to the cloud, since no element of the list can describe it. The argument what is the
// reason, for people.
func (e *Export) LeaveToCloud(list, id, what string) {
	e.LeftToCloud = append(e.LeftToCloud, Note{ElementPath(list, id), what})
}

// AddLost records that a field is left out, and why.
func (e *Export) AddLost(field, why string) { e.Lost = append(e.Lost, Note{field, why}) }

// ObjectName names an exported object: its kind, and the name of its manifest.
type ObjectName struct{ Kind, Name string }

// Exported is an object that is exported as a manifest to be adopted. Spec is its spec as JSON, with the names of other
// objects.
type Exported struct {
	ObjectName
	Spec map[string]any
}

// Gathered is one manifest that replaces several. Spec is the spec of a workload; Parts are all objects that the workload
// expands into.
type Gathered struct {
	Name   string
	Spec   any
	Parts  []ObjectName
	Ignore []string // fields of the parts that are left to the cloud
	Lost   []Note   // settings that the manifests of the parts have and this one cannot have
}
