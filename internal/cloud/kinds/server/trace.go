package server

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// withActionsOfGone is the first microversion that shows the actions on a server
// that no longer exists. (nova/api/openstack/rest_api_version_history.rst: 2.21)
const withActionsOfGone = "2.21"

// action is an entry of a server's action log. The newest entry comes first.
// (nova/api/openstack/compute/views/instance_actions.py)
type action struct {
	Action  string  `json:"action"`
	User    string  `json:"user_id"`
	Start   string  `json:"start_time"`
	Message *string `json:"message"` // set if the action failed
}

// trace finds out when and by whom a server was changed, from its action log. Of
// changes that the log omits (names, metadata), only the time is known, from the
// server's last change. Changes of tags leave no trace.
func trace(ctx context.Context, d driver, have typed.Live[state], changes []kind.Change) (t kind.Trace, ok bool, err error) {
	if names := causes(have.State == nil, changes); len(names) > 0 {
		version, err := d.Client.Microversion(ctx, cloud.Compute, withActionsOfGone)
		if err != nil {
			return t, false, err
		}
		var log struct {
			Actions []action `json:"instanceActions"`
		}
		err = d.Client.Do(ctx, cloud.Call{Service: cloud.Compute, Method: http.MethodGet, Path: d.Path(have.ID) + "/os-instance-actions", Into: &log, Microversion: version})
		if err != nil {
			return t, false, err
		}
		own, _ := d.Client.OwnUser()
		if a := newest(log.Actions, names, own); a != nil {
			when, err := time.Parse("2006-01-02T15:04:05", a.Start)
			return kind.Trace{When: when, Who: d.Client.UserName(ctx, a.User), What: a.Action}, err == nil, err
		}
	}
	if have.State == nil || !slices.ContainsFunc(changes, touches) {
		return t, false, nil
	}
	t.When = have.State.More.Updated.Time
	return t, !t.When.IsZero(), nil
}

// newest returns the newest successful action of the log with one of the names.
// An action of the agent's own user counts only if no other user has one.
func newest(actions []action, names []string, own string) *action {
	var ours *action
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

// causes returns Nova's names of the actions that can have caused the changes.
// (nova/compute/instance_actions.py)
func causes(gone bool, changes []kind.Change) (names []string) {
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

// plugging names the actions that can have caused a difference in a set. If the
// server has a surplus element, somebody attached it (in). If one is missing,
// somebody detached it (out).
func plugging(c kind.Change, in string, out ...string) (names []string) {
	have, _ := c.Have.([]string)
	want, ok := c.Want.([]string)
	if !ok {
		return append(out, in)
	}
	missing := func(from []string) func(string) bool {
		return func(id string) bool { return !slices.Contains(from, id) }
	}
	if slices.ContainsFunc(have, missing(want)) {
		names = append(names, in)
	}
	if slices.ContainsFunc(want, missing(have)) {
		names = append(names, out...)
	}
	return names
}

// touches reports whether Nova updates the server's time of the last change if
// this field changes.
func touches(c kind.Change) bool {
	return slices.Contains([]string{"spec.resource.name", "spec.resource.description", "spec.resource.metadata",
		"spec.resource.userData", "spec.resource.schedulerHints", kind.MarkField}, c.Field)
}
