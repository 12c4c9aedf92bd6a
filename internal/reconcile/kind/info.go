package kind

import (
	"cmp"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Info names and describes a kind.
type Info struct {
	Group, Version, Kind string
	// Short is an abbreviation for the command line, such as vm; "" if there is none.
	Short string
	// Aliases are other groups under which the kind is accepted unchanged: GROUP, or GROUP/VERSION if the version differs.
	Aliases []string
	// Service is the catalog type the kind needs, e.g. "compute"; "" if there is none.
	Service string
	// Lists are the collections of the cloud that have the objects of the kind, as the catalog type of the service and the path, for example
	// "network/ports". Joins are further collections from which the driver adds data to these objects. Objects inside machines have neither.
	Lists, Joins []string
	// UniqueNames is true when the cloud refuses a second object with the same name.
	UniqueNames bool
	// IDIsName is true when an object that is recreated under the same name has the same ID, so that references to it stay valid.
	IDIsName bool
	// FixedMark is true when the cloud cannot rewrite the mark of an object. Then the mark does not record what was last applied; only the
	// owner counts.
	FixedMark bool
	// KeptWhileUsed is true if the cloud refuses to delete an object of the kind while another object refers to it. The object is not replaced while
	// an object that refers to it stays, even if that object could refer to the new one.
	KeptWhileUsed bool
	// StaysMarked is true if the mark of an object cannot be removed without deleting the object.
	StaysMarked bool
	// Unmark is the command that removes a mark from an object, for messages. It contains <id> for the object's ID and <mark> for the owner
	// text.
	Unmark string
	Scope  Scope
	// Rare is true when most stacks have no object of the kind, or listing them is costly. While no manifest describes one and the stack
	// owns none, only some passes list them.
	Rare bool
	// Parts are the kinds that an object of this kind can expand into. It is empty for kinds that do not expand, and for kinds that a
	// definition makes.
	Parts []string
	// ReportsHealth is true if objects of the kind send traffic to other objects, report whether these serve, or decide when these may be
	// interrupted. Their reports are in Unwell, Lag, Drained and Interruptible of [Live]. While objects of the kind cannot be listed, no
	// object that they may report about is interrupted.
	ReportsHealth bool
	// Exclusive is true if an object of the kind serves one other object at a time, or contains data that each of its users can read. The
	// stack does not use such an object if it has the mark of another stack.
	Exclusive bool
	// Carries is a kind whose users depend on an object of this kind, too. For example, the users of a Subnet depend on its router
	// interface. While the Subnet has to stay, the interface stays, too, even if its own manifest is removed.
	Carries string
	// HostedOn are the kinds of the machines inside which objects of this kind run. Such objects are no part of the cloud itself. The kinds
	// of the machines are listed first, and the driver gets the result as [Hosts].
	HostedOn []string
	// Public is true when the data of its objects may be shown. Otherwise no error contains the data.
	Public bool
	// Loss lists what is lost, besides the ID, when an object is deleted or replaced, the gravest loss first. Plans put it after "loses".
	Loss []string
	// HoldsData is true if objects of the kind contain data that exists nowhere else. A plan that deletes or replaces one is held unless
	// somebody allows the loss.
	HoldsData bool
	// Doc is one paragraph that describes the kind, for explain.
	Doc string
}

// Scope says to whom the objects of a kind belong.
type Scope int

// The scopes.
const (
	OfProject Scope = iota
	// OfUser: the objects belong to a user, and count against that user's quota in every project.
	OfUser
	// OfCloud: listing the objects needs rights that most credentials lack. They are listed like objects of a rare kind. If the cloud
	// refuses the list, the agent assumes that the stack owns no such object. Plans suggest no names of such objects.
	OfCloud
	// Offered: everybody may list and use the objects, and only an administrator creates them. They are listed like objects of a rare kind,
	// and exported only on request.
	Offered
)

// Seldom reports whether passes list the kind only if a manifest describes one, if the stack owns one, or now and then. Most credentials may not list
// such a kind, or most stacks do not use it.
func (i Info) Seldom() bool { return i.Scope == OfCloud || i.Scope == Offered || i.Rare }

// Spellings are the group, version and kind that manifests can name: first the kind's own, then its aliases.
func (i Info) Spellings() []manifest.GroupVersionKind {
	list := []manifest.GroupVersionKind{{Group: i.Group, Version: i.Version, Kind: i.Kind}}
	for _, alias := range i.Aliases {
		group, version, _ := strings.Cut(alias, "/")
		list = append(list, manifest.GroupVersionKind{Group: group, Version: cmp.Or(version, i.Version), Kind: i.Kind})
	}
	return list
}
