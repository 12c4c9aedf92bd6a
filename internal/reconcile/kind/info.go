package kind

import (
	"cmp"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Info names and describes a kind.
type Info struct {
	Group, Version, Kind string
	// Short is a name for hands that type a lot, such as vm; "" for none.
	Short string
	// Aliases are other groups under which the kind is accepted verbatim, as GROUP, or GROUP/VERSION where
	// the version is another.
	Aliases []string
	// Service is the catalog type the kind needs, e.g. "compute"; "" for none.
	Service string
	// UniqueNames is true when the cloud refuses a second object of that name.
	UniqueNames bool
	// IDIsName is true when an object recreated under the same name has the
	// same ID, so that what refers to it need not follow.
	IDIsName bool
	// FixedMark is true when the cloud cannot rewrite the mark of an object:
	// then what was last applied is not recorded, and only the owner counts.
	FixedMark bool
	// Held is true when the cloud deletes no object of the kind while another one refers to it: then it is not replaced for as long as that
	// stays, whether or not it could refer to the new one.
	Held bool
	// StaysMarked is true when the mark of an object can only be taken off by deleting it.
	StaysMarked bool
	// Unmark is the command by which people take a mark off an object, for
	// messages; <id> and <mark> stand for the object and the owner text.
	Unmark string
	Scope  Scope
	// Rare is true when most stacks make no object of the kind, or listing them is costly.
	// While no manifest asks for one and the stack owns none, passes list them now and then only.
	Rare bool
	// Parts are the kinds of all that an object of this kind can stand for itself; none for what stands for nothing, and for
	// kinds that a definition makes.
	Parts []string
	// ReportsHealth is true when its objects send something to others, or say of them whether they serve or when they may go
	// (Unwell, Lag, Drained and Interruptible of [Live]). What they may be about is not interrupted while they cannot be seen.
	ReportsHealth bool
	// Exclusive is true when an object serves one other at a time, or holds data that whoever uses it can read: one that
	// another stack has marked is not used.
	Exclusive bool
	// Carries is the kind whose users an object of this one serves: as long as such an object has to stay, so does what carries
	// it, although its own manifest is gone.
	Carries string
	// HostedOn are the kinds that say where objects of this one are: it is no part of the cloud, but of what
	// runs on machines of the stack. They are listed first, and its driver is given what they show as [Hosts].
	HostedOn []string
	// Public is true when the data that its objects carry may be shown. Without
	// it the data is kept out of every error.
	Public bool
	// Loss is what is lost with an object, besides its ID, when it is deleted or
	// replaced, the gravest first: for plans, to be read after "loses".
	Loss []string
	// HoldsData is true when its objects hold data that is nowhere else: a plan that deletes or replaces one is held
	// unless somebody allows that.
	HoldsData bool
	// Doc is one paragraph on what the kind is, for explain.
	Doc string
}

// Scope says whose the objects of a kind are.
type Scope int

// The scopes.
const (
	OfProject Scope = iota
	// OfUser: they count against a quota of their user, in whichever project they were made.
	OfUser
	// OfCloud: listing them takes rights that most credentials lack. They are listed like rare ones, a refusal says that the
	// stack owns none, and plans suggest no names of them.
	OfCloud
	// Offered by the cloud: everybody may list and use them, and only an administrator makes them. They are listed like rare
	// ones, and exported only when they are asked for.
	Offered
)

// Spellings are the group, version and kind that manifests can name: its own first, then its aliases'.
func (i Info) Spellings() []manifest.GroupVersionKind {
	list := []manifest.GroupVersionKind{{Group: i.Group, Version: i.Version, Kind: i.Kind}}
	for _, alias := range i.Aliases {
		group, version, _ := strings.Cut(alias, "/")
		list = append(list, manifest.GroupVersionKind{Group: group, Version: cmp.Or(version, i.Version), Kind: i.Kind})
	}
	return list
}
