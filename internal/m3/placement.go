package m3

import (
	"cmp"
	"fmt"
	"net"
	"slices"
	"strconv"
)

// Instance is an instance as requests describe it. An instance stores shards. (m3db/m3,
// src/cluster/generated/proto/placementpb/placement.proto)
type Instance struct {
	ID             string `json:"id"`
	IsolationGroup string `json:"isolation_group"`
	Zone           string `json:"zone"`
	Weight         int    `json:"weight"`
	Endpoint       string `json:"endpoint"`
	Hostname       string `json:"hostname"`
	Port           int    `json:"port"`
}

// NewInstance returns an instance at an address and a port.
func NewInstance(id, isolationGroup, address string, port int) Instance {
	return Instance{ID: id, IsolationGroup: isolationGroup, Zone: Zone, Weight: 100,
		Endpoint: net.JoinHostPort(address, strconv.Itoa(port)), Hostname: address, Port: port}
}

// Placement says how many shards each instance has.
type Placement struct {
	Version   int // a number that rises with each change
	Replicas  int
	Shards    int
	Instances []Held // sorted by ID
}

// Held is an instance with the number of its shards in each state.
type Held struct {
	ID, IsolationGroup, Address      string
	Port                             int
	Initializing, Available, Leaving int
}

// Settled reports whether no shard of the instance is being added or removed.
func (h Held) Settled() bool { return h.Initializing == 0 && h.Leaving == 0 }

// Find returns the instance with an ID, or nil.
func (p *Placement) Find(id string) *Held {
	if p == nil {
		return nil
	}
	if i := slices.IndexFunc(p.Instances, func(h Held) bool { return h.ID == id }); i >= 0 {
		return &p.Instances[i]
	}
	return nil
}

// Unsettled returns the first instance with shards that are being added or removed, or nil.
func (p *Placement) Unsettled() *Held {
	if i := slices.IndexFunc(p.Instances, func(h Held) bool { return !h.Settled() }); i >= 0 {
		return &p.Instances[i]
	}
	return nil
}

// Alike returns the same text for all placements with the same instances. The states of the shards are not part
// of it, because they change all the time.
func (p *Placement) Alike() string {
	if p == nil {
		return ""
	}
	text := "placement"
	for _, h := range p.Instances {
		text += "\n" + h.ID + "\x00" + h.IsolationGroup + "\x00" + net.JoinHostPort(h.Address, strconv.Itoa(h.Port))
	}
	return text
}

// maxInstances is the maximum number of instances that is accepted in a placement.
const maxInstances = 2000

type placementAnswer struct {
	Placement *struct {
		Instances map[string]*struct {
			ID             string `json:"id"`
			IsolationGroup string `json:"isolationGroup"`
			Endpoint       string `json:"endpoint"`
			Shards         []struct {
				State string `json:"state"`
			} `json:"shards"`
		} `json:"instances"`
		Replicas int `json:"replicaFactor"`
		Shards   int `json:"numShards"`
	} `json:"placement"`
	Version int `json:"version"`
}

func (a placementAnswer) placement() (*Placement, error) {
	if a.Placement == nil || len(a.Placement.Instances) > maxInstances {
		return nil, fmt.Errorf("%w like an M3 coordinator", ErrSilent)
	}
	p := &Placement{Version: a.Version, Replicas: a.Placement.Replicas, Shards: a.Placement.Shards}
	for id, i := range a.Placement.Instances {
		if i == nil || i.ID != id {
			return nil, fmt.Errorf("%w like an M3 coordinator", ErrSilent)
		}
		h := Held{ID: id, IsolationGroup: i.IsolationGroup}
		var port string
		h.Address, port, _ = net.SplitHostPort(i.Endpoint) // "" is not the address of any machine
		h.Port, _ = strconv.Atoi(port)
		for _, s := range i.Shards {
			switch s.State {
			case "AVAILABLE":
				h.Available++
			case "LEAVING":
				h.Leaving++
			default:
				h.Initializing++
			}
		}
		p.Instances = append(p.Instances, h)
	}
	slices.SortFunc(p.Instances, func(a, b Held) int { return cmp.Compare(a.ID, b.ID) })
	return p, nil
}
