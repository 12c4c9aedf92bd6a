package nova

import (
	"errors"
	"fmt"
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator/neutron"
	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// A server is built in steps. It is scheduled to a host, or no host is found. It gets its
// ports, spawns, and becomes active after the build delay.
//
//	scheduling -> networking -> spawning -> (none)

func (n *Nova) schedule(id string) {
	n.later(id, n.opts.BuildDelay/10, "scheduling", func(s *Server) {
		h, reason := n.pick(s)
		if reason != "" {
			n.failServer(s, reason)
			return
		}
		s.Host, s.Zone = h.name, h.zone
		n.to(s, building, "networking", powerNone)
		n.later(id, n.opts.BuildDelay/10, "networking", n.plugAll)
	})
}

// later runs f after a delay, if the server is then still in the task.
func (n *Nova) later(id string, delay time.Duration, task string, f func(*Server)) {
	n.cloud.After(delay, func() {
		if s, ok := n.live(id); ok && s.Task == task {
			f(s)
		}
	})
}

func (n *Nova) plugAll(s *Server) {
	wanted := s.wanted
	s.wanted = nil
	for _, w := range wanted {
		if err := n.plug(s, w); err != nil {
			n.abort(s, err)
			return
		}
	}
	if err := n.attachAll(s); err != nil {
		n.abort(s, err)
		return
	}
	n.to(s, building, "spawning", powerNone)
	n.later(s.ID, n.opts.BuildDelay-2*(n.opts.BuildDelay/10), "spawning", n.spawned)
}

func (n *Nova) spawned(s *Server) {
	if len(n.failNext) > 0 {
		text := n.failNext[0]
		n.failNext = n.failNext[1:]
		n.abort(s, errors.New(text))
		return
	}
	s.Launched = n.cloud.Now()
	n.to(s, active, "", powerRunning)
	n.finish(s, "create", nil)
}

// abort mirrors compute/manager.py: BuildAbortException. Interfaces and volumes are released.
func (n *Nova) abort(s *Server, err error) {
	n.unplugAll(s)
	n.detachAll(s)
	s.Host = ""
	n.failServer(s, fmt.Sprintf("Build of instance %s aborted: %s", s.ID, message(err)))
	n.finish(s, "create", err)
}

// plug adds one interface to a server: a new port on a network, or a port that the request named.
func (n *Nova) plug(s *Server, w nic) error {
	if w.refused != nil {
		return w.refused
	}
	if w.port == "" {
		p, err := n.makePort(s, w)
		if err != nil {
			return err
		}
		w.port, w.own = p.ID, true
	} else {
		p, ok := n.network.Port(w.port)
		if !ok {
			return fmt.Errorf("Port id %s could not be found.", w.port)
		}
		if p.DeviceID != "" && p.DeviceID != s.ID {
			return fmt.Errorf("Port %s is still in use.", w.port)
		}
		err := n.network.UpdatePort(w.port, map[string]any{"device_id": s.ID, "device_owner": "compute:" + s.Zone, "binding:host_id": s.Host})
		if err != nil {
			return fmt.Errorf("plug port %s: %w", w.port, err)
		}
	}
	s.nics = append(s.nics, &w)
	n.byPort[w.port] = s
	return nil
}

func (n *Nova) makePort(s *Server, w nic) (*neutron.Port, error) {
	body := map[string]any{"network_id": w.network, "device_id": s.ID, "device_owner": "compute:" + s.Zone, "binding:host_id": s.Host, "admin_state_up": true}
	if w.fixedIP != "" {
		body["fixed_ips"] = []any{map[string]any{"ip_address": w.fixedIP}}
	}
	if len(s.securityIDs) > 0 {
		ids := make([]any, len(s.securityIDs))
		for i, id := range s.securityIDs {
			ids[i] = id
		}
		body["security_groups"] = ids
	}
	return n.network.CreatePort(s.Project, body)
}

// unplug releases an interface. It deletes the port if Nova made the port, and otherwise unbinds it
// (network/neutron.py: _unbind_ports, _delete_ports).
func (n *Nova) unplug(i *nic) {
	delete(n.byPort, i.port)
	if i.own {
		// Somebody else may already have deleted the port.
		_ = n.network.DeletePort(i.port)
		return
	}
	_ = n.network.UpdatePort(i.port, map[string]any{"device_id": "", "device_owner": "", "binding:host_id": ""})
}

func (n *Nova) unplugAll(s *Server) {
	for _, i := range s.nics {
		n.unplug(i)
	}
	s.nics = nil
}

// portGone removes the address of a deleted port from the server (network-vif-deleted, compute/manager.py).
func (n *Nova) portGone(p *neutron.Port) {
	s, ok := n.byPort[p.ID]
	if !ok {
		return
	}
	delete(n.byPort, p.ID)
	for at, i := range s.nics {
		if i.port == p.ID {
			s.nics = append(s.nics[:at:at], s.nics[at+1:]...)
			return
		}
	}
}

// deleteServer answers immediately. The server disappears a little later.
func (n *Nova) deleteServer(c *call) (*oslo.Response, error) {
	s, err := n.find(c)
	if err != nil {
		return nil, err
	}
	if err := s.unlocked(c); err != nil {
		return nil, err
	}
	if s.Task == "deleting" {
		return oslo.NoContent(), nil
	}
	n.record(c, s, "delete")
	n.to(s, s.VMState, "deleting", s.Power)
	id := s.ID
	n.cloud.After(n.opts.BuildDelay/10, func() {
		if s, ok := n.live(id); ok {
			n.drop(s)
		}
	})
	return oslo.NoContent(), nil
}

func (n *Nova) drop(s *Server) {
	n.unplugAll(s)
	n.detachAll(s)
	n.leaveGroup(s)
	n.servers.Remove(s.ID)
	s.Terminated, s.deleted = n.cloud.Now(), true
	n.to(s, deleted, "", powerNone)
	n.gone = append(n.gone, s)
}
