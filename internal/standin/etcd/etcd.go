// Package etcd simulates etcd on the machines of the simulator, with the JSON gateway of etcd. It also simulates the boot script that waits on a
// machine without data. It stores the data that a real etcd stores on its disk, and refuses the requests that a real etcd refuses. It also records
// requests that a correct agent never makes.
package etcd

import (
	"crypto/tls"
	"slices"
	"sync"
)

// Machine is a running machine. Disk identifies the disk with its data, which remains when the machine is replaced. Version is the version of its
// etcd; "" means 3.5.35. TLS is the TLS configuration of its server, or nil. Boot is another text after every start: etcd does not answer until it
// has found a majority after that start. With an empty Boot, etcd has always found one.
type Machine struct {
	Disk, Version, Boot string
	TLS                 *tls.Config
}

// World is all machines and the contents of their disks.
type World struct {
	// Machine returns the machine that runs at an address, or nil.
	Machine func(address string) *Machine

	// Name returns the name of the machine at an address. Name is nil if names do not matter.
	Name func(address string) string

	mu        sync.Mutex
	next      uint64
	elections int
	disks     map[string]*node
	parcels   map[string]*parcel
	ready     map[string]bool // by Boot: reports whether the machine has found a majority
	failure   string
	forgets   bool
	// sins are requests and events that a correct agent never causes.
	sins     []string
	alarms   []string
	begun    int
	requests func()
}

// node is the data of etcd on a disk.
type node struct {
	id      uint64
	cluster *cluster
	version string // the version of the etcd that last opened it
}

type cluster struct {
	id      uint64
	members []*member
	leader  uint64 // the last leader
	data    []byte // its database, in the form of a snapshot
}

type member struct {
	ID         uint64   `json:"ID,string"`
	Name       string   `json:"name,omitempty"`
	PeerURLs   []string `json:"peerURLs"`
	ClientURLs []string `json:"clientURLs,omitempty"`
	IsLearner  bool     `json:"isLearner,omitempty"`

	asked     int    // the number of requests to promote it
	began     bool   // reports whether it has written to its disk
	published string // its name, which the other members know after it has answered
}

// New returns a world without a cluster.
func New(machine func(address string) *Machine) *World {
	return &World{Machine: machine, disks: map[string]*node{}, parcels: map[string]*parcel{}, ready: map[string]bool{}, next: 1 << 60}
}

// Fail makes all machines answer that they cannot begin a cluster, with the reason. "" ends that.
func (w *World) Fail(why string) { w.mu.Lock(); defer w.mu.Unlock(); w.failure = why }

// Forgets makes machines accept the request to begin a cluster without beginning one, as if the script ended before it wrote anything.
func (w *World) Forgets(yes bool) { w.mu.Lock(); defer w.mu.Unlock(); w.forgets = yes }

// OnRequest sets a hook that is called before each request that changes something.
func (w *World) OnRequest(do func()) { w.mu.Lock(); defer w.mu.Unlock(); w.requests = do }

// Sins returns the requests and events that a correct agent never causes, as far as there were any.
func (w *World) Sins() []string { w.mu.Lock(); defer w.mu.Unlock(); return slices.Clone(w.sins) }

// Members returns the names of the members of the newest cluster. The name of a learner ends with a question mark.
func (w *World) Members() (names []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.clusters() {
		names = nil
		for _, m := range c.members {
			name := m.Name
			if m.IsLearner {
				name += "?"
			}
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Wipe empties a disk.
func (w *World) Wipe(disk string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.disks, disk)
	delete(w.parcels, disk)
}
