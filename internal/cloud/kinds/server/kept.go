package server

import (
	"context"
	"errors"
	"net/http"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// A volume outlives the servers to which it is attached. But other people can have told Nova to delete a volume together
// with its server (delete_on_termination), and an adopted server still has that setting. The agent clears it before it
// changes or deletes the server.

// withKeptVolumes is the first microversion in which delete_on_termination of an attached volume can be cleared.
const withKeptVolumes = "2.85"

// noteDoomed notes the volumes that would be deleted with the server.
func noteDoomed(w want, have *state, c *kind.Changes) {
	boot, _ := bootVolume(w)
	for _, id := range have.More.doomed() {
		field := "spec.resource.volumes"
		if id == boot {
			field = "spec.resource.bootVolume"
		}
		c.Note(field, "somebody has set in Nova that it deletes volume "+id+" with the server; from API version "+withKeptVolumes+" on, the agent undoes this setting with the next change of the server, or before it deletes the server")
	}
}

// doomed are the IDs of the volumes that Nova would delete with the server.
func (m *More) doomed() (ids []string) {
	for _, v := range m.Volumes {
		if v.Doomed {
			ids = append(ids, v.ID)
		}
	}
	return ids
}

// keepVolumes clears delete_on_termination of all attached volumes. An older Nova does not support that.
func (u *requests) keepVolumes(m *More) {
	doomed := m.doomed()
	if len(doomed) == 0 || u.err != nil {
		return
	}
	version := ""
	if version, u.err = u.Client.Microversion(u.ctx, cloud.Compute, withKeptVolumes); !cloud.AtLeast(version, withKeptVolumes) {
		return
	}
	for _, id := range doomed {
		u.do(cloud.Call{Method: http.MethodPut, Path: "/os-volume_attachments/" + id, Microversion: version,
			Body: map[string]any{"volumeAttachment": map[string]any{"volumeId": id, "delete_on_termination": false}}})
		if errors.Is(u.err, kind.ErrGone) {
			u.err = nil
		}
	}
}

// remove asks Nova to delete the server. It always reports that the server still exists, because Nova deletes it later.
func remove(ctx context.Context, d driver, have typed.Live[state]) (bool, error) {
	if have.State != nil {
		u := requests{driver: d, ctx: ctx, id: have.ID}
		if u.keepVolumes(&have.State.More); u.err != nil {
			return false, u.err
		}
	}
	_, err := d.Remove(ctx, have.ID)
	return false, err
}
