package cinder

import (
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
	"github.com/stackreeve/stackreeve/internal/simulator/pyjson"
)

// SetQuota sets the limit of a project for a resource; -1 means no limit.
func (b *Cinder) SetQuota(project, name string, limit int) { b.quotas.Set(project, name, limit) }

func (b *Cinder) addQuotas() {
	b.handle("GET", "limits", 0, b.showLimits)
	b.handle("GET", "os-availability-zone", 0, func(*call) (*oslo.Response, error) {
		return oslo.OK(map[string]any{"availabilityZoneInfo": []any{map[string]any{"zoneName": zone, "zoneState": map[string]bool{"available": true}}}}), nil
	})
	b.handle("GET", "os-quota-sets/{id}", 0, b.showQuota)
	b.handle("GET", "os-quota-sets/{id}/defaults", 0, b.defaultQuota)
	b.handle("PUT", "os-quota-sets/{id}", 0, b.setQuota)
	b.handle("DELETE", "os-quota-sets/{id}", 0, b.deleteQuota)
	b.handle("GET", "os-services", 0, b.listServices)
	b.handle("GET", "extensions", 0, func(*call) (*oslo.Response, error) {
		return oslo.OK(map[string]any{"extensions": []any{}}), nil
	})
}

// quotaNames returns the names of all quotas: the general quotas, and the quotas of each volume type.
func (b *Cinder) quotaNames() []string {
	names := []string{"volumes", "per_volume_gigabytes", "snapshots", "gigabytes", "backups", "backup_gigabytes"}
	for t := range b.types.All() {
		names = append(names, "volumes_"+t.Name, "gigabytes_"+t.Name, "snapshots_"+t.Name)
	}
	return append(names, "groups")
}

// used counts a project's use of a resource. The sizes of snapshots count as gigabytes, too.
func (b *Cinder) used(project, name string) int {
	kind, typeName, typed := strings.Cut(name, "_")
	total := 0
	switch name {
	case "per_volume_gigabytes", "groups":
		return 0
	case "backups", "backup_gigabytes":
		for s := range b.backups.All() {
			switch {
			case s.Project != project:
			case name == "backups":
				total++
			default:
				total += s.Size
			}
		}
		return total
	}
	of := func(v *Volume) bool { return v.Project == project && (!typed || v.Type.Name == typeName) }
	for v := range b.volumes.All() {
		switch {
		case !of(v):
		case kind == "volumes":
			total++
		case kind == "gigabytes":
			total += v.Size
		}
	}
	for s := range b.snapshots.All() {
		v, ok := b.volumes.Get(s.Volume)
		switch {
		case !ok || !of(v):
		case kind == "snapshots":
			total++
		case kind == "gigabytes":
			total += s.Size
		}
	}
	return total
}

// room returns an error if a quota would be exceeded (volume/flows/api/create_volume.py:
// QuotaReserveTask).
func (b *Cinder) room(project, typeName string, volumes, size int) error {
	if limit := b.quotas.Limit(project, "per_volume_gigabytes"); limit >= 0 && volumes > 0 && size > limit {
		return overLimit("VolumeSizeExceedsLimit", "Requested volume size %d is larger than maximum allowed limit %d.", size, limit)
	}
	for _, name := range []string{"gigabytes", "gigabytes_" + typeName} {
		limit, used := b.quotas.Limit(project, name), b.used(project, name)
		if limit >= 0 && used+size > limit {
			return overLimit("VolumeSizeExceedsAvailableQuota", "Requested volume or snapshot exceeds allowed %s quota. Requested %dG, quota is %dG and %dG has been consumed.", name, size, limit, used)
		}
	}
	for _, name := range []string{"volumes", "volumes_" + typeName} {
		if limit := b.quotas.Limit(project, name); limit >= 0 && volumes > 0 && b.used(project, name)+volumes > limit {
			return overLimit("VolumeLimitExceeded", "Maximum number of volumes allowed (%d) exceeded for quota '%s'.", limit, name)
		}
	}
	return nil
}

func (b *Cinder) quotaSet(value func(name string) any) map[string]any {
	out := map[string]any{}
	for _, name := range b.quotaNames() {
		out[name] = value(name)
	}
	return out
}

func (b *Cinder) showQuota(c *call) (*oslo.Response, error) {
	project := c.id()
	if project != c.Caller.ProjectID && !c.Caller.Manages() {
		return nil, disallowed("volume_extension:quotas:show")
	}
	set := b.quotaSet(func(name string) any {
		if oslo.Truthy(c.Query().Get("usage")) {
			return map[string]int{"limit": b.quotas.Limit(project, name), "in_use": b.used(project, name), "reserved": 0}
		}
		return b.quotas.Limit(project, name)
	})
	set["id"] = project
	return oslo.OK(map[string]any{"quota_set": set}), nil
}

func (b *Cinder) defaultQuota(c *call) (*oslo.Response, error) {
	set := b.quotaSet(func(string) any { return -1 })
	set["id"] = c.id()
	return oslo.OK(map[string]any{"quota_set": set}), nil
}

func (b *Cinder) setQuota(c *call) (*oslo.Response, error) {
	if !c.Caller.Manages() {
		return nil, disallowed("volume_extension:quotas:update")
	}
	body, err := c.read(wrapped("quota_set", &pyjson.Schema{Types: []string{"object"}}))
	if err != nil {
		return nil, err
	}
	in, project := body.Object("quota_set"), c.id()
	known, limits := b.quotaSet(func(string) any { return true }), map[string]int{}
	for _, name := range in.Keys() {
		if known[name] == nil {
			continue
		}
		n, err := strconv.Atoi(in.Text(name))
		if err != nil || n < -1 {
			value, _ := in.Get(name)
			return nil, badRequest("Invalid input for field/attribute quota_set. Value: %s. %s is not a valid limit", pyjson.Str(value), pyjson.Repr(value))
		}
		limits[name] = n
	}
	for name, n := range limits {
		b.quotas.Set(project, name, n)
	}
	return oslo.OK(map[string]any{"quota_set": b.quotaSet(func(name string) any { return b.quotas.Limit(project, name) })}), nil
}

func (b *Cinder) deleteQuota(c *call) (*oslo.Response, error) {
	if !c.Caller.Manages() {
		return nil, disallowed("volume_extension:quotas:delete")
	}
	b.quotas.Reset(c.id())
	return &oslo.Response{Status: 200}, nil
}

func (b *Cinder) showLimits(c *call) (*oslo.Response, error) {
	project := c.Caller.ProjectID
	return oslo.OK(map[string]any{"limits": map[string]any{"rate": []any{}, "absolute": map[string]int{
		"maxTotalVolumes": b.quotas.Limit(project, "volumes"), "maxTotalSnapshots": b.quotas.Limit(project, "snapshots"), "maxTotalVolumeGigabytes": b.quotas.Limit(project, "gigabytes"),
		"maxTotalBackups": b.quotas.Limit(project, "backups"), "maxTotalBackupGigabytes": b.quotas.Limit(project, "backup_gigabytes"),
		"totalVolumesUsed": b.used(project, "volumes"), "totalGigabytesUsed": b.used(project, "gigabytes"), "totalSnapshotsUsed": b.used(project, "snapshots"),
		"totalBackupsUsed": b.used(project, "backups"), "totalBackupGigabytesUsed": b.used(project, "backup_gigabytes")}}}), nil
}

func (b *Cinder) listServices(c *call) (*oslo.Response, error) {
	if !c.Caller.Manages() {
		return nil, disallowed("volume_extension:services:index")
	}
	list := []any{}
	for _, s := range [][2]string{{"cinder-scheduler", "storage"}, {"cinder-volume", "storage@fake"}} {
		list = append(list, map[string]any{"binary": s[0], "host": s[1], "zone": zone, "status": "enabled", "state": "up", "updated_at": oslo.StampMicro(c.Now), "disabled_reason": nil})
	}
	return oslo.OK(map[string]any{"services": list}), nil
}
