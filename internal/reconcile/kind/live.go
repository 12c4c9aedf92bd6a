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
	// Begun is an object that exists and is not usable yet, and that the cloud is not working on: an update finishes it.
	Begun    Phase = "begun"
	Failed   Phase = "failed"   // permanently broken: only recreating it helps
	Degraded Phase = "degraded" // exists and is usable, but the cloud reports it unwell; people are informed
	Deleting Phase = "deleting" // being deleted
)

// Usable reports whether objects that depend on this one can go on.
func (p Phase) Usable() bool { return p == Ready || p == Degraded }

// Live is one object as the cloud has it.
type Live struct {
	// ID is the cloud's identifier, unique within the collection.
	ID string
	// Name is the cloud's name for it, which need not be unique.
	Name string
	// Mark is the note that says which stack owns it; nil when there is none.
	Mark *Mark
	// Copied says why the mark is a copy of another object's mark, which the cloud copied with the rest of its metadata:
	// "was restored from backup …". "" when nothing shows that. An object with a copied mark belongs to nobody until it is
	// adopted. An update, which writes the mark, must replace the copied mark by the object's own.
	Copied string
	// InOwnProject is true when the object belongs to the project that the stack works in. Other objects are only candidates
	// for imports, except those that a manifest places in their Project, see [Kind.Project].
	InOwnProject bool
	// Project is the ID of the object's project, for a kind whose manifests may name it; else "".
	Project string
	// Guarded is true if only those who may change the object can write its mark. In another project only guarded marks
	// count.
	Guarded bool
	// AlsoListedAs is the kind in whose collection the cloud also shows the same object, "" for none. A mark for that kind
	// is handled there.
	AlsoListedAs string
	Phase        Phase
	// Role tells people the purpose of the object where neither name nor mark do: "the network's DHCP server"; "" for
	// nothing to say.
	Role string
	// ServesID is the ID of the object that this one serves and is deleted with; "" for none. An example is the port of a
	// load balancer, which the cloud creates itself.
	ServesID string
	// Recreated is true when the object is deleted to be recreated at once: its users need not detach first.
	Recreated bool
	// Empty is true of a remainder of an object that is itself gone, such as an entry that names it: recreating it loses
	// nothing.
	Empty bool
	// Down says in one word that a degraded object serves nobody: "stopped", "failed"; "" when it serves.
	Down string
	// Uncertain is true of an object that most likely does not exist yet. The list contains it because nobody knows.
	// When it leaves the list, nothing was deleted.
	Uncertain bool
	// Locked says why the cloud refuses every change of it until somebody unlocks it; "" if it is not locked.
	Locked string
	// Message is what the cloud says about the phase, for people.
	Message string
	// Uses are tokens of the objects that this one depends on. Tokens are the names, besides its ID, by which others depend
	// on it. An object is deleted only when no owned object uses it.
	Uses, Tokens []string
	// Drained says to which objects this one sends nothing new, and since when. Its keys are tokens of Uses, or of the
	// objects that Uses stand for. nil for an object that sends nothing to others.
	Drained map[string]time.Time
	// AutoDetached are those of Uses that the cloud itself detaches when their object is deleted. It does so with the rules
	// of a security group that name another group. They delay a deletion only while there is an order in which they need not
	// be detached.
	AutoDetached []string
	// Unwell are those of Uses that this object reports as not serving it, as a load balancer reports its members.
	Unwell []string
	// Interruptible says when the machine that Uses names may be interrupted, for an object that runs inside it.
	Interruptible Interruptible
	// Lag is for how long Unwell may still show an earlier state; 0 for an object that reports nothing in Unwell.
	Lag time.Duration
	// Facts are the values that other kinds read through references.
	Facts Facts
	// WantedReplicas is how many members a group shall have, as somebody has written on this member; "" where nobody has.
	WantedReplicas string
	// InUse is true when the cloud says that something is attached to the object, even if no collection shows it.
	InUse bool
	// Through is the entry of clouds.yaml whose credentials found the object; "" for the stack's main one. Also is the
	// object as each entry shows it, where several do.
	Through string
	Also    []Live
	// HostID is equal for two objects that run on the same host; "" where the cloud does not show that.
	HostID string
	// Created is when the cloud created it; the zero time where the cloud does not report it.
	Created time.Time
	// Updated is when any part of the object was last changed; the zero time where the cloud does not report it.
	Updated time.Time
	// Since is when it last started to work; the zero time where the cloud does not report it.
	Since time.Time
	// State is a pointer that the kind's functions compare with the spec; nil for an object that is gone.
	State any
}

// Interruptible is what an object inside a machine says about interrupting that machine for a change. Neither field prevents
// the repair of a machine that does not work.
type Interruptible struct {
	Stay string // why the machine must stay as it is; "" when it need not
	Last bool   // the machine is changed after the other members of its group
}

// Facts are the values that kinds publish to each other about an object. "" is a value that a kind does not publish, or that
// the cloud does not show.
type Facts struct {
	Name      string   // for objects that others must refer to by name, not by ID
	Address   string   // the first one
	Addresses []string // all addresses at which it is reached
	SubnetID  string   // of the subnet that the address belongs to
	NetworkID string
	PortID    string // of the port that has the address
	CIDR      string
	GatewayIP string
	Host      string // the host that it runs on, as the cloud shows it to administrators
	Size      Size
	Subnets   []string // IDs of the attached subnets.
	Pools     []Pool   // of a subnet: the addresses that it assigns, where they can be counted.
	Outside   bool     // of a network: it is external, and not shared with the project.
	Unusable  string   // why nothing new can be created from it: "disabled".
	IsProject bool     // it is a project of the cloud
	Here      bool     // of a project: the stack works in it.
	TLS       *TLS     // of a server in a machine: it answers with TLS only
	Points    []Point
}

// Pool is a range of addresses; First and Last belong to it.
type Pool struct{ First, Last netip.Addr }

// Has reports whether an address is one of the pool.
func (p Pool) Has(at netip.Addr) bool {
	return at.IsValid() && !at.Less(p.First) && !p.Last.Less(at)
}

// Point is a moment from which an object keeps the data of another one. New objects can start with that data.
type Point struct {
	At   time.Time
	Of   string // identifies the object that the data comes from
	Kind string // the kind of the object that holds it
	ID   string
	Size int // in GiB
}

// TLS says which certificates clients of a server show and trust: those in a Secret, or else those of a generation of keys,
// which the stack derives.
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

// Collection is the result of one list of the cloud. Err makes it unknown: Items is meaningless then. If the stack uses
// several entries, each of Parts may be unknown by itself.
type Collection struct {
	Items []Live
	Err   error
	// Parts are what the entries show of a collection that was joined; nil if the stack has only its main entry. An entry
	// that is missing was not asked, since the stack has nothing there.
	Parts []Shown
}

// Snapshot is what the cloud holds, by the name of the kind. A kind that is absent was not listed and is unknown, too.
type Snapshot map[string]Collection
