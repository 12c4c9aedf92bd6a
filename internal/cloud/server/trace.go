package server

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// withActionsOfGone is the microversion from which the actions on a server
// outlive it. (nova/api/openstack/rest_api_version_history.rst: 2.21)
const withActionsOfGone = "2.21"

// instanceAction is an entry of a server's action log, newest first.
// (nova/api/openstack/compute/views/instance_actions.py)
type instanceAction struct {
	Action  string  `json:"action"`
	User    string  `json:"user_id"`
	Start   string  `json:"start_time"`
	Message *string `json:"message"` // set when it failed
}

// Trace asks the server's action log. What is not in there (names, metadata)
// shows in the time of the last change; tags show nowhere.
func (d driver) Trace(ctx context.Context, have kind.Live[*State], changes []kind.Change) (t kind.Trace, ok bool, err error) {
	names := culprits(have.State == nil, changes)
	if len(names) > 0 {
		actions, err := d.actions(ctx, have.ID)
		if err != nil {
			return t, false, err
		}
		own, _ := d.c.OwnUser()
		if a := newest(actions, names, own); a != nil {
			when, err := time.Parse("2006-01-02T15:04:05", a.Start)
			return kind.Trace{When: when, Who: d.c.UserName(ctx, a.User), What: a.Action}, err == nil, err
		}
	}
	if have.State == nil || !slices.ContainsFunc(changes, touches) {
		return t, false, nil
	}
	return kind.Trace{When: have.State.Updated}, !have.State.Updated.IsZero(), nil
}

func (d driver) actions(ctx context.Context, id string) ([]instanceAction, error) {
	version, err := d.c.Microversion(ctx, cloud.Compute, withActionsOfGone)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Actions []instanceAction `json:"instanceActions"`
	}
	err = d.c.Do(ctx, cloud.Call{Service: cloud.Compute, Method: http.MethodGet, Path: "servers/" + id + "/os-instance-actions", Into: &answer, Microversion: version})
	return answer.Actions, err
}

// newest is the newest of the named actions that succeeded: somebody else's,
// unless they are all our own user's.
func newest(actions []instanceAction, names []string, own string) *instanceAction {
	var ours *instanceAction
	for i := range actions {
		a := &actions[i]
		switch {
		case a.Message != nil || !slices.Contains(names, a.Action):
		case a.User != own:
			return a
		case ours == nil:
			ours = a
		}
	}
	return ours
}

// culprits are the actions that can have brought changes about, as Nova calls
// them. (nova/compute/instance_actions.py)
func culprits(gone bool, changes []kind.Change) (names []string) {
	if gone {
		return []string{"delete"}
	}
	for _, c := range changes {
		switch c.Field {
		case "spec.resource.flavorRef":
			names = append(names, "resize", "revertResize")
		case "spec.resource.imageRef", "spec.resource.keypairRef":
			names = append(names, "rebuild")
		case "spec.resource.availabilityZone":
			names = append(names, "unshelve", "live-migration", "migrate", "evacuate")
		case "spec.resource.ports":
			names = append(names, plugging(c, "attach_interface", "detach_interface")...)
		case "spec.resource.volumes", "spec.resource.bootVolume":
			names = append(names, plugging(c, "attach_volume", "detach_volume", "swap_volume")...)
		}
	}
	return names
}

// plugging tells what of a set there is too much of was plugged in, and what is
// missing pulled out. Mending does the opposite, and is not to blame.
func plugging(c kind.Change, in string, out ...string) (names []string) {
	have, _ := c.Have.([]string)
	want, ok := c.Want.([]string)
	if !ok {
		return append(out, in)
	}
	if slices.ContainsFunc(have, func(id string) bool { return !slices.Contains(want, id) }) {
		names = append(names, in)
	}
	if slices.ContainsFunc(want, func(id string) bool { return !slices.Contains(have, id) }) {
		names = append(names, out...)
	}
	return names
}

// touches tells whether a change of the field counts as a change of the server.
func touches(c kind.Change) bool {
	switch c.Field {
	case "spec.resource.name", "spec.resource.description", "spec.resource.metadata",
		"spec.resource.userData", "spec.resource.schedulerHints", kind.MarkField:
		return true
	}
	return false
}
