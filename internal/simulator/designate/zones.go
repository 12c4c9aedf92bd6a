package designate

import (
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// Zone is a zone as the API shows it.
type Zone struct {
	Base
	Name          string            `json:"name"`
	Type          string            `json:"type"` // "PRIMARY" or "SECONDARY"
	Email         string            `json:"email"`
	TTL           int               `json:"ttl"`
	Description   *string           `json:"description"`
	Serial        int               `json:"serial"`
	PoolID        string            `json:"pool_id"`
	Masters       []string          `json:"masters"`
	Attributes    map[string]string `json:"attributes"`
	TransferredAt *string           `json:"transferred_at"`

	parent  string // ID of the zone that this zone is a subdomain of
	refresh int
}

func (d *Designate) addZones(svc *oslo.Service, style *oslo.Style) {
	path := func(z *Zone) string { return "/v2/zones/" + z.ID }
	d.zones = &oslo.Resource[Zone]{Style: style, Name: "zone", Where: path,
		ID: func(z *Zone) string { return z.ID }, Owner: func(z *Zone) string { return z.ProjectID },
		Missing: missing("zone_id", "Zone"), Check: d.checkZone, Stored: d.storedZone, Remove: d.deleteZone,
		View:   func(c *oslo.Call, z *Zone) any { return view(c, &z.Base, z, path(z)) },
		Answer: func(c *oslo.Call, z *Zone) *oslo.Response { return answer(c, &z.Base, z, path(z)) },
		Table: append(oslo.Table{
			{Name: "name", Create: oslo.Anybody, Required: true, Filter: true, Sort: true, Parse: domain("Domain", false)},
			{Name: "type", Create: oslo.Anybody, Default: "PRIMARY", Filter: true, Parse: types.OneOf("SECONDARY", "PRIMARY")},
			{Name: "email", Create: oslo.Anybody, Update: oslo.Anybody, Default: "hostmaster@example.com", Filter: true, Parse: email},
			{Name: "ttl", Create: oslo.Anybody, Update: oslo.Anybody, Default: 3600, Filter: true, Sort: true, Parse: types.Int(0, 1<<31-1)},
			{Name: "masters", Create: oslo.Anybody, Update: oslo.Anybody, Default: []string{}, Parse: types.Texts(master)},
			{Name: "attributes", Create: oslo.Anybody, Update: oslo.Anybody, Default: map[string]string{}, Parse: attributes},
			{Name: "pool_id"}, {Name: "serial", Sort: true}, {Name: "transferred_at"},
		}, baseRows...)}
	d.zones.Serve(svc, "/v2/zones", "zone_id", "PATCH")
	svc.Handle("GET /v2/zones/{zone_id}/nameservers", func(c *oslo.Call) (*oslo.Response, error) {
		if _, err := d.zones.Find(c, "zone_id"); err != nil {
			return nil, err
		}
		return oslo.OK(map[string]any{"nameservers": []any{map[string]any{"hostname": nameServer, "priority": 1}}}), nil
	})
}

// validate mirrors designate/objects/zone.py: validate.
func (z *Zone) validate(v oslo.Values) *oslo.Error {
	at := func(name string) []any { return []any{"type", name} }
	switch secondary := z.Type == "SECONDARY"; {
	case !secondary && len(z.Masters) > 0:
		return invalid(flaw{[]any{"type"}, "'masters' has more items than allowed", "maxItems", []string{"masters"}})
	case !secondary && (!v.Sent("email") && z.ID == "" || z.Email == ""):
		return invalid(flaw{at("email"), "'email' is a required property", "required", "email"})
	case secondary && len(z.Masters) == 0:
		return invalid(flaw{at("masters"), "'masters' is a required property", "required", []string{"masters"}})
	case secondary:
		for _, name := range []string{"email", "ttl"} {
			if v.Sent(name) {
				return invalid(flaw{[]any{"type"}, "'" + name + "' can't be specified when type is SECONDARY", "not_allowed", name})
			}
		}
	}
	return nil
}

// checkZone mirrors the checks of a new or changed zone in
// designate/central/service.py.
func (d *Designate) checkZone(c *oslo.Call, z, old *Zone, v oslo.Values) *oslo.Error {
	if err := z.validate(v); err != nil {
		return err
	}
	if old != nil {
		return old.alive()
	}
	z.Base, z.PoolID, z.Serial, z.refresh = d.newBase(c.Caller.ProjectID), poolID, 1, 3500+d.cloud.Intn(100)
	if z.Type == "PRIMARY" {
		z.Serial = int(d.cloud.Now().Unix())
	}
	return d.place(z)
}

func (d *Designate) storedZone(_ *oslo.Call, z, old *Zone) {
	if old != nil {
		d.publish(z)
		return
	}
	d.addManaged(z)
	d.settleLater(z)
	for _, below := range d.below(z) {
		below.parent = z.ID
		d.publish(below)
	}
}

// below returns the zones whose names are subdomains of the name of z.
func (d *Designate) below(z *Zone) []*Zone {
	return d.zones.Store.Where(func(o *Zone) bool { return o.isWithin(z) })
}

func (z *Zone) isWithin(o *Zone) bool {
	return strings.HasSuffix(strings.ToLower(z.Name), "."+strings.ToLower(o.Name))
}

// place checks the name of a new zone against the zones of all projects, and finds its parent.
func (d *Designate) place(z *Zone) *oslo.Error {
	own := d.zones.Store.Where(func(o *Zone) bool { return o.ProjectID == z.ProjectID })
	if err := d.within(z.ProjectID, "zones", len(own)+1); err != nil {
		return err
	}
	if strings.Count(z.Name, ".") < 2 {
		return refused(400, "invalid_zone_name", "More than one label is required")
	}
	parent := &Zone{}
	for o := range d.zones.Store.All() {
		switch {
		case strings.EqualFold(o.Name, z.Name):
			return refused(409, "duplicate_zone", "Duplicate Zone")
		case o.isWithin(z) && o.ProjectID != z.ProjectID:
			return refused(403, "illegal_parent", "Unable to create zone because another tenant owns a subzone of the zone")
		case z.isWithin(o) && len(o.Name) > len(parent.Name):
			parent = o
		}
	}
	if z.parent = parent.ID; parent.ID != "" && parent.ProjectID != z.ProjectID {
		return refused(403, "illegal_child", "Unable to createsubzone in another tenants zone")
	}
	return nil
}

func (z *Zone) alive() *oslo.Error {
	if z.Action == "DELETE" {
		return badRequest("Can not update a deleting zone")
	}
	return nil
}

func (d *Designate) deleteZone(_ *oslo.Call, z *Zone) *oslo.Error {
	if len(d.zones.Store.Where(func(o *Zone) bool { return o.parent == z.ID })) > 0 {
		return refused(400, "zone_has_sub_zone", "Please delete any subzones before deleting this zone")
	}
	d.changed(&z.Base, "PENDING", "DELETE")
	d.settleLater(z)
	return nil
}

// publish makes the name servers fetch a changed zone.
func (d *Designate) publish(z *Zone) {
	if z.Type == "PRIMARY" {
		z.Serial = max(int(d.cloud.Now().Unix()), z.Serial+1)
		d.updateSOA(z)
	}
	d.changed(&z.Base, "PENDING", "UPDATE")
	d.settleLater(z)
}

// settleLater ends the PENDING status of all changes up to now after the delay. It does not end the PENDING
// status of changes that follow.
func (d *Designate) settleLater(z *Zone) {
	serial, action := z.Serial, z.Action
	d.cloud.After(d.opts.PendingDelay, func() {
		switch _, there := d.zones.Store.Get(z.ID); {
		case !there || z.Action == "DELETE" && action != "DELETE":
			return
		case z.Action == "DELETE":
			for _, r := range d.recordsOf(z) {
				d.recordsets.Store.Remove(r.ID)
			}
			d.zones.Store.Remove(z.ID)
			return
		}
		for _, r := range d.recordsOf(z) {
			if r.Status == "PENDING" && r.serial <= serial {
				r.Status, r.Action = "ACTIVE", "NONE"
			}
		}
		if z.Status == "PENDING" && z.Serial <= serial {
			d.changed(&z.Base, "ACTIVE", "NONE")
		}
	})
}

// soa mirrors designate/central/service.py: _build_soa_record.
func (z *Zone) soa() string {
	return fmt.Sprintf("%s %s. %d %d 600 86400 3600", nameServer, strings.Replace(z.Email, "@", ".", 1), z.Serial, z.refresh)
}
