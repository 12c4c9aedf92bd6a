package nova

import (
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
	"github.com/stackreeve/stackreeve/internal/simulator/pyjson"
)

// verb is one action: a key in the body of POST /servers/{id}/action.
type verb struct {
	since int
	admin string // the policy that allows the action only to admins; "" if every member may do it
	do    func(c *call, s *Server, arg any) (*oslo.Response, error)
}

// move is an action that changes a server from one of several states to another state, by a task. For example:
//
//	action          from            task           to
//	os-stop         active, error   powering-off   stopped
//	...
type move struct {
	what, task, to string
	from           []string
	power          int
}

var moves = map[string]move{
	"os-stop":       {"stop", "powering-off", stopped, []string{active, failed}, powerShutdown},
	"os-start":      {"start", "powering-on", active, []string{stopped}, powerRunning},
	"pause":         {"pause", "pausing", paused, []string{active}, powerPaused},
	"unpause":       {"unpause", "unpausing", active, []string{paused}, powerRunning},
	"suspend":       {"suspend", "suspending", suspended, []string{active}, powerSuspended},
	"resume":        {"resume", "resuming", active, []string{suspended}, powerRunning},
	"shelve":        {"shelve", "shelving", offloaded, []string{active, stopped, paused, suspended}, powerShutdown},
	"shelveOffload": {"shelveOffload", "shelving_offloading", offloaded, []string{shelved}, powerShutdown},
	"unshelve":      {"unshelve", "unshelving", active, []string{shelved, offloaded}, powerRunning},
	"unrescue":      {"unrescue", "unrescuing", active, []string{rescued}, powerRunning},
}

// withdrawn are actions that Nova removed in microversion 2.44. They are not simulated.
var withdrawn = []string{"addFloatingIp", "removeFloatingIp", "addFixedIp", "removeFixedIp", "os-getVNCConsole", "os-getSPICEConsole", "os-getRDPConsole", "os-getSerialConsole"}

func (n *Nova) addActions() {
	n.addAttachments()
	verbs := map[string]verb{
		"reboot": {do: n.reboot}, "rebuild": {do: n.rebuild}, "resize": {do: n.resize}, "confirmResize": {do: n.confirmResize}, "revertResize": {do: n.revertResize},
		"lock": {do: n.lock}, "unlock": {do: n.unlock}, "createImage": {do: n.createImage}, "os-getConsoleOutput": {do: n.consoleOutput},
		"addSecurityGroup": {do: n.addSecurityGroup}, "removeSecurityGroup": {do: n.removeSecurityGroup}, "rescue": {do: n.rescue}, "changePassword": {do: n.changePassword},
		"forceDelete":   {do: func(c *call, _ *Server, _ any) (*oslo.Response, error) { return n.forceDelete(c) }},
		"os-resetState": {admin: "os-admin-actions:reset_state", do: n.resetState}, "migrate": {admin: "os-migrate-server:migrate", do: n.migrate},
	}
	for name, m := range moves {
		verbs[name] = verb{do: func(c *call, s *Server, _ any) (*oslo.Response, error) { return n.move(c, s, m) }}
	}
	n.handle("POST /v2.1/servers/{id}/action", 1, func(c *call) (*oslo.Response, error) { return n.act(c, verbs) })
	n.handle("POST /v2.1/servers/{id}/remote-consoles", 6, n.remoteConsole)
	n.handle("GET /v2.1/servers/{id}/os-instance-actions", 1, n.listActions)
	n.handle("GET /v2.1/servers/{id}/os-instance-actions/{request}", 1, n.showAction)
}

func (n *Nova) act(c *call, verbs map[string]verb) (*oslo.Response, error) {
	v, err := pyjson.Parse(c.Body())
	body, ok := v.(*pyjson.Object)
	switch {
	case err != nil:
		return nil, badRequest("Malformed request body")
	case !ok || len(body.Keys()) != 1:
		return nil, badRequest("Malformed request body")
	}
	name := body.Keys()[0]
	if slices.Contains(withdrawn, name) {
		return nil, notFound("The resource could not be found.")
	}
	do, known := verbs[name]
	if !known {
		return nil, badRequest("There is no such action: %s", name)
	}
	s, err := n.find(c)
	if err != nil {
		return nil, err
	}
	if do.admin != "" && !c.Caller.Admin() {
		return nil, disallowed(do.admin)
	}
	arg, _ := body.Get(name)
	return do.do(c, s, arg)
}

// ready returns an error if a server is locked, busy, or in a state that the action
// does not allow (compute/api.py: check_instance_state).
func (s *Server) ready(c *call, what string, states ...string) error {
	if err := s.unlocked(c); err != nil {
		return err
	}
	switch {
	case !slices.Contains(states, s.VMState):
		return conflict("Cannot '%s' instance %s while it is in vm_state %s", what, s.ID, s.VMState)
	case s.Task != "":
		return conflict("Cannot '%s' instance %s while it is in task_state %s", what, s.ID, s.Task)
	}
	return nil
}

// unlocked returns an error if a server is locked, unless the caller is an admin.
func (s *Server) unlocked(c *call) error {
	if s.Locked && !c.Caller.Admin() {
		return conflict("Instance %s is locked", s.ID)
	}
	return nil
}

// task starts a task. It ends after the delay that all tasks have.
func (n *Nova) task(c *call, s *Server, what, task string, end func(*Server)) {
	n.record(c, s, what)
	n.to(s, s.VMState, task, s.Power)
	n.later(s.ID, n.opts.BuildDelay, task, func(s *Server) {
		end(s)
		n.finish(s, what, nil)
	})
}

func (n *Nova) move(c *call, s *Server, m move) (*oslo.Response, error) {
	if err := s.ready(c, m.what, m.from...); err != nil {
		return nil, err
	}
	n.task(c, s, m.what, m.task, func(s *Server) {
		switch {
		case m.to == offloaded:
			s.Host = ""
		case s.Host == "":
			h, reason := n.pick(s)
			if reason != "" {
				n.to(s, s.VMState, "", s.Power)
				return
			}
			s.Host = h.name
		}
		n.to(s, m.to, "", m.power)
	})
	return oslo.Accepted(nil), nil
}

var rebootSchema = wrapped("reboot", &pyjson.Schema{Types: []string{"object"}, Required: []string{"type"}, Closed: true,
	Props: []pyjson.Prop{{Name: "type", Schema: &pyjson.Schema{Types: []string{"string"}, Enum: []any{"HARD", "Hard", "hard", "SOFT", "Soft", "soft"}}}}})

func (n *Nova) reboot(c *call, s *Server, arg any) (*oslo.Response, error) {
	if _, err := c.read(rebootSchema); err != nil {
		return nil, err
	}
	o, _ := arg.(*pyjson.Object)
	states, task := []string{active}, "rebooting"
	if strings.EqualFold(o.Text("type"), "hard") {
		states, task = []string{active, stopped, paused, suspended, failed}, "rebooting_hard"
	}
	if err := s.ready(c, "reboot", states...); err != nil {
		return nil, err
	}
	n.task(c, s, "reboot", task, func(s *Server) { n.to(s, active, "", powerRunning) })
	return oslo.Accepted(nil), nil
}

func (n *Nova) lock(c *call, s *Server, arg any) (*oslo.Response, error) {
	s.LockReason = nil
	if o, ok := arg.(*pyjson.Object); ok && c.minor >= 73 && o.Has("locked_reason") {
		reason := o.Text("locked_reason")
		s.LockReason = &reason
	}
	s.Locked = true
	n.record(c, s, "lock")
	n.touch(s)
	return oslo.Accepted(nil), nil
}

func (n *Nova) unlock(c *call, s *Server, _ any) (*oslo.Response, error) {
	s.Locked, s.LockReason = false, nil
	n.record(c, s, "unlock")
	n.touch(s)
	return oslo.Accepted(nil), nil
}

func (n *Nova) rescue(c *call, s *Server, arg any) (*oslo.Response, error) {
	if err := s.ready(c, "rescue", active, stopped, failed); err != nil {
		return nil, err
	}
	o, _ := arg.(*pyjson.Object)
	pass := o.Text("adminPass")
	if pass == "" {
		pass = n.word(12)
	}
	n.task(c, s, "rescue", "rescuing", func(s *Server) { n.to(s, rescued, "", powerRunning) })
	return oslo.OK(map[string]string{"adminPass": pass}), nil
}

func (n *Nova) changePassword(c *call, s *Server, _ any) (*oslo.Response, error) {
	if err := s.ready(c, "changePassword", active); err != nil {
		return nil, err
	}
	n.task(c, s, "changePassword", "updating_password", func(s *Server) { n.to(s, active, "", s.Power) })
	return oslo.Accepted(nil), nil
}

func (n *Nova) forceDelete(c *call) (*oslo.Response, error) {
	_, err := n.deleteServer(c)
	return oslo.Accepted(nil), err
}

func (n *Nova) resetState(c *call, s *Server, arg any) (*oslo.Response, error) {
	o, _ := arg.(*pyjson.Object)
	state := o.Text("state")
	if state != active && state != failed {
		return nil, badRequest("Invalid input for field/attribute state. Value: %s. %s is not one of ['active', 'error']", state, pyjson.Repr(state))
	}
	n.to(s, state, "", s.Power)
	return oslo.Accepted(nil), nil
}

// consoleOutput returns a fixed text as the output of the console, because no machine runs.
func (n *Nova) consoleOutput(_ *call, s *Server, _ any) (*oslo.Response, error) {
	if s.Host == "" {
		return nil, conflict("Instance %s is not ready", s.ID)
	}
	return oslo.OK(map[string]string{"output": "Simulated machine " + s.Name + "\n" + s.Hostname + " login: "}), nil
}

func (n *Nova) remoteConsole(c *call) (*oslo.Response, error) {
	var in struct {
		Console struct{ Protocol, Type string } `json:"remote_console"`
	}
	if !c.Decode(&in) || in.Console.Protocol == "" || in.Console.Type == "" {
		return nil, badRequest("Invalid input for field/attribute remote_console. Value: {}. 'protocol' is a required property")
	}
	s, err := n.find(c)
	if err != nil {
		return nil, err
	}
	if s.Host == "" {
		return nil, conflict("Instance %s is not ready", s.ID)
	}
	return oslo.OK(map[string]any{"remote_console": map[string]string{"protocol": in.Console.Protocol, "type": in.Console.Type,
		"url": c.Host + "/console?token=" + n.cloud.UUID()}}), nil
}
