package kind

import (
	"net/netip"
	"time"
)

// Phase is where a live object stands in its life.
type Phase string

// The phases. The zero value is not valid.
const (
	Ready   Phase = "ready"   // usable by what depends on it
	Pending Phase = "pending" // the cloud is working on it
	// Begun is what exists and is of no use yet, and nobody works on: an update finishes it.
	Begun    Phase = "begun"
	Failed   Phase = "failed"   // broken for good: recreating it is the only cure
	Degraded Phase = "degraded" // exists and is usable, but the cloud reports it unwell; people are informed
	Deleting Phase = "deleting" // on its way out
)

// Usable reports whether what depends on the object can go on.
func (p Phase) Usable() bool { return p == Ready || p == Degraded }

// Live is one object as the cloud has it.
type Live struct {
	// ID is the cloud's identifier, unique within the collection.
	ID string
	// Name is the cloud's name for it, which need not be unique.
	Name string
	// Mark is the claim that a stack owns it; nil when there is none.
	Mark *Mark
	// Copied says why the mark is a copy of another object's, which the cloud made
	// with the rest of its metadata: "was restored from backup …". "" when nothing
	// shows that. An object with a copied mark belongs to nobody until it is adopted;
	// an update, which writes the mark, must make it the object's own.
	Copied string
	// InOwnProject is true when the object belongs to the project the stack works in.
	// Others are only ever candidates for imports, but for those that a manifest places in their
	// Project, see [Kind.Project].
	InOwnProject bool
	// Project is the ID of the project it is in, of a kind whose manifests may say so; else "".
	Project string
	// Guarded is true of a mark that only those can write who may change the object. In another
	// project no other one counts.
	Guarded bool
	// AlsoListedAs is the kind in whose collection the cloud shows the same object too,
	// "" for none: a mark for that kind is looked after there.
	AlsoListedAs string
	Phase        Phase
	// Role says for people what the object is there for, where neither name nor mark do:
	// "the network's DHCP server"; "" for nothing to be said.
	Role string
	// ServesID is the ID of the object that this one serves and goes with, as the port of a load balancer
	// does, which the cloud makes itself; "" for none.
	ServesID string
	// Remade is true when the object is deleted to be recreated at once: then
	// its users need not detach first.
	Remade bool
	// Empty is true of what is left of an object that is gone itself, such as an entry that names it: nothing is
	// lost when that is recreated.
	Empty bool
	// Down says in a word that an object which is degraded serves nobody: "stopped",
	// "failed"; "" when it does.
	Down string
	// Unmade is true of what is not there yet, as far as is known, and stands in the list since that is not certain: when it
	// leaves the list nothing was deleted.
	Unmade bool
	// Locked says why the cloud refuses every change of it until somebody unlocks it; "" where it does not.
	Locked string
	// Message is what the cloud says about the phase, for people.
	Message string
	// Uses are tokens of what this object depends on, Tokens what it answers to
	// besides its ID. An object is deleted only when no owned object uses it.
	Uses, Tokens []string
	// Drained are those of Uses and of what they answer to that the object sends nothing new, by their
	// tokens, and since when; nil of an object that sends nothing to anyone.
	Drained map[string]time.Time
	// AutoDetached are those of Uses that the cloud itself takes off when what they name is
	// deleted, as it does with the rules of a security group that name another one:
	// they hold up a deletion only while there is an order in which they need not.
	AutoDetached []string
	// Unwell are those of Uses of which the object says that they do not serve it, as
	// a load balancer does of its members.
	Unwell []string
	// Interruptible is when what Uses names may be interrupted, where the object is found inside that.
	Interruptible Interruptible
	// Lag is how long Unwell may go on saying what was so before; 0 of an object that says
	// nothing there.
	Lag time.Duration
	// Facts are what other kinds need by reference.
	Facts Facts
	// WantedReplicas is how many members a group shall have, as somebody has written on this one; "" where nobody has.
	WantedReplicas string
	// InUse is true when the cloud says that something is attached to the object,
	// whether the collections show it or not.
	InUse bool
	// Through is the entry of clouds.yaml that the object was found by; "" for the stack's
	// main one. Also is the object as each entry shows it, where several do.
	Through string
	Also    []Live
	// HostID is the same of two objects that run on the same host; "" where the cloud does not show that.
	HostID string
	// Created is when the cloud made it; the zero time where the cloud does not report it.
	Created time.Time
	// Updated is when anything of the object was last changed; the zero time where
	// the cloud does not report it.
	Updated time.Time
	// Since is when it last began to work; the zero time where the cloud does not report it.
	Since time.Time
	// State is what the kind's functions compare with the spec: a pointer, nil of an object that is gone.
	State any
}

// Interruptible is what an object inside a machine says of interrupting that machine for a change. Neither keeps
// a machine from being healed that does not work.
type Interruptible struct {
	Stay string // why it stays as it is; "" when it need not
	Last bool   // it goes after the other members of its group
}

// Facts are what kinds publish to each other about an object. "" is what a kind does not publish,
// or the cloud does not show.
type Facts struct {
	Name      string   // where others must name it, and not give its ID
	Address   string   // the first one
	Addresses []string // those at which it is reached
	SubnetID  string   // that the address is of
	NetworkID string
	PortID    string // that the address is on
	CIDR      string
	GatewayIP string
	Host      string // that it runs on, as the cloud shows it to administrators
	Size      Size
	Subnets   []string // IDs of those that are on it
	Pools     []Pool   // of a subnet: the addresses that it gives out, where they can be counted
	Outside   bool     // of a network: it is external, and not shared with the project
	Unusable  string   // why nothing new can be made of it: "disabled"
	IsProject bool     // it is a project of the cloud
	Here      bool     // of a project: the stack works in it
	TLS       *TLS     // of a server in a machine: it answers with TLS only
	Points    []Point
}

// Pool is a range of addresses, from the first to the last.
type Pool struct{ First, Last netip.Addr }

// Has reports whether an address is one of the pool.
func (p Pool) Has(at netip.Addr) bool {
	return at.IsValid() && !at.Less(p.First) && !p.Last.Less(at)
}

// Point is a moment of which an object keeps the data of another one, so that new ones can begin with it.
type Point struct {
	At   time.Time
	Of   string // the ID of what the data is of
	Kind string // of the object that holds it
	ID   string
	Size int // GiB that it takes
}

// TLS is what clients of a server show and trust: what a Secret has, or else keys of a generation, which the stack derives.
type TLS struct {
	SecretRef  string
	Generation int
}

// Size is how large a machine is that is made by it, or has to be. 0 is what is not known.
type Size struct {
	CPUs   int
	Memory int // MiB
	Disk   int // GiB
}

// Collection is what one list of the cloud gave. Err makes it unknown: then
// Items means nothing. With several entries it is the parts that may be unknown.
type Collection struct {
	Items []Live
	Err   error
	// Parts are what entries show, of a collection that was joined; nil where the stack
	// has its main entry only. One that is not among them was not asked, since nothing of
	// the stack's is there.
	Parts []Shown
}

// Snapshot is what the cloud holds, by kind name. A kind that is absent was not
// looked at and is unknown too.
type Snapshot map[string]Collection
