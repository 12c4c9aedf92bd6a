// Package m3 simulates M3DB on the machines of the simulator, with the API of the coordinator on each machine. All coordinators store placements
// and namespaces in one etcd. The package refuses the requests that a real coordinator refuses. It also records requests that a correct agent never
// makes.
package m3

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Machine is a running machine. ID is the ID that its node has in its configuration. Another Boot means that the node was restarted.
type Machine struct{ ID, Boot string }

// World is all machines, and the contents of their etcd.
type World struct {
	// Machine returns the machine that runs at an address, or nil.
	Machine func(address string) *Machine

	mu       sync.Mutex
	clusters map[string]*cluster // the keys are environments.
	asked    map[string]int      // by Boot: how often a node received the question whether it has its data.
	least    int                 // the smallest number of nodes with their data since Watch was called.
	sins     []string
	inits    int
	failure  string
	requests func()
}

type cluster struct {
	version, replicas, shards int
	instances                 []*instance // empty before the first placement
	namespaces                map[string]map[string]any
}

// instance is an instance of a placement. (m3db/m3, src/cluster/generated/proto/placementpb/placement.proto)
type instance struct {
	ID       string `json:"id"`
	Group    string `json:"isolationGroup"`
	Zone     string `json:"zone"`
	Weight   int    `json:"weight"`
	Endpoint string `json:"endpoint"`
	Hostname string `json:"hostname"`
	Port     int    `json:"port"`

	Shards []*shard `json:"shards"`
	asked  int      // how often the instance was checked before it received its shards
}

type shard struct {
	ID     int    `json:"id"`
	State  string `json:"state"`
	Source string `json:"sourceId"`
}

// These are the states of a shard.
const (
	initializing = "INITIALIZING"
	available    = "AVAILABLE"
	leaving      = "LEAVING"
)

// New returns a world with an empty etcd.
func New(machine func(address string) *Machine) *World {
	return &World{Machine: machine, clusters: map[string]*cluster{}, asked: map[string]int{}}
}

// Fail makes all machines answer that they cannot begin a placement, with the reason. "" ends that.
func (w *World) Fail(why string) { w.mu.Lock(); defer w.mu.Unlock(); w.failure = why }

// OnRequest sets a hook that is called before each request that changes something.
func (w *World) OnRequest(do func()) { w.mu.Lock(); defer w.mu.Unlock(); w.requests = do }

// Sins returns the requests that a correct agent never makes, as far as there were any.
func (w *World) Sins() []string { w.mu.Lock(); defer w.mu.Unlock(); return slices.Clone(w.sins) }

// Inits returns how often a placement was begun.
func (w *World) Inits() int { w.mu.Lock(); defer w.mu.Unlock(); return w.inits }

// Forget empties etcd.
func (w *World) Forget() { w.mu.Lock(); defer w.mu.Unlock(); clear(w.clusters) }

// Instances returns the IDs of the instances of all clusters. An ID ends with a question mark if shards of the instance are being added or removed.
func (w *World) Instances() (ids []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.clusters {
		for _, i := range c.instances {
			id := i.ID
			if !i.settled() {
				id += "?"
			}
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Namespaces returns the names of the namespaces of all clusters. A name ends with a question mark if the namespace is not ready.
func (w *World) Namespaces() (names []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.clusters {
		for name, n := range c.namespaces {
			if staging(n) != "READY" {
				name += "?"
			}
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// MakeNamespace makes a namespace, as a person would.
func (w *World) MakeNamespace(environment, name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cluster(environment).namespaces[name] = map[string]any{"stagingState": map[string]any{"status": "READY"}}
}

// Rename changes the ID of an instance in the placement, and gives the instance an address without a machine.
func (w *World) Rename(from, to string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.clusters {
		if i := c.find(from); i != nil {
			i.ID, i.Endpoint = to, "192.0.2.9:9000"
			c.version++
		}
	}
}

func (w *World) cluster(environment string) *cluster {
	c := w.clusters[environment]
	if c == nil {
		c = &cluster{namespaces: map[string]map[string]any{}}
		w.clusters[environment] = c
	}
	return c
}

func (c *cluster) find(id string) *instance {
	if i := slices.IndexFunc(c.instances, func(i *instance) bool { return i.ID == id }); i >= 0 {
		return c.instances[i]
	}
	return nil
}

func (i *instance) settled() bool {
	return !slices.ContainsFunc(i.Shards, func(s *shard) bool { return s.State != available })
}

// Serve answers as the coordinator at an address. ok is false if there is no answer.
func (w *World) Serve(address string, rw http.ResponseWriter, req *http.Request) (ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.Machine(address) == nil {
		return false
	}
	if w.failure != "" {
		reply(rw, http.StatusServiceUnavailable, map[string]any{"state": "fails", "message": w.failure})
		return true
	}
	c := w.cluster(req.Header.Get("Cluster-Environment-Name"))
	if req.Header.Get("Cluster-Zone-Name") != "embedded" {
		refuse(rw, http.StatusInternalServerError, "invalid zone")
		return true
	}
	if req.Method != http.MethodGet && w.requests != nil {
		w.requests()
	}
	path, found := strings.CutPrefix(req.URL.Path, "/api/v1/services/m3db/")
	if room, rest, _ := strings.Cut(path, "/"); !found {
		http.NotFound(rw, req)
	} else if room == "placement" {
		w.placement(c, rest, rw, req)
	} else {
		w.namespace(c, rest, rw, req)
	}
	w.count()
	return true
}

func (w *World) sin(format string, args ...any) {
	w.sins = append(w.sins, fmt.Sprintf(format, args...))
}

func reply(rw http.ResponseWriter, status int, body any) {
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(status)
	_ = json.NewEncoder(rw).Encode(body)
}

func refuse(rw http.ResponseWriter, status int, message string) {
	reply(rw, status, map[string]string{"status": "error", "error": message})
}
