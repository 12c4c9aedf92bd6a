package m3

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
)

// asked is the body of a request about a placement.
type asked struct {
	Instances  []requested `json:"instances"`
	Candidates []requested `json:"candidates"`
	Leaving    []string    `json:"leavingInstanceIDs"`
	Shards     int         `json:"num_shards"`
	Replicas   int         `json:"replication_factor"`
	Force      bool        `json:"force"`
}

// requested is an instance in a request. The name of the field for the isolation group differs between requests and answers.
type requested struct {
	instance
	Group string `json:"isolation_group"`
}

func (r requested) made() *instance { i := r.instance; i.Group = r.Group; return &i }

func (w *World) placement(c *cluster, rest string, rw http.ResponseWriter, req *http.Request) {
	var body asked
	_ = json.NewDecoder(req.Body).Decode(&body) // some requests have no body
	if body.Force || req.URL.Query().Has("force") {
		w.sin("%s %s was forced", req.Method, req.URL.Path)
	}
	switch {
	case req.Method == http.MethodGet && len(c.instances) == 0:
		refuse(rw, http.StatusNotFound, "placement does not exist")
		return
	case req.Method == http.MethodGet:
		w.progress(c)
		c.show(rw)
		return
	case rest == "init":
		w.init(c, body, rw)
		return
	case len(c.instances) == 0:
		refuse(rw, http.StatusNotFound, "key not found")
		return
	}
	if req.Method == http.MethodDelete && c.find(rest) == nil {
		refuse(rw, http.StatusNotFound, "instance not found: "+rest)
		return
	}
	if i := slices.IndexFunc(c.instances, func(i *instance) bool { return !i.settled() }); i >= 0 {
		refuse(rw, http.StatusBadRequest, "instances ["+c.instances[i].ID+"] do not have all shards available")
		return
	}
	switch {
	case req.Method == http.MethodDelete:
		w.remove(c, c.find(rest), rw)
	case rest == "replace":
		w.replace(c, body, rw)
	case len(body.Instances) != 1:
		refuse(rw, http.StatusInternalServerError, "one instance is added at a time here")
	case c.find(body.Instances[0].ID) != nil:
		refuse(rw, http.StatusInternalServerError, "the adding instance is already in the placement")
	default:
		c.add(body.Instances[0].made())
		c.show(rw)
	}
}

func (c *cluster) show(rw http.ResponseWriter) {
	all := map[string]*instance{}
	for _, i := range c.instances {
		all[i.ID] = i
	}
	reply(rw, http.StatusOK, map[string]any{"version": c.version, "placement": map[string]any{"instances": all, "replicaFactor": c.replicas, "numShards": c.shards, "isSharded": true}})
}

func (w *World) init(c *cluster, body asked, rw http.ResponseWriter) {
	if len(c.instances) > 0 {
		refuse(rw, http.StatusConflict, "key already has a value")
		return
	}
	c.shards, c.replicas = body.Shards, body.Replicas
	for _, r := range body.Instances {
		c.instances = append(c.instances, r.made())
	}
	for id := range c.shards {
		for range c.replicas {
			to := c.taker(id, nil)
			if to == nil {
				c.instances = nil
				refuse(rw, http.StatusInternalServerError, noGroups)
				return
			}
			to.Shards = append(to.Shards, &shard{ID: id, State: initializing})
		}
	}
	w.inits++
	c.version++
	c.show(rw)
}

const noGroups = "not enough isolation groups to take shards, please make sure RF is less than number of isolation groups"

// taker returns the instance with the fewest shards that can receive a shard, except besides. An isolation group must not have a shard twice.
func (c *cluster) taker(id int, besides *instance) (best *instance) {
	taken := map[string]bool{}
	for _, i := range c.instances {
		if i != besides && i.has(id) != nil {
			taken[i.Group] = true
		}
	}
	for _, i := range c.instances {
		if i != besides && !taken[i.Group] && (best == nil || len(i.Shards) < len(best.Shards)) {
			best = i
		}
	}
	return best
}

func (i *instance) has(id int) *shard {
	if at := slices.IndexFunc(i.Shards, func(s *shard) bool { return s.ID == id }); at >= 0 {
		return i.Shards[at]
	}
	return nil
}

// add moves some shards of the other instances in the isolation group to a new instance. If the new instance is alone in its group, it gets shards
// of any instance.
func (c *cluster) add(to *instance) {
	part, alone := 0, !slices.ContainsFunc(c.instances, func(i *instance) bool { return i.Group == to.Group })
	for _, from := range c.instances {
		if !alone && from.Group != to.Group {
			continue
		}
		for _, s := range from.Shards {
			if part++; part%2 == 0 && to.has(s.ID) == nil {
				s.State = leaving
				to.Shards = append(to.Shards, &shard{s.ID, initializing, from.ID})
			}
		}
	}
	c.instances = append(c.instances, to)
	c.version++
}

func (w *World) remove(c *cluster, from *instance, rw http.ResponseWriter) {
	w.others(c, from)
	for _, s := range from.Shards {
		if c.taker(s.ID, from) == nil {
			refuse(rw, http.StatusInternalServerError, noGroups)
			return
		}
	}
	for _, s := range from.Shards {
		to := c.taker(s.ID, from)
		to.Shards, to.asked = append(to.Shards, &shard{s.ID, initializing, from.ID}), 0
		s.State = leaving
	}
	c.version++
	c.show(rw)
}

func (w *World) replace(c *cluster, body asked, rw http.ResponseWriter) {
	if len(body.Leaving) != 1 || len(body.Candidates) != 1 || c.find(body.Leaving[0]) == nil {
		refuse(rw, http.StatusInternalServerError, fmt.Sprintf("instance %v does not exist in placement", body.Leaving))
		return
	}
	from, to := c.find(body.Leaving[0]), body.Candidates[0].made()
	switch {
	case c.find(to.ID) != nil:
		refuse(rw, http.StatusInternalServerError, "the adding instance is already in the placement")
		return
	case slices.ContainsFunc(c.instances, func(i *instance) bool { return i != from && i.Group == to.Group && len(c.instances) <= c.replicas }):
		refuse(rw, http.StatusInternalServerError, noGroups)
		return
	}
	w.others(c, from)
	for _, s := range from.Shards {
		to.Shards = append(to.Shards, &shard{s.ID, initializing, from.ID})
		s.State = leaving
	}
	c.instances = append(c.instances, to)
	c.version++
	c.show(rw)
}

// others records a request that a correct agent never makes: an instance is to lose its shards while another instance does not run.
func (w *World) others(c *cluster, besides *instance) {
	for _, i := range c.instances {
		if i != besides && !w.runs(i) {
			w.sin("%s is to go while %s does not run", besides.ID, i.ID)
		}
	}
}

// runs reports whether the node of an instance runs at the address in the placement, and with the ID in the placement.
func (w *World) runs(i *instance) bool { return w.node(i) != nil }

// node returns the machine on which an instance runs, or nil if the instance does not run.
func (w *World) node(i *instance) *Machine {
	host, _, _ := net.SplitHostPort(i.Endpoint)
	if m := w.Machine(host); m != nil && m.ID == i.ID {
		return m
	}
	return nil
}

// progress makes the new shards of running nodes available some requests after the placement changed. It does nothing before there is a namespace.
func (w *World) progress(c *cluster) {
	if len(c.namespaces) == 0 {
		return
	}
	for _, to := range slices.Clone(c.instances) {
		if !slices.ContainsFunc(to.Shards, func(s *shard) bool { return s.State == initializing }) || !w.runs(to) {
			continue
		}
		if to.asked++; to.asked < 2*len(c.instances) {
			continue
		}
		to.asked = 0
		for _, s := range to.Shards {
			if s.State != initializing {
				continue
			}
			from := c.find(s.Source)
			if from != nil && from.Endpoint == to.Endpoint {
				continue // the instance requests the shards of a lost instance from itself, for hours
			}
			if from != nil {
				from.Shards = slices.DeleteFunc(from.Shards, func(o *shard) bool { return o.ID == s.ID && o.State == leaving })
			}
			s.State, s.Source = available, ""
			c.version++
		}
	}
	c.instances = slices.DeleteFunc(c.instances, func(i *instance) bool { return len(i.Shards) == 0 })
}
