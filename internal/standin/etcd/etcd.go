// Package etcd is the etcd that machines of the simulator run, as far as its JSON gateway shows it, and the script that
// waits on a machine without data. It keeps what a real one keeps on its disk, refuses what a real one refuses, and writes down what nobody
// should have asked for.
package etcd

import (
	"crypto/tls"
	"slices"
	"sync"
)

// Machine is one that runs: Disk is what its data is on, and stays when the machine is replaced. Version is of the etcd that it
// has, "" for 3.5.35; TLS is what it serves with, nil for none. Boot is another one each time that it starts: etcd answers nobody from then until it has found
// a majority. With "" it has always found one.
type Machine struct {
	Disk, Version, Boot string
	TLS                 *tls.Config
}

// World is all machines and what is on their disks.
type World struct {
	// Machine finds the machine that runs at an address; nil for none.
	Machine func(address string) *Machine

	// Name is that of the machine at an address; nil where names do not matter.
	Name func(address string) string

	mu        sync.Mutex
	next      uint64
	elections int
	disks     map[string]*node
	parcels   map[string]*parcel
	ready     map[string]bool // by boots: it has found a majority
	failure   string
	forgets   bool
	// Sins are what nobody should have asked for.
	sins     []string
	alarms   []string
	begun    int
	requests func()
}

// node is what etcd has written to a disk.
type node struct {
	id      uint64
	cluster *cluster
	version string // of the etcd that opened it last
}

type cluster struct {
	id      uint64
	members []*member
	leader  uint64 // the last one
	data    []byte // its database, as a snapshot has it
}

type member struct {
	ID         uint64   `json:"ID,string"`
	Name       string   `json:"name,omitempty"`
	PeerURLs   []string `json:"peerURLs"`
	ClientURLs []string `json:"clientURLs,omitempty"`
	IsLearner  bool     `json:"isLearner,omitempty"`

	asked     int    // how often it was to be promoted
	began     bool   // it has written to its disk
	published string // the name that others hear of when it has answered once
}

// New is a world without any cluster.
func New(machine func(address string) *Machine) *World {
	return &World{Machine: machine, disks: map[string]*node{}, parcels: map[string]*parcel{}, ready: map[string]bool{}, next: 1 << 60}
}

// Fail has all machines say why they cannot begin; "" ends that.
func (w *World) Fail(why string) { w.mu.Lock(); defer w.mu.Unlock(); w.failure = why }

// Forgets has machines answer who asks them to begin a cluster, and begin none: their script ends before it has written anything.
func (w *World) Forgets(yes bool) { w.mu.Lock(); defer w.mu.Unlock(); w.forgets = yes }

// OnRequest has do called before each request that changes something is carried out.
func (w *World) OnRequest(do func()) { w.mu.Lock(); defer w.mu.Unlock(); w.requests = do }

// Sins are what nobody should have asked for, so far.
func (w *World) Sins() []string { w.mu.Lock(); defer w.mu.Unlock(); return slices.Clone(w.sins) }

// Members are the names of the members of the newest cluster, learners with a question mark behind.
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
