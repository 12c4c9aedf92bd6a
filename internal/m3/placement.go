package m3

import (
	"cmp"
	"fmt"
	"net"
	"slices"
	"strconv"
)

// Instance is one that holds shards, as it is asked for. (m3db/m3, src/cluster/generated/proto/placementpb/placement.proto)
type Instance struct {
	ID             string `json:"id"`
	IsolationGroup string `json:"isolation_group"`
	Zone           string `json:"zone"`
	Weight         int    `json:"weight"`
	Endpoint       string `json:"endpoint"`
	Hostname       string `json:"hostname"`
	Port           int    `json:"port"`
}

// NewInstance is one at an address and a port.
func NewInstance(id, isolationGroup, address string, port int) Instance {
	return Instance{ID: id, IsolationGroup: isolationGroup, Zone: Zone, Weight: 100,
		Endpoint: net.JoinHostPort(address, strconv.Itoa(port)), Hostname: address, Port: port}
}

// Placement is which instances hold which shards.
type Placement struct {
	Version   int // grows with each change
	Replicas  int
	Shards    int
	Instances []Held // by ID
}

// Held is an instance with how many shards it has in each state.
type Held struct {
	ID, IsolationGroup, Address      string
	Port                             int
	Initializing, Available, Leaving int
}

// Settled reports whether none of its shards is coming or going.
func (h Held) Settled() bool { return h.Initializing == 0 && h.Leaving == 0 }

// Find is the instance of an ID; nil where there is none.
func (p *Placement) Find(id string) *Held {
	if p == nil {
		return nil
	}
	if i := slices.IndexFunc(p.Instances, func(h Held) bool { return h.ID == id }); i >= 0 {
		return &p.Instances[i]
	}
	return nil
}

// Unsettled is the first instance of which shards are coming or going; nil where there is none.
func (p *Placement) Unsettled() *Held {
	if i := slices.IndexFunc(p.Instances, func(h Held) bool { return !h.Settled() }); i >= 0 {
		return &p.Instances[i]
	}
	return nil
}

// Alike is what placements of the same instances have in common: how far these are with their shards changes all the time.
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

// maxInstances is how many instances a placement can have that is believed.
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
		h.Address, port, _ = net.SplitHostPort(i.Endpoint) // "" is nobody's address
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
