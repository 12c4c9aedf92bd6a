package cinder

import (
	"maps"
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// Volume is a volume.
type Volume struct {
	ID          string
	Project     string
	User        string
	Name        *string
	Description *string
	Size        int // GiB
	Status      string
	Zone        string
	Type        *volumeType
	Snapshot    *string
	Source      *string
	Metadata    map[string]string
	Bootable    bool
	Multiattach bool
	ReadOnly    string // "True" or "False"; "" until somebody has set it
	Created     time.Time
	Updated     time.Time

	image map[string]string // volume_image_metadata
}

// volumeView mirrors cinder/api/v3/views/volumes.py: detail.
type volumeView struct {
	ID          string            `json:"id"`
	Status      string            `json:"status"`
	Size        int               `json:"size"`
	Zone        string            `json:"availability_zone"`
	Created     string            `json:"created_at"`
	Updated     *string           `json:"updated_at"`
	Name        *string           `json:"name"`
	Description *string           `json:"description"`
	Type        string            `json:"volume_type"`
	Snapshot    *string           `json:"snapshot_id"`
	Source      *string           `json:"source_volid"`
	Metadata    map[string]string `json:"metadata"`
	Links       []any             `json:"links"`
	User        string            `json:"user_id"`
	Bootable    string            `json:"bootable"`
	Encrypted   bool              `json:"encrypted"`
	Replication *string           `json:"replication_status"`
	Group       *string           `json:"consistencygroup_id"`
	Multiattach bool              `json:"multiattach"`
	Attachments []any             `json:"attachments"`
	*groupAttr
	*sharedAttrs
	*clusterAttr
	*typeIDAttr
	*quotaAttr
	*tenantAttr
	Image map[string]string `json:"volume_image_metadata,omitempty"`
	*adminAttrs
}

type groupAttr struct {
	Group *string `json:"group_id"`
}

type sharedAttrs struct {
	Shared  bool   `json:"shared_targets"`
	Service string `json:"service_uuid"`
}

type clusterAttr struct {
	Cluster *string `json:"cluster_name"`
}

type typeIDAttr struct {
	TypeID string `json:"volume_type_id"`
}

type quotaAttr struct {
	Consumes bool `json:"consumes_quota"`
}

type tenantAttr struct {
	Tenant string `json:"os-vol-tenant-attr:tenant_id"`
}

type adminAttrs struct {
	Host      string  `json:"os-vol-host-attr:host"`
	Status    *string `json:"os-vol-mig-status-attr:migstat"`
	NameID    *string `json:"os-vol-mig-status-attr:name_id"`
	Migration *string `json:"migration_status"`
}

func links(c *call, path string) []any {
	project := c.PathValue("project")
	return []any{map[string]string{"rel": "self", "href": c.Base + "/v3/" + project + "/" + path}, map[string]string{"rel": "bookmark", "href": c.Base + "/" + project + "/" + path}}
}

func stamp(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := oslo.StampMicro(t.Truncate(time.Second))
	return &s
}

// view returns a volume as the API shows it. With fresh, it is the answer to a create request, whose times have
// microseconds. With extended, it is the answer to a read, which shows the project.
func (b *Cinder) view(c *call, v *Volume, fresh, extended bool) *volumeView {
	out := &volumeView{ID: v.ID, Status: v.Status, Size: v.Size, Zone: v.Zone, Created: *stamp(v.Created), Updated: stamp(v.Updated), Name: v.Name, Description: v.Description,
		Type: v.Type.Name, Snapshot: v.Snapshot, Source: v.Source, Metadata: shownMetadata(v), Links: links(c, "volumes/"+v.ID), User: v.User, Bootable: "false",
		Multiattach: v.Multiattach, Attachments: b.attachmentsOf(c, v)}
	if fresh {
		out.Created, out.Updated = oslo.StampMicro(v.Created), nil
	}
	if v.Bootable {
		out.Bootable = "true"
	}
	if c.minor >= 13 {
		out.groupAttr = &groupAttr{}
	}
	if c.minor >= 48 {
		out.sharedAttrs = &sharedAttrs{Service: b.service}
	}
	if c.minor >= 61 && c.Caller.Admin() {
		out.clusterAttr = &clusterAttr{}
	}
	if c.minor >= 63 {
		out.typeIDAttr = &typeIDAttr{v.Type.ID}
	}
	if c.minor >= 65 {
		out.quotaAttr = &quotaAttr{true}
	}
	if extended {
		out.tenantAttr = &tenantAttr{v.Project}
		out.Image = v.image
		if c.Caller.Admin() {
			out.adminAttrs = &adminAttrs{Host: "storage@fake#fake"}
		}
	}
	return out
}

// shownMetadata mirrors api/api_utils.py: add_visible_admin_metadata. Everybody sees Cinder's own metadata of
// a volume among the metadata that people wrote. Cinder's has precedence.
func shownMetadata(v *Volume) map[string]string {
	if v.ReadOnly == "" {
		return v.Metadata
	}
	all := maps.Clone(v.Metadata)
	if all == nil {
		all = map[string]string{}
	}
	all["readonly"] = v.ReadOnly
	return all
}

func (b *Cinder) brief(c *call, v *Volume) any {
	return map[string]any{"id": v.ID, "name": v.Name, "links": links(c, "volumes/"+v.ID)}
}

func (b *Cinder) touch(v *Volume) { v.Updated = b.cloud.Now() }

// to sets the status of a volume to state. After the delay, it sets the status to next and calls then, unless
// the status has changed.
func (b *Cinder) to(v *Volume, state, next string, then func(*Volume)) {
	v.Status = state
	b.touch(v)
	id := v.ID
	b.cloud.After(b.opts.BuildDelay, func() {
		if v, ok := b.volumes.Get(id); ok && v.Status == state {
			v.Status = next
			b.touch(v)
			if then != nil {
				then(v)
			}
		}
	})
}

func (b *Cinder) find(c *oslo.Caller, id string) (*Volume, error) {
	v, ok := b.volumes.Get(id)
	if !ok || v.Project != c.ProjectID && !c.Admin() {
		return nil, notFound("Volume %s could not be found.", id)
	}
	return v, nil
}

func (c *call) id() string { return c.PathValue("id") }
