package kind

import (
	"net/netip"
	"time"
)

// Phase is the state of a live object in its life.
type Phase string

// The phases. The zero value is not valid.
const (
	Ready   Phase = "ready"   // usable by objects that depend on it
	Pending Phase = "pending" // the cloud is working on it
	// Begun is the phase of an object that exists but is not usable yet, while the cloud does not work on it. An update
	// finishes the object.
	Begun    Phase = "begun"
	Failed   Phase = "failed"   // permanently broken: only recreating it helps
	Degraded Phase = "degraded" // exists and is usable, but the cloud reports a fault; people are informed
	Deleting Phase = "deleting" // being deleted
)

// Usable reports whether objects that depend on this one can be created or updated.
func (p Phase) Usable() bool { return p == Ready || p == Degraded }

// Live is one object as the cloud reports it. The fields of type bool are together, because they need less memory then: a stack may have tens of
// thousands of objects.
type Live struct {
	// ID is the cloud's identifier, unique within the collection.
	ID string
	// Name is the cloud's name for it, which need not be unique.
	Name string
	// Mark is the note that says which stack owns it; nil when there is none.
	Mark *Mark
	// Copied says why the mark is a copy of another object's mark, which the cloud copied with the rest of its metadata:
	// "was restored from backup …". "" if nothing shows that the mark is a copy. An object with a copied mark belongs to
	// nobody until it is adopted. An update, which writes the mark, must replace the copied mark by the object's own.
	Copied string
	// InOwnProject is true when the object belongs to the project that the stack works in. Other objects can only be
	// imported, except objects that a manifest places in their Project (see [Kind.Project]).
	InOwnProject bool
	// Guarded is true if nobody can write the object's mark without the right to change the object. In another project only
	// guarded marks count.
	Guarded bool
	// Recreated is true if the object is deleted and then immediately recreated, so its users need not detach first.
	Recreated bool
	// Empty is true if the object itself is gone and only a remainder, such as an entry with its name, exists. Recreating
	// the object loses nothing.
	Empty bool
	// Uncertain is true for an object that most likely does not exist yet. The list contains it because it might exist. If a
	// later list does not contain it, nothing was deleted.
	Uncertain bool
	// InUse is true when the cloud says that something is attached to the object, even if no collection shows it.
	InUse bool
	// Project is the ID of the object's project, for a kind whose manifests may name it; else "".
	Project string
	// AlsoListedAs is another kind in whose collection the cloud also shows the same object; "" if there is none. If the mark names
	// that kind, the object is handled as an object of that kind.
	AlsoListedAs string
	Phase        Phase
	// Role tells people the purpose of an object whose name and mark do not show it, for example "the network's DHCP
	// server"; "" if there is none.
	Role string
	// ServesID is the ID of the object that this one serves and is deleted with; "" if there is none. An example is the port of a
	// load balancer, which the cloud creates itself.
	ServesID string
	// Down says in one word why a degraded object serves nobody, for example "stopped" or "failed"; "" if it serves.
	Down string
	// Locked says why the cloud refuses every change of the object until somebody unlocks the object; "" if it is not
	// locked.
	Locked string
	// Message is the cloud's own message about the phase, for people.
	Message string
	// Uses are the IDs, or Tokens, of the objects that this one depends on. Tokens are the names, besides its ID, by which
	// other objects refer to this one in their Uses. An object is deleted only if no owned object uses it.
	Uses, Tokens []string
	// Drained has the objects to which this one sends no new traffic, and the times since which it sends none. The keys are
	// tokens of Uses, or of the objects that Uses stand for. It is nil for an object that never sends traffic to other
	// objects.
	Drained map[string]time.Time
	// AutoDetached are the tokens of Uses that the cloud itself detaches when the used object is deleted. For example, it
	// deletes the rules of a security group that name a deleted group. Such a use does not delay a deletion if the two
	// objects use each other, directly or through others.
	AutoDetached []string
	// Unwell are the tokens of Uses that this object reports as not serving, for example members of a load balancer.
	Unwell []string
	// Interruptible says, for an object that runs inside a machine, when that machine may be interrupted. Uses names the
	// machine.
	Interruptible Interruptible
	// Lag is for how long Unwell may still show an earlier state; 0 for an object that reports nothing in Unwell.
	Lag time.Duration
	// Facts are the values that other kinds read through references.
	Facts Facts
	// WantedReplicas is the number of members that a group shall have, if somebody has written it on this member; ""
	// otherwise.
	WantedReplicas string
	// Entry is the entry of clouds.yaml whose credentials found the object; "" for the stack's main one. If several
	// entries show the object, OtherViews has the object as each of them shows it.
	Entry      string
	OtherViews []Live
	// HostID is equal for two objects that run on the same host; "" if the cloud does not show the host.
	HostID string
	// Created is the time at which the cloud created the object; the zero time if the cloud does not report it.
	Created time.Time
	// Updated is when any part of the object was last changed; the zero time if the cloud does not report it.
	Updated time.Time
	// Since is the time at which the object last started to work; the zero time if the cloud does not report it. The kind's Observe sets it.
	Since time.Time
	// State is a pointer that the kind's functions compare with the spec; nil for an object that is gone.
	State any
}

// Interruptible has the limits that an object inside a machine sets on interrupting that machine for a change. Neither field
// prevents the repair of a machine that does not work.
type Interruptible struct {
	Stay string // why the machine must not be interrupted; "" if it may be
	Last bool   // the machine is changed after the other members of its group
}

// Facts are the values that kinds publish about an object, for other kinds and for the command outdated. "" is a value that a kind does not publish, or that
// the cloud does not show. Each further value costs memory for each object of each list.
type Facts struct {
	Name       string   // set if other objects must refer to this one by its name, not by its ID.
	Address    string   // the first address; for a secret in Barbican, its reference.
	Addresses  []string // all addresses at which the object is reached.
	SubnetID   string   // the subnet that the address belongs to.
	NetworkID  string
	PortID     string // the port that has the address.
	CIDR       string
	GatewayIP  string
	Host       string // the host that the object runs on, as the cloud shows it to administrators.
	Size       Size
	Subnets    []string // IDs of the attached subnets.
	Pools      []Pool   // for a subnet: the addresses that it assigns, if they can be counted.
	Unusable   string   // why nothing new can be created from it: "disabled".
	External   bool     // for a network: it is external, and not shared with the project.
	Trusted    bool     // for an image: it belongs to the project, or the cloud offers it to everybody.
	IsProject  bool     // the object is a project.
	OwnProject bool     // for a project: the stack works in it.
	TLS        *TLS     // for a server in a machine that answers only with TLS.
	Points     []Point
}

// Pool is a range of addresses; First and Last belong to it.
type Pool struct{ First, Last netip.Addr }

// Has reports whether an address is one of the pool.
func (p Pool) Has(at netip.Addr) bool {
	return at.IsValid() && !at.Less(p.First) && !p.Last.Less(at)
}

// Point is a moment whose data another object, such as a backup, still contains. New objects can be created with that data.
type Point struct {
	At       time.Time
	SourceID string // identifies the object whose data it is
	Kind     string // the kind of the object that contains the data
	ID       string
	Size     int // in GiB
}

// TLS says which certificates the clients of a server use and trust. They are in a Secret, or else they belong to a
// generation of keys that the stack derives.
type TLS struct {
	SecretRef  string
	Generation int
}

// Size is the size of the machines that are created from an object, or the size that they need. 0 means unknown.
type Size struct {
	CPUs   int
	Memory int // MiB
	Disk   int // GiB
}

// Collection is the result of one list of the cloud. If Err is not nil, the collection is unknown and Items is meaningless.
// If the stack uses several entries, each part has its own Err.
type Collection struct {
	Items []*Live // nobody may change an object, because other stacks may use it, too
	// Index is the index of Items, if there is one already; see [Collection.Indexed].
	Index *Index
	Err   error
	// Refused is true if Err is a refusal that is excused, see [Shown.Refused].
	Refused bool
	// Parts are the lists of the single entries, if the collection was joined from them; nil if the stack has only its main
	// entry. An entry without a part was not listed, since the stack has nothing there.
	Parts []Shown
}

// Snapshot has the listed objects of the cloud, by the name of the kind. A kind that is absent was not listed and is
// unknown, too.
type Snapshot map[string]Collection
