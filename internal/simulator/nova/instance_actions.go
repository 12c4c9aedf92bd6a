package nova

import (
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// action is an entry of os-instance-actions.
type action struct {
	name, request, user, project string
	start, end                   time.Time
	message                      *string
}

// record adds a started action to the server's list. The newest action is last.
func (n *Nova) record(c *call, s *Server, name string) {
	s.actions = append(slices.Clone(s.actions), action{name: name, request: "req-" + n.cloud.UUID(), user: c.Caller.UserID, project: c.Caller.ProjectID, start: n.cloud.Now(), end: n.cloud.Now()})
}

func (n *Nova) finish(s *Server, name string, err error) {
	for i := len(s.actions) - 1; i >= 0; i-- {
		if a := &s.actions[i]; a.name == name {
			a.end = n.cloud.Now()
			if err != nil {
				word := "Error"
				a.message = &word
			}
			return
		}
	}
}

func (a *action) view(c *call, s *Server) map[string]any {
	v := map[string]any{"action": a.name, "instance_uuid": s.ID, "request_id": a.request, "user_id": a.user, "project_id": a.project,
		"start_time": oslo.StampMicro(a.start), "message": a.message}
	if c.minor >= 58 {
		v["updated_at"] = oslo.StampMicro(a.end)
	}
	return v
}

// acted finds the server whose actions a request lists. From 2.21 on, it also finds deleted servers.
func (n *Nova) acted(c *call) (*Server, error) {
	s, err := n.find(c)
	if err == nil || c.minor < 21 {
		return s, err
	}
	for _, gone := range n.gone {
		if gone.ID == c.PathValue("id") && (c.Caller.Admin() || gone.Project == c.Caller.ProjectID) {
			return gone, nil
		}
	}
	return nil, err
}

func (n *Nova) listActions(c *call) (*oslo.Response, error) {
	s, err := n.acted(c)
	if err != nil {
		return nil, err
	}
	list := []any{}
	for i := len(s.actions) - 1; i >= 0; i-- {
		list = append(list, s.actions[i].view(c, s))
	}
	return oslo.OK(map[string]any{"instanceActions": list}), nil
}

func (n *Nova) showAction(c *call) (*oslo.Response, error) {
	s, err := n.acted(c)
	if err != nil {
		return nil, err
	}
	for i := range s.actions {
		if a := &s.actions[i]; a.request == c.PathValue("request") {
			v := a.view(c, s)
			result := "Success"
			if a.message != nil {
				result = "Error"
			}
			v["events"] = []any{map[string]any{"event": "compute_" + a.name, "start_time": oslo.StampMicro(a.start), "finish_time": oslo.StampMicro(a.end), "result": result}}
			return oslo.OK(map[string]any{"instanceAction": v}), nil
		}
	}
	return nil, notFound("Action %s not found", c.PathValue("request"))
}
