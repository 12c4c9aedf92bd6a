package kind

import (
	"cmp"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Info names and describes a kind.
type Info struct {
	Group, Version, Kind string
	// Short is an abbreviation for the command line, such as vm; "" for none.
	Short string
	// Aliases are other groups under which the kind is accepted unchanged: GROUP, or GROUP/VERSION if the version differs.
	Aliases []string
	// Service is the catalog type the kind needs, e.g. "compute"; "" for none.
	Service string
	// UniqueNames is true when the cloud refuses a second object with the same name.
	UniqueNames bool
	// IDIsName is true when an object that is recreated under the same name has the same ID, so that references to it stay valid.
	IDIsName bool
	// FixedMark is true when the cloud cannot rewrite the mark of an object. Then the mark does not record what was last applied; only the
	// owner counts.
	FixedMark bool
	// Held is true when the cloud refuses to delete an object of the kind while another object refers to it. It is not replaced while such
	// an object stays, whether or not that one could refer to the new object.
	Held bool
	// StaysMarked is true when only deleting an object removes its mark.
	StaysMarked bool
	// Unmark is the command with which people remove a mark from an object, for messages; <id> and <mark> stand for the object and the
	// owner text.
	Unmark string
	Scope  Scope
	// Rare is true when most stacks have no object of the kind, or listing them is costly. While no manifest asks for one and the stack
	// owns none, only some passes list them.
	Rare bool
	// Parts are the kinds that an object of this kind can expand into. It is empty for kinds that do not expand, and for kinds that a
	// definition makes.
	Parts []string
	// ReportsHealth is true when objects of the kind send traffic to others, report whether they serve, or decide when they may be
	// interrupted. These are Unwell, Lag, Drained and Interruptible of [Live]. While such objects cannot be seen, no object that they
	// may report about is interrupted.
	ReportsHealth bool
	// Exclusive is true when an object serves one other object at a time, or holds data that each of its users can read. The stack does not
	// use one that another stack has marked.
	Exclusive bool
	// Carries is a kind whose users an object of this kind serves: a router interface serves the users of a Subnet. While the carried
	// object has to stay, the carrying object stays, too, even if its own manifest is removed.
	Carries string
	// HostedOn are the kinds on which objects of this kind run: these objects are no part of the cloud, but run on machines of the stack.
	// Those kinds are listed first, and the driver gets the result as [Hosts].
	HostedOn []string
	// Public is true when the data of its objects may be shown. Otherwise no error contains the data.
	Public bool
	// Loss is what is lost with an object, besides its ID, when it is deleted or replaced, the gravest first. Plans put it after "loses".
	Loss []string
	// HoldsData is true when its objects hold data that exists nowhere else. A plan that deletes or replaces one is held unless somebody
	// allows the loss.
	HoldsData bool
	// Doc is one paragraph that describes the kind, for explain.
	Doc string
}

// Scope says to whom the objects of a kind belong.
type Scope int

// The scopes.
const (
	OfProject Scope = iota
	// OfUser: they count against a quota of their user, whichever project they are in.
	OfUser
	// OfCloud: listing them needs rights that most credentials lack. They are listed like rare ones. A refusal means that the stack owns
	// none, and plans suggest no names of them.
	OfCloud
	// Offered by the cloud: everybody may list and use them, and only an administrator creates them. They are listed like rare ones, and
	// exported only on request.
	Offered
)

// Spellings are the group, version and kind that manifests can name: first the kind's own, then its aliases.
func (i Info) Spellings() []manifest.GroupVersionKind {
	list := []manifest.GroupVersionKind{{Group: i.Group, Version: i.Version, Kind: i.Kind}}
	for _, alias := range i.Aliases {
		group, version, _ := strings.Cut(alias, "/")
		list = append(list, manifest.GroupVersionKind{Group: group, Version: cmp.Or(version, i.Version), Kind: i.Kind})
	}
	return list
}
