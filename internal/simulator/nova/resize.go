package nova

import (
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
	"github.com/stackreeve/stackreeve/internal/simulator/pyjson"
)

func (n *Nova) resize(c *call, s *Server, _ any) (*oslo.Response, error) {
	body, err := c.read(wrapped("resize", &pyjson.Schema{Types: []string{"object"}, Required: []string{"flavorRef"}, Closed: true,
		Props: []pyjson.Prop{{Name: "flavorRef", Schema: flavorRef}, {Name: "OS-DCF:diskConfig", Schema: diskConfig}}}))
	if err != nil {
		return nil, err
	}
	if err := s.ready(c, "resize", active, stopped); err != nil {
		return nil, err
	}
	ref := body.Object("resize").Text("flavorRef")
	f, ok := n.visibleFlavor(c.Caller, ref[strings.LastIndexByte(ref, '/')+1:])
	switch {
	case !ok:
		return nil, badRequest("Flavor %s could not be found.", ref)
	case f.ID == s.Flavor.ID:
		return nil, badRequest("When resizing, instances must change flavor!")
	case f.Disk == 0 && s.Flavor.Disk != 0 && s.Image != "":
		return nil, badRequest("Resize to zero disk flavor is not allowed.")
	}
	more := Flavor{VCPUs: max(0, f.VCPUs-s.Flavor.VCPUs), RAM: max(0, f.RAM-s.Flavor.RAM)}
	if names := n.over(s.Project, 0, &more); len(names) > 0 {
		return nil, n.exceeded(s.Project, 0, &more)
	}
	return n.resizeTo(c, s, f, "resize"), nil
}

// resizeTo starts the task resize_prep, which ends in VERIFY_RESIZE. It stores the old flavor for a revert.
func (n *Nova) resizeTo(c *call, s *Server, f *Flavor, what string) *oslo.Response {
	next := *f
	next.Specs = clone(f.Specs)
	old := s.Flavor
	n.task(c, s, what, "resize_prep", func(s *Server) {
		if err := n.failing("resize"); err != nil { // conductor/tasks/migrate.py: a running server does not show the fault
			n.to(s, s.VMState, "", s.Power)
			n.finish(s, what, err)
			return
		}
		s.resizedFrom, s.before, s.Flavor = &old, s.VMState, next
		n.to(s, resized, "", s.Power)
	})
	return oslo.Accepted(nil)
}

func (n *Nova) migrate(c *call, s *Server, _ any) (*oslo.Response, error) {
	if err := s.ready(c, "migrate", active, stopped); err != nil {
		return nil, err
	}
	return n.resizeTo(c, s, &s.Flavor, "migrate"), nil
}

func (n *Nova) confirmResize(c *call, s *Server, _ any) (*oslo.Response, error) {
	if err := s.ready(c, "confirmResize", resized); err != nil {
		return nil, err
	}
	if s.confirming { // the status of the migration is no longer "finished"
		return nil, badRequest("Instance has not been resized.")
	}
	n.record(c, s, "confirmResize")
	s.confirming = true
	n.later(s.ID, n.opts.BuildDelay/10, "", func(s *Server) {
		if s.VMState == resized {
			s.resizedFrom, s.confirming = nil, false
			n.to(s, s.before, "", s.Power)
		}
	})
	return oslo.NoContent(), nil
}

func (n *Nova) revertResize(c *call, s *Server, _ any) (*oslo.Response, error) {
	if err := s.ready(c, "revertResize", resized); err != nil {
		return nil, err
	}
	if s.confirming {
		return nil, badRequest("Instance has not been resized.")
	}
	n.task(c, s, "revertResize", "resize_reverting", func(s *Server) {
		if s.resizedFrom != nil {
			s.Flavor, s.resizedFrom = *s.resizedFrom, nil
		}
		n.to(s, s.before, "", s.Power)
	})
	return oslo.Accepted(nil), nil
}
