package cinder

import (
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
	"github.com/stackreeve/stackreeve/internal/simulator/pyjson"
)

type snapshot struct {
	ID, Project, User, Volume, Status string
	Name, Description                 *string
	Size                              int
	Metadata                          map[string]string
	Created, Updated                  time.Time
}

func (b *Cinder) addSnapshots() {
	b.handle("GET", "snapshots", 0, b.listSnapshots(false))
	b.handle("GET", "snapshots/detail", 0, b.listSnapshots(true))
	b.handle("POST", "snapshots", 0, b.createSnapshot)
	b.handle("GET", "snapshots/{id}", 0, b.showSnapshot)
	b.handle("PUT", "snapshots/{id}", 0, b.updateSnapshot)
	b.handle("DELETE", "snapshots/{id}", 0, b.deleteSnapshot)
	b.handle("GET", "snapshots/{id}/metadata", 0, b.snapshotMetadata(nil))
	b.handle("POST", "snapshots/{id}/metadata", 0, b.snapshotMetadata(func(s *snapshot, in map[string]string) {
		meta := map[string]string{}
		for k, v := range s.Metadata {
			meta[k] = v
		}
		for k, v := range in {
			meta[k] = v
		}
		s.Metadata = meta
	}))
	b.handle("POST", "snapshots/{id}/action", 0, b.snapshotAction)
	b.handle("PUT", "snapshots/{id}/metadata", 0, b.snapshotMetadata(func(s *snapshot, in map[string]string) { s.Metadata = in }))
}

func (b *Cinder) snapshotsOf(volume string) []*snapshot {
	return b.snapshots.Where(func(s *snapshot) bool { return s.Volume == volume })
}

func (b *Cinder) findSnapshot(c *oslo.Caller, id string) (*snapshot, error) {
	s, ok := b.snapshots.Get(id)
	if !ok || s.Project != c.ProjectID && !c.Admin() {
		return nil, notFound("Snapshot %s could not be found.", id)
	}
	return s, nil
}

func (s *snapshot) view(c *call, fresh, extended bool) map[string]any {
	v := map[string]any{"id": s.ID, "created_at": stamp(s.Created), "updated_at": stamp(s.Updated), "name": s.Name, "description": s.Description,
		"volume_id": s.Volume, "status": s.Status, "size": s.Size, "metadata": s.Metadata}
	if fresh {
		v["created_at"], v["updated_at"] = oslo.StampMicro(s.Created), nil
	}
	if extended {
		v["os-extended-snapshot-attributes:project_id"] = s.Project
		v["os-extended-snapshot-attributes:progress"] = "0%"
		if s.Status == "available" {
			v["os-extended-snapshot-attributes:progress"] = "100%"
		}
	}
	if c.minor >= 14 {
		v["group_snapshot_id"] = nil
	}
	if c.minor >= 41 {
		v["user_id"] = s.User
	}
	if c.minor >= 65 {
		v["consumes_quota"] = true
	}
	return v
}

func (b *Cinder) listSnapshots(detail bool) handler {
	return func(c *call) (*oslo.Response, error) {
		l, err := b.listing(c)
		if err != nil {
			return nil, err
		}
		q := c.Query()
		all := c.Caller.Admin() && oslo.Truthy(q.Get("all_tenants"))
		recs := b.snapshots.Where(func(s *snapshot) bool {
			fits := func(key, have string) bool { return !q.Has(key) || q.Get(key) == have }
			return (all || s.Project == c.Caller.ProjectID) && fits("name", deref(s.Name)) && fits("status", s.Status) && fits("volume_id", s.Volume) && fits("id", s.ID)
		})
		slices.Reverse(recs)
		recs, err = cut(c, l, recs, func(s *snapshot) string { return s.ID }, func(id string) error { return notFound("Snapshot %s could not be found.", id) })
		if err != nil {
			return nil, err
		}
		views, path, last := []any{}, "snapshots", ""
		if detail {
			path = "snapshots/detail"
		}
		for _, s := range recs {
			last = s.ID
			views = append(views, s.view(c, false, detail))
		}
		return l.answer(c, "snapshots", path, views, last), nil
	}
}

var snapshotSchema = wrapped("snapshot", &pyjson.Schema{Types: []string{"object"}, Required: []string{"volume_id"}, Props: []pyjson.Prop{
	{Name: "name", Schema: &pyjson.Schema{Types: []string{"string", "null"}, MaxLength: 255}}, {Name: "description", Schema: &pyjson.Schema{Types: []string{"string", "null"}, MaxLength: 255}},
	{Name: "volume_id", Schema: &pyjson.Schema{Types: []string{"string"}, Format: "uuid"}}, {Name: "metadata", Schema: optionalMetadata}}})

func (b *Cinder) createSnapshot(c *call) (*oslo.Response, error) {
	body, err := c.read(snapshotSchema)
	if err != nil {
		return nil, err
	}
	in := body.Object("snapshot")
	v, err := b.find(c.Caller, in.Text("volume_id"))
	if err != nil {
		return nil, err
	}
	force, _ := in.Get("force")
	switch {
	case v.Status == "in-use" && c.minor < 66 && !pyjson.Truthy(force), v.Status != "available" && v.Status != "in-use":
		return nil, badRequest("Invalid volume: Volume %s status must be available, but current status is: %s.", v.ID, v.Status)
	}
	if limit := b.quotas.Limit(v.Project, "snapshots"); limit >= 0 && b.used(v.Project, "snapshots") >= limit {
		return nil, overLimit("SnapshotLimitExceeded", "Maximum number of snapshots allowed (%d) exceeded", limit)
	}
	s := &snapshot{ID: b.cloud.UUID(), Project: c.Caller.ProjectID, User: c.Caller.UserID, Volume: v.ID, Status: "creating", Name: stripped(in, "name"), Description: stripped(in, "description"),
		Size: v.Size, Metadata: texts(in.Object("metadata")), Created: b.cloud.Now()}
	b.snapshots.Add(s)
	b.cloud.After(b.opts.BuildDelay, func() {
		if s.Status == "creating" {
			s.Status, s.Updated = "available", b.cloud.Now()
		}
	})
	return oslo.Accepted(map[string]any{"snapshot": s.view(c, true, false)}), nil
}

func (b *Cinder) showSnapshot(c *call) (*oslo.Response, error) {
	s, err := b.findSnapshot(c.Caller, c.id())
	if err != nil {
		return nil, err
	}
	return oslo.OK(map[string]any{"snapshot": s.view(c, false, true)}), nil
}

func (b *Cinder) updateSnapshot(c *call) (*oslo.Response, error) {
	body, err := c.read(wrapped("snapshot", &pyjson.Schema{Types: []string{"object"}, Closed: true, Props: snapshotSchema.Props[0].Schema.Props[:2]}))
	if err != nil {
		return nil, err
	}
	s, err := b.findSnapshot(c.Caller, c.id())
	if err != nil {
		return nil, err
	}
	in := body.Object("snapshot")
	if in.Has("name") {
		s.Name = stripped(in, "name")
	}
	if in.Has("description") {
		s.Description = stripped(in, "description")
	}
	s.Updated = b.cloud.Now()
	return oslo.OK(map[string]any{"snapshot": s.view(c, false, false)}), nil
}

func (b *Cinder) deleteSnapshot(c *call) (*oslo.Response, error) {
	s, err := b.findSnapshot(c.Caller, c.id())
	if err != nil {
		return nil, err
	}
	if s.Status != "available" && s.Status != "error" {
		return nil, badRequest("Invalid snapshot: Snapshot status must be available or error, and must not be part of a group.")
	}
	s.Status, s.Updated = "deleting", b.cloud.Now()
	b.cloud.After(b.opts.BuildDelay, func() { b.snapshots.Remove(s.ID) })
	return accepted()
}

func (b *Cinder) snapshotMetadata(write func(*snapshot, map[string]string)) handler {
	return func(c *call) (*oslo.Response, error) {
		s, err := b.findSnapshot(c.Caller, c.id())
		if err != nil {
			return nil, err
		}
		if write != nil {
			body, err := c.read(wrapped("metadata", metadataSchema))
			if err != nil {
				return nil, err
			}
			write(s, texts(body.Object("metadata")))
			s.Updated = b.cloud.Now()
		}
		return oslo.OK(map[string]any{"metadata": s.Metadata}), nil
	}
}

// snapshotAction mirrors cinder/api/contrib/admin_actions.py: SnapshotAdminController, os-reset_status.
func (b *Cinder) snapshotAction(c *call) (*oslo.Response, error) {
	const action = "os-reset_status"
	body, err := c.read(wrapped(action, &pyjson.Schema{Types: []string{"object"}, Required: []string{"status"}, Closed: true,
		Props: []pyjson.Prop{{Name: "status", Schema: &pyjson.Schema{Types: []string{"string"}}}}}))
	if err != nil {
		return nil, err
	}
	s, err := b.findSnapshot(c.Caller, c.id())
	switch status := body.Object(action).Text("status"); {
	case err != nil:
		return nil, err
	case !c.Caller.Admin():
		return nil, disallowed("volume_extension:snapshot_admin_actions:reset_status")
	case !slices.Contains([]string{"creating", "available", "deleting", "error", "error_deleting"}, status):
		return nil, badRequest("Must specify a valid status")
	default:
		s.Status, s.Updated = status, b.cloud.Now()
	}
	return accepted()
}
