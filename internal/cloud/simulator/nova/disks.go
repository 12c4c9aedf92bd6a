package nova

import (
	"github.com/stackreeve/stackreeve/internal/cloud/simulator/oslo"
	"github.com/stackreeve/stackreeve/internal/cloud/simulator/pyjson"
)

// disk is one entry of block_device_mapping_v2.
type disk struct {
	source, destination, ref, kind, device string
	size                                   int
	boot, temporary                        bool
	tag                                    *string
}

// volume reports whether the disk ends as a volume.
func (d disk) volume() bool { return d.destination == "volume" }

// attachment is a volume on a server.
type attachment struct {
	id, volume, device string
	temporary          bool // delete_on_termination
	tag                *string
}

func (n *Nova) takeDisks(_ *call, _ *Server, in *pyjson.Object) error {
	if len(in.List("block_device_mapping_v2")) > 0 {
		return badRequest("Block Device Mapping is Invalid.")
	}
	return nil
}

func (n *Nova) attachAll(*Server) error { return nil }

func (n *Nova) detachAll(*Server) {}

func (s *Server) volumesView(int) []any { return []any{} }

func (n *Nova) floating(string, string) string { return "" }

func (n *Nova) rulesView(string) []any { return []any{} }

type action struct{}

func (n *Nova) record(*call, *Server, string) {}

func (n *Nova) finish(*Server, string, error) {}

func (s *Server) unlocked(c *call) error {
	if s.Locked && !c.Caller.Admin() {
		return conflict("Instance %s is locked", s.ID)
	}
	return nil
}

// ready refuses a call on a server that is locked, busy, or in another state
// than the call is for (compute/api.py: check_instance_state).
func (s *Server) ready(c *call, what string, states ...string) error {
	if err := s.unlocked(c); err != nil {
		return err
	}
	ok := false
	for _, state := range states {
		ok = ok || state == s.VMState
	}
	switch {
	case !ok:
		return conflict("Cannot '%s' instance %s while it is in vm_state %s", what, s.ID, s.VMState)
	case s.Task != "":
		return conflict("Cannot '%s' instance %s while it is in task_state %s", what, s.ID, s.Task)
	}
	return nil
}

func (n *Nova) addActions() {}

var _ = oslo.OK
