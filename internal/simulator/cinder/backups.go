package cinder

import (
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
	"github.com/stackreeve/stackreeve/internal/simulator/pyjson"
)

// backup is a backup of a volume. It still exists after its volume is deleted. An incremental backup of a volume
// is based on the project's previous backup of that volume.
type backup struct {
	ID, Project, User, Volume, Parent, Status string
	Name, Description, Snapshot, Container    *string
	Zone                                      *string
	Size                                      int
	Metadata                                  map[string]string
	Created, Updated                          time.Time

	volume, image map[string]string // metadata of the volume, and of its image
}

func (b *Cinder) addBackups() {
	b.handle("GET", "backups", 0, b.listBackups(false))
	b.handle("GET", "backups/detail", 0, b.listBackups(true))
	b.handle("POST", "backups", 0, b.createBackup)
	b.handle("GET", "backups/{id}", 0, b.showBackup)
	b.handle("PUT", "backups/{id}", 9, b.updateBackup)
	b.handle("DELETE", "backups/{id}", 0, b.deleteBackup)
}

func (b *Cinder) findBackup(c *oslo.Caller, id string) (*backup, error) {
	s, ok := b.backups.Get(id)
	if !ok || s.Project != c.ProjectID && !c.Admin() {
		return nil, notFound("Backup %s could not be found.", id)
	}
	return s, nil
}

func (b *Cinder) basedOn(id string) bool {
	return len(b.backups.Where(func(s *backup) bool { return s.Parent == id })) > 0
}

// view mirrors cinder/api/views/backups.py: summary, and detail if detail is set.
func (s *backup) view(b *Cinder, c *call, detail bool) map[string]any {
	v := map[string]any{"id": s.ID, "name": s.Name, "links": []any{}}
	if !detail {
		return v
	}
	for name, value := range map[string]any{"status": s.Status, "size": s.Size, "object_count": 0, "availability_zone": s.Zone, "container": s.Container,
		"created_at": stamp(s.Created), "updated_at": stamp(s.Updated), "description": s.Description, "fail_reason": nil, "volume_id": s.Volume,
		"is_incremental": s.Parent != "", "has_dependent_backups": b.basedOn(s.ID), "snapshot_id": s.Snapshot, "data_timestamp": stamp(s.Created)} {
		v[name] = value
	}
	if c.minor >= 18 && c.Caller.Admin() {
		v["os-backup-project-attr:project_id"] = s.Project
	}
	if c.minor >= 43 {
		v["metadata"] = s.Metadata
	}
	if c.minor >= 56 && c.Caller.Admin() {
		v["user_id"] = s.User
	}
	return v
}

func (b *Cinder) listBackups(detail bool) handler {
	return func(c *call) (*oslo.Response, error) {
		l, err := b.listing(c)
		if err != nil {
			return nil, err
		}
		all := c.Caller.Admin() && oslo.Truthy(c.Query().Get("all_tenants"))
		recs := b.backups.Where(func(s *backup) bool { return all || s.Project == c.Caller.ProjectID })
		slices.Reverse(recs)
		recs, err = cut(c, l, recs, func(s *backup) string { return s.ID }, func(id string) error { return notFound("Backup %s could not be found.", id) })
		if err != nil {
			return nil, err
		}
		views, path, last := []any{}, "backups", ""
		if detail {
			path = "backups/detail"
		}
		for _, s := range recs {
			last = s.ID
			views = append(views, s.view(b, c, detail))
		}
		return l.answer(c, "backups", path, views, last), nil
	}
}

var backupText = &pyjson.Schema{Types: []string{"string", "null"}, MaxLength: 255}

// backupSchema mirrors cinder/api/schemas/backups.py: create.
func backupSchema(minor int) *pyjson.Schema {
	props := []pyjson.Prop{{Name: "volume_id", Schema: &pyjson.Schema{Types: []string{"string"}, Format: "uuid"}}, {Name: "container", Schema: backupText}, {Name: "description", Schema: backupText},
		{Name: "incremental", Schema: pyjson.Boolean}, {Name: "force", Schema: pyjson.Boolean}, {Name: "name", Schema: backupText}, {Name: "snapshot_id", Schema: optionalID}}
	if minor >= 43 {
		props = append(props, pyjson.Prop{Name: "metadata", Schema: optionalMetadata})
	}
	if minor >= 51 {
		props = append(props, pyjson.Prop{Name: "availability_zone", Schema: backupText})
	}
	return wrapped("backup", &pyjson.Schema{Types: []string{"object"}, Required: []string{"volume_id"}, Closed: true, Props: props})
}

// createBackup mirrors cinder/backup/api.py: create.
func (b *Cinder) createBackup(c *call) (*oslo.Response, error) {
	body, err := c.read(backupSchema(c.minor))
	if err != nil {
		return nil, err
	}
	in := body.Object("backup")
	flag := func(name string) bool { v, _ := in.Get(name); return pyjson.Truthy(v) }
	v, err := b.find(c.Caller, in.Text("volume_id"))
	if err != nil {
		return nil, err
	}
	s := &backup{ID: b.cloud.UUID(), Project: c.Caller.ProjectID, User: c.Caller.UserID, Volume: v.ID, Status: "creating", Name: stripped(in, "name"), Description: stripped(in, "description"),
		Snapshot: textOrNil(in, "snapshot_id"), Container: textOrNil(in, "container"), Zone: textOrNil(in, "availability_zone"), Size: v.Size, Metadata: texts(in.Object("metadata")), Created: b.cloud.Now(),
		volume: v.Metadata, image: v.image}
	if err := b.mayBackUp(c, v, s.Snapshot, flag("force")); err != nil {
		return nil, err
	}
	for name, more := range map[string]int{"backups": 1, "backup_gigabytes": v.Size} {
		if limit := b.quotas.Limit(v.Project, name); limit >= 0 && b.used(v.Project, name)+more > limit {
			return nil, overLimit("BackupLimitExceeded", "Maximum number of backups allowed (%d) exceeded", limit)
		}
	}
	if flag("incremental") {
		for before := range b.backups.All() { // in the order of their creation
			if before.Volume == v.ID && before.Project == s.Project {
				s.Parent = ""
				if before.Status == "available" {
					s.Parent = before.ID
				}
			}
		}
		if s.Parent == "" {
			return nil, badRequest("Invalid backup: No backups available to do an incremental backup.")
		}
	}
	b.backups.Add(s)
	b.backUp(s, v)
	return oslo.Accepted(map[string]any{"backup": s.view(b, c, false)}), nil
}

func (b *Cinder) mayBackUp(c *call, v *Volume, snap *string, force bool) error {
	switch {
	case snap != nil:
		s, err := b.findSnapshot(c.Caller, *snap)
		switch {
		case err != nil:
			return err
		case s.Volume != v.ID:
			return badRequest("Invalid volume: Volume %s does not match with snapshot.volume_id %s.", v.ID, s.Volume)
		case s.Status != "available":
			return badRequest("Invalid snapshot: Snapshot to be backed up must be available, but the current status is \"%s\".", s.Status)
		}
	case v.Status == "in-use" && !force:
		return badRequest("Invalid volume: Backing up an in-use volume must use the force flag.")
	case v.Status != "available" && v.Status != "in-use":
		return badRequest("Invalid volume: Volume to be backed up must be available or in-use, but the current status is \"%s\".", v.Status)
	}
	return nil
}

// backUp makes a backup available after the delay. Until then, the volume or the snapshot has the status
// backing-up.
func (b *Cinder) backUp(s *backup, v *Volume) {
	status, before := &v.Status, v.Status
	during := "backing-up"
	if s.Snapshot != nil {
		if snap, ok := b.snapshots.Get(*s.Snapshot); ok {
			status, before = &snap.Status, snap.Status
		}
	}
	*status = during
	b.cloud.After(b.opts.BuildDelay, func() {
		if *status == during {
			*status = before
		}
		s.Status, s.Updated = "available", b.cloud.Now()
		if s.Container == nil {
			name := "volumes_backup"
			s.Container = &name
		}
		if s.Zone == nil {
			name := zone
			s.Zone = &name
		}
	})
}

func (b *Cinder) showBackup(c *call) (*oslo.Response, error) {
	s, err := b.findBackup(c.Caller, c.id())
	if err != nil {
		return nil, err
	}
	return oslo.OK(map[string]any{"backup": s.view(b, c, true)}), nil
}

func (b *Cinder) updateBackup(c *call) (*oslo.Response, error) {
	props := []pyjson.Prop{{Name: "name", Schema: backupText}, {Name: "description", Schema: backupText}}
	if c.minor >= 43 {
		props = append(props, pyjson.Prop{Name: "metadata", Schema: metadataSchema})
	}
	body, err := c.read(wrapped("backup", &pyjson.Schema{Types: []string{"object", "null"}, Closed: true, Props: props}))
	if err != nil {
		return nil, err
	}
	s, err := b.findBackup(c.Caller, c.id())
	if err != nil {
		return nil, err
	}
	in := body.Object("backup")
	if in.Has("name") {
		s.Name = stripped(in, "name")
	}
	if in.Has("description") {
		s.Description = stripped(in, "description")
	}
	if in.Object("metadata") != nil {
		s.Metadata = texts(in.Object("metadata"))
	}
	s.Updated = b.cloud.Now()
	return oslo.OK(map[string]any{"backup": s.view(b, c, false)}), nil
}

func (b *Cinder) deleteBackup(c *call) (*oslo.Response, error) {
	s, err := b.findBackup(c.Caller, c.id())
	switch {
	case err != nil:
		return nil, err
	case s.Status != "available" && s.Status != "error":
		return nil, badRequest("Invalid backup: Backup status must be available or error")
	case b.basedOn(s.ID):
		return nil, badRequest("Invalid backup: Incremental backups exist for this backup.")
	}
	s.Status, s.Updated = "deleting", b.cloud.Now()
	b.cloud.After(b.opts.BuildDelay, func() { b.backups.Remove(s.ID) })
	return accepted()
}
