package designate

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// Recordset is a recordset as the API shows it. A recordset without records becomes ACTIVE immediately.
type Recordset struct {
	Base
	ZoneID      string   `json:"zone_id"`
	ZoneName    string   `json:"zone_name"`
	Name        string   `json:"name"`
	Type        string   `json:"type"`
	TTL         *int     `json:"ttl"`
	Description *string  `json:"description"`
	Records     []string `json:"records"`

	managed bool // made together with the zone
	serial  int  // the first serial number of the zone that contains the recordset
}

func (d *Designate) addRecordsets(svc *oslo.Service, style *oslo.Style) {
	path := func(r *Recordset) string { return "/v2/zones/" + r.ZoneID + "/recordsets/" + r.ID }
	d.recordsets = &oslo.Resource[Recordset]{Style: style, Name: "recordset", Where: path,
		ID: func(r *Recordset) string { return r.ID }, Owner: func(r *Recordset) string { return r.ProjectID },
		Missing: missing("recordset_id", "RecordSet"), Check: d.checkRecordset, Stored: d.storedRecordset, Remove: d.deleteRecordset,
		View:   func(c *oslo.Call, r *Recordset) any { return view(c, &r.Base, r, path(r)) },
		Answer: func(c *oslo.Call, r *Recordset) *oslo.Response { return answer(c, &r.Base, r, path(r)) },
		Within: func(c *oslo.Call) (func(*Recordset) bool, *oslo.Error) {
			z, err := d.zones.Find(c, "zone_id")
			return func(r *Recordset) bool { return r.ZoneID == z.ID }, err
		},
		Table: append(oslo.Table{
			{Name: "name", Create: oslo.Anybody, Default: "", Filter: true, Sort: true, Parse: domain("Host name", true)},
			{Name: "type", Create: oslo.Anybody, Default: "None", Filter: true, Sort: true, Parse: types.Text(255)},
			{Name: "ttl", Create: oslo.Anybody, Update: oslo.Anybody, Filter: true, Sort: true, Parse: oslo.OrNull(types.Int(0, 1<<31-1))},
			{Name: "records", Create: oslo.Anybody, Update: oslo.Anybody, Default: []string{}, Filter: true, Sort: true, Parse: records},
			{Name: "zone_id", Sort: true}, {Name: "zone_name"},
		}, baseRows...)}
	d.recordsets.Serve(svc, "/v2/zones/{zone_id}/recordsets", "recordset_id", "PUT")
	svc.Handle("GET /v2/recordsets", d.recordsets.ListAll)
	svc.Handle("GET /v2/recordsets/{recordset_id}", func(c *oslo.Call) (*oslo.Response, error) {
		r, ok := d.recordsets.Store.Get(c.PathValue("recordset_id"))
		if !ok || r.ProjectID != c.Caller.ProjectID {
			return nil, d.recordsets.Missing(c.PathValue("recordset_id"))
		}
		return (&oslo.Response{Status: http.StatusMovedPermanently}).With("Location", c.Base+path(r)), nil
	})
}

// records parses the records of a recordset. They are a set, so Designate does not return them in the order of
// the request.
func records(_ string, v any) (any, *oslo.Error) {
	list, ok := v.([]any)
	if !ok {
		return nil, invalid(flaw{[]any{"records"}, fmt.Sprintf("'%v' is not a valid list of records", v), "type", []string{"list"}})
	}
	out := []string{}
	for _, x := range list {
		out = append(out, fmt.Sprint(x))
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

func (d *Designate) recordsOf(z *Zone) []*Recordset {
	return d.recordsets.Store.Where(func(r *Recordset) bool { return r.ZoneID == z.ID })
}

// addManaged makes the recordsets that Designate creates with every zone.
func (d *Designate) addManaged(z *Zone) {
	add := func(kind, data string) {
		d.recordsets.Store.Add(&Recordset{Base: d.newBase(z.ProjectID), ZoneID: z.ID, ZoneName: z.Name, Name: z.Name, Type: kind,
			Records: []string{data}, managed: true, serial: z.Serial})
	}
	add("SOA", z.soa())
	if z.Type == "PRIMARY" {
		add("NS", nameServer)
	}
}

func (d *Designate) updateSOA(z *Zone) {
	for _, r := range d.recordsOf(z) {
		if r.Type == "SOA" {
			r.Records = []string{z.soa()}
			d.publishRecords(z, r)
		}
	}
}

// publishRecords marks a recordset as changed. It becomes ACTIVE when the zone's present serial number becomes
// active.
func (d *Designate) publishRecords(z *Zone, r *Recordset) {
	r.serial = z.Serial
	d.changed(&r.Base, "PENDING", "UPDATE")
	r.settleIfEmpty()
}

func (r *Recordset) settleIfEmpty() {
	if len(r.Records) == 0 {
		r.Status, r.Action = "ACTIVE", "NONE"
	}
}

// checkRecordset validates a new or changed recordset as the object's validate
// and central's _validate_recordset do, in this order.
func (d *Designate) checkRecordset(c *oslo.Call, r, old *Recordset, _ oslo.Values) *oslo.Error {
	z, err := d.zones.Find(c, "zone_id")
	switch {
	case err != nil:
		return err
	case r.managed:
		return badRequest("Managed records may not be updated")
	case old == nil:
		r.Base, r.ZoneID, r.ZoneName = d.newBase(z.ProjectID), z.ID, z.Name
	}
	if err := r.validate(); err != nil {
		return err
	}
	if r.Type == "SOA" {
		return badRequest("Creating a SOA recordset is not allowed")
	}
	if err := z.alive(); err != nil {
		return err
	}
	mates := slices.DeleteFunc(d.recordsOf(z), func(o *Recordset) bool { return o.ID == r.ID })
	if err := d.limitRecordset(z, r, mates); err != nil {
		return err
	}
	if err := d.placeRecordset(z, r, mates); err != nil {
		return err
	}
	if slices.ContainsFunc(mates, func(o *Recordset) bool { return o.Type == r.Type && strings.EqualFold(o.Name, r.Name) }) {
		return refused(409, "duplicate_recordset", "Duplicate RecordSet")
	}
	return nil
}

func (d *Designate) limitRecordset(z *Zone, r *Recordset, mates []*Recordset) *oslo.Error {
	if err := d.within(z.ProjectID, "zone_recordsets", len(mates)+1); err != nil {
		return err
	}
	count := len(r.Records)
	for _, o := range mates {
		if !o.managed {
			count += len(o.Records)
		}
	}
	if err := d.within(z.ProjectID, "zone_records", count); err != nil {
		return err
	}
	return d.within(z.ProjectID, "recordset_records", len(r.Records))
}

func (d *Designate) storedRecordset(_ *oslo.Call, r, old *Recordset) {
	z, _ := d.zones.Store.Get(r.ZoneID)
	if old != nil {
		d.publish(z)
		d.publishRecords(z, r)
		return
	}
	if r.settleIfEmpty(); len(r.Records) > 0 {
		d.publish(z)
		r.serial = z.Serial
	}
}

func (d *Designate) placeRecordset(z *Zone, r *Recordset, mates []*Recordset) *oslo.Error {
	const location = "invalid_recordset_location"
	switch {
	case r.Name == "":
		return refused(400, "invalid_object", "")
	case r.Name != z.Name && !strings.HasSuffix(r.Name, "."+z.Name):
		return refused(400, location, "RecordSet is not contained within it's parent zone")
	case r.Type == "CNAME" && r.Name == z.Name:
		return refused(400, location, "CNAME recordsets may not be created at the zone apex")
	}
	for _, o := range mates {
		if o.Name == r.Name && (o.Type == "CNAME" || r.Type == "CNAME") {
			return refused(400, location, "CNAME recordsets may not share a name with any other records")
		}
	}
	for child := range d.zones.Store.All() {
		if child.parent == z.ID && r.Name != z.Name && (r.Name == child.Name || strings.HasSuffix(r.Name, "."+child.Name)) {
			return refused(400, location, "RecordSet belongs in a child zone: %s", child.Name)
		}
	}
	if r.Type == "CNAME" && len(r.Records) > 1 {
		return badRequest("CNAME recordsets may not have more than 1 record")
	}
	return nil
}

// deleteRecordset removes a recordset immediately, as the real service does. The answer shows it as PENDING. The
// zone is PENDING until its name servers have the change.
func (d *Designate) deleteRecordset(_ *oslo.Call, r *Recordset) *oslo.Error {
	z, _ := d.zones.Store.Get(r.ZoneID)
	switch {
	case r.Type == "SOA":
		return badRequest("Deleting a SOA recordset is not allowed")
	case r.managed:
		return badRequest("Managed records may not be deleted")
	}
	if err := z.alive(); err != nil {
		return err
	}
	d.recordsets.Store.Remove(r.ID)
	d.publish(z)
	if d.publishRecords(z, r); r.Status == "PENDING" {
		r.Action = "DELETE"
	}
	return nil
}
