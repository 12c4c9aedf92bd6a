// Package designate simulates the DNS service of Zed: zones and their recordsets, in the one default pool.
//
// The simulator has no name server. A changed object is PENDING during a delay. Then it becomes ACTIVE, or it is
// removed if it was deleted. Imports, exports, transfers, blacklists, TLDs and PTR records of floating IPs are
// not simulated.
package designate

import (
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// Options are the differences between clouds.
type Options struct {
	// PendingDelay is how long zones and recordsets are PENDING.
	PendingDelay time.Duration
	// MaxPage is the maximum length of a page of a list. Zero means Designate's
	// default of 20 records, or as many as a request asks for.
	MaxPage int
}

// Designate is the DNS service. Its methods are called with the cloud's lock held.
type Designate struct {
	cloud      *oslo.Cloud
	opts       Options
	quotas     oslo.Quotas
	zones      *oslo.Resource[Zone]
	recordsets *oslo.Resource[Recordset]
}

// poolID is Designate's default_pool_id, and nameServer is the only server of that pool.
const (
	poolID     = "794ccc2c-d751-44fe-b57f-8894c9f5c842"
	nameServer = "ns1.devstack.org."
)

// New registers the DNS service.
func New(cloud *oslo.Cloud, opts Options) *Designate {
	d := &Designate{cloud: cloud, opts: opts, quotas: oslo.Quotas{Defaults: map[string]int{
		"zones": -1, "zone_recordsets": -1, "zone_records": -1, "recordset_records": -1}}}
	svc := &oslo.Service{Name: "designate", Types: []string{"dns"}, Prefix: "/dns", Render: render}
	cloud.Register(svc)
	svc.HandlePublic("GET /{$}", versions)
	style := d.style()
	d.addZones(svc, style)
	d.addRecordsets(svc, style)
	svc.Handle("GET /v2/quotas/{project}", func(c *oslo.Call) (*oslo.Response, error) {
		if project := c.PathValue("project"); project == c.Caller.ProjectID || c.Caller.Admin() {
			return oslo.OK(d.quotas.Of(project)), nil
		}
		return nil, refused(403, "forbidden", "")
	})
	return d
}

func versions(c *oslo.Call) (*oslo.Response, error) {
	list := []any{}
	for _, v := range [][2]string{{"v2", "SUPPORTED"}, {"v2.0", "CURRENT"}} {
		list = append(list, map[string]any{"id": v[0], "status": v[1], "updated": "2022-06-29T00:00:00Z",
			"links": []any{map[string]string{"href": c.Base + "/v2", "rel": "self"}}})
	}
	return oslo.OK(map[string]any{"versions": list}), nil
}

// SetQuota sets the limit of a project for a resource ("zones", "zone_recordsets",
// "zone_records", "recordset_records"); -1 means no limit.
func (d *Designate) SetQuota(project, name string, limit int) { d.quotas.Set(project, name, limit) }

// within returns an error if a quota would be exceeded (designate/quota/base.py: limit_check).
func (d *Designate) within(project, name string, count int) *oslo.Error {
	if d.quotas.Exceeded(project, name, count) {
		return refused(413, "over_quota", "Quota exceeded for %s.", name)
	}
	return nil
}

// Base contains the common attributes of zones and recordsets.
type Base struct {
	ID        string            `json:"id"`
	ProjectID string            `json:"project_id"`
	Status    string            `json:"status"`
	Action    string            `json:"action"`
	Version   int               `json:"version"`
	CreatedAt string            `json:"created_at"`
	UpdatedAt *string           `json:"updated_at"`
	Links     map[string]string `json:"links"`
}

// baseRows are the rows of the tables for the attributes of Base.
var baseRows = oslo.Table{{Name: "id", Sort: true}, {Name: "project_id"}, {Name: "status", Filter: true, Sort: true}, {Name: "action"},
	{Name: "version"}, {Name: "created_at", Sort: true}, {Name: "updated_at", Sort: true},
	{Name: "description", Create: oslo.Anybody, Update: oslo.Anybody, Filter: true, Parse: oslo.OrNull(types.Text(160))}}

// now returns the time without fractions of a second, because Designate's database stores none.
func (d *Designate) now() string { return d.cloud.Now().Format("2006-01-02T15:04:05.000000") }

func (d *Designate) newBase(project string) Base {
	return Base{ID: d.cloud.UUID(), ProjectID: project, Status: "PENDING", Action: "CREATE", Version: 1, CreatedAt: d.now()}
}

func (d *Designate) changed(b *Base, status, action string) {
	now := d.now()
	b.Status, b.Action, b.Version, b.UpdatedAt = status, action, b.Version+1, &now
}
