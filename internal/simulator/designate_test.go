package simulator_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/dns/v2/recordsets"
	"github.com/gophercloud/gophercloud/v2/openstack/dns/v2/zones"

	"github.com/stackreeve/stackreeve/internal/simulator"
)

// dns starts a cloud whose zones stay pending until the test advances the time.
func dns(t *testing.T, opts simulator.Options) (*simulator.Server, *rawOctavia) {
	t.Helper()
	s, o := octavia(t, "demo", opts)
	o.url = s.URL + "/dns"
	return s, o
}

const exampleZone = `{"name": "example.com.", "email": "admin@example.com"}`

func TestZoneIsPendingUntilItIsServed(t *testing.T) {
	_, o := dns(t, simulator.Options{})
	made := o.expect("POST", "/v2/zones", exampleZone, 202, `"status":"PENDING","action":"CREATE","version":1`)
	at := "/v2/zones/" + o.field(made, "id")
	for _, part := range []string{`"ttl":3600`, `"type":"PRIMARY"`, `"masters":[]`, `"attributes":{}`, `"description":null`, `"updated_at":null`,
		`"pool_id":"794ccc2c-d751-44fe-b57f-8894c9f5c842"`, `"serial":1795262400`, `"created_at":"2026-11-21T12:00:00.000000"`} {
		if !strings.Contains(made, part) {
			t.Errorf("no %s in %s", part, made)
		}
	}
	if link := o.field(made, "links.self"); link != o.url+at {
		t.Errorf("link %s", link)
	}
	o.expect("GET", at, "", 200, `"status":"PENDING"`)
	o.settle()
	o.expect("GET", at, "", 200, `"status":"ACTIVE","action":"NONE","version":2`)
	o.expect("PATCH", at, `{"name": "example.com.", "ttl": 60, "description": "d"}`, 202, `"status":"PENDING","action":"UPDATE"`)
	o.expect("GET", at+"/recordsets?type=SOA", "", 200, "ns1.devstack.org. admin.example.com. 1795262460 ")
	o.settle()
	o.expect("GET", "/v2/zones?description=D*", "", 200, `"metadata":{"total_count":1}`)
	o.expect("DELETE", at, "", 202, `"status":"PENDING","action":"DELETE"`)
	o.expect("PATCH", at, `{"ttl": 61}`, 400, `"type":"bad_request","message":"Can not update a deleting zone"`)
	o.expect("POST", "/v2/zones", exampleZone, 409, `{"code":409,"type":"duplicate_zone","message":"Duplicate Zone","request_id":"req-`)
	o.expect("GET", "/v2/recordsets", "", 200, `"metadata":{"total_count":2}`)
	o.settle()
	o.expect("GET", at, "", 404, `"type":"zone_not_found","message":"Could not find Zone"`)
	o.expect("GET", "/v2/recordsets", "", 200, `"recordsets":[]`)
}

// A change that is requested later also ends later.
func TestEarlierChangeDoesNotEndALaterOne(t *testing.T) {
	_, o := dns(t, simulator.Options{})
	at := "/v2/zones/" + o.field(o.expect("POST", "/v2/zones", exampleZone, 202, ""), "id")
	half := func() { *o.now = o.now.Add(600 * time.Millisecond) }
	half()
	o.expect("PATCH", at, `{"ttl": 60}`, 202, `"action":"UPDATE"`)
	half()
	o.expect("GET", at, "", 200, `"status":"PENDING","action":"UPDATE"`)
	o.expect("DELETE", at, "", 202, `"action":"DELETE"`)
	half()
	o.expect("GET", at, "", 200, `"status":"PENDING","action":"DELETE"`)
	half()
	o.expect("GET", at, "", 404, "")
}

func TestRecordsetsOfAZone(t *testing.T) {
	_, o := dns(t, simulator.Options{})
	zone := o.field(o.expect("POST", "/v2/zones", exampleZone, 202, ""), "id")
	o.settle()
	at := "/v2/zones/" + zone + "/recordsets"
	made := o.expect("POST", at, `{"name": "www.example.com.", "type": "A", "ttl": "60", "records": ["10.0.0.2", "10.0.0.1", "10.0.0.2"]}`, 202,
		`"ttl":60,"description":null,"records":["10.0.0.1","10.0.0.2"]`)
	id := o.field(made, "id")
	if o.field(made, "zone_id") != zone || o.field(made, "zone_name") != "example.com." || o.field(made, "action") != "CREATE" {
		t.Error(made)
	}
	o.expect("GET", "/v2/zones/"+zone, "", 200, `"status":"PENDING","action":"UPDATE"`)
	o.expect("POST", at, `{"name": "www.example.com.", "type": "A", "records": []}`, 409, `"type":"duplicate_recordset"`)
	o.settle()
	o.expect("GET", at+"/"+id, "", 200, `"status":"ACTIVE","action":"NONE"`)
	o.expect("PUT", at+"/"+id, `{"records": ["10.0.0.3"], "ttl": null, "type": "A"}`, 202, `"ttl":null,"description":null,"records":["10.0.0.3"]`)
	o.expect("PUT", at+"/"+id, `{"type": "AAAA"}`, 400, `"message":"Provided object does not match schema. Keys ['type'] are not valid for recordset"`)
	o.expect("PUT", at+"/"+id, `{"records": []}`, 200, `"status":"ACTIVE"`)
	o.expect("GET", "/v2/recordsets?name=*www*&sort_key=name", "", 200, `"total_count":1`)
	o.expect("PATCH", at+"/"+id, `{}`, 405, `{"code":405,"type":"method_not_allowed","request_id":`)
	o.expect("DELETE", at+"/"+id, "", 202, "")
	o.expect("GET", at+"/"+id, "", 404, `"type":"recordset_not_found","message":"Could not find RecordSet"`)
	for kind, says := range map[string]string{"SOA": "Deleting a SOA recordset is not allowed", "NS": "Managed records may not be deleted"} {
		managed := o.field(o.expect("GET", at+"?type="+kind, "", 200, ""), "recordsets.0.id")
		o.expect("DELETE", at+"/"+managed, "", 400, says)
		o.expect("PUT", at+"/"+managed, `{"ttl": 5}`, 400, "Managed records may not be updated")
	}
}

func TestDesignateRefuses(t *testing.T) {
	s, o := dns(t, simulator.Options{})
	zone := func(body string, code int, says string) {
		t.Helper()
		o.expect("POST", "/v2/zones", body, code, says)
	}
	zone("", 400, `"type":"empty_request_body"`)
	zone(`{`, 400, `"type":"invalid_json"`)
	zone(`{"email": "a@b.c"}`, 400, `"errors":{"errors":[{"path":["records",0,"name"],"message":"'name' is a required property","validator":"required","validator_value":["name"]}]}`)
	zone(`{"name": "a.b."}`, 400, `{"path":["type","email"],"message":"'email' is a required property"`)
	zone(`{"name": "a.b", "email": "a@b.c"}`, 400, `"type":"invalid_object","message":"Provided object is not valid. Got a ValueError error with message Domain a.b does not end with a dot"`)
	zone(`{"name": "com.", "email": "a@b.c"}`, 400, `"type":"invalid_zone_name","message":"More than one label is required"`)
	zone(`{"name": "a.b.", "email": "a"}`, 400, "a is not an email")
	zone(`{"name": "a.b.", "email": "a@b.c", "ttl": -1}`, 400, "Value must be")
	zone(`{"name": "a.b.", "email": "a@b.c", "description": "`+strings.Repeat("d", 161)+`"}`, 400, "Value too long for description")
	zone(`{"name": "a.b.", "email": "a@b.c", "status": "ACTIVE", "nosuch": 1}`, 400, "Keys ['nosuch'] are not valid for zone")
	zone(`{"name": "a.b.", "type": "SECONDARY"}`, 400, "'masters' is a required property")
	zone(`{"name": "a.b.", "type": "SECONDARY", "masters": ["192.0.2.1"], "ttl": 5}`, 400, "'ttl' can't be specified when type is SECONDARY")
	zone(`{"name": "a.b.", "type": "SECONDARY", "masters": ["192.0.2.1:53", "192.0.2.2:5354"]}`, 202, `"masters":["192.0.2.1","192.0.2.2:5354"]`)
	made := o.expect("POST", "/v2/zones", exampleZone, 202, "")
	sub := o.expect("POST", "/v2/zones", `{"name": "sub.example.com.", "email": "a@b.c"}`, 202, "")
	at := "/v2/zones/" + o.field(made, "id")
	o.expect("DELETE", at, "", 400, `"type":"zone_has_sub_zone"`)
	o.expect("PATCH", at, `{"name": "other.com."}`, 400, "Keys ['name'] are not valid for zone")
	record := func(body string, code int, says string) {
		t.Helper()
		o.expect("POST", at+"/recordsets", body, code, says)
	}
	record(`{"name": "x.example.org.", "type": "A", "records": ["10.0.0.1"]}`, 400, `"type":"invalid_recordset_location"`)
	record(`{"name": "x.sub.example.com.", "type": "A", "records": ["10.0.0.1"]}`, 400, "RecordSet belongs in a child zone: sub.example.com.")
	record(`{"name": "example.com.", "type": "CNAME", "records": ["a.b."]}`, 400, "CNAME recordsets may not be created at the zone apex")
	record(`{"name": "x.example.com.", "type": "NOPE", "records": []}`, 400, "'NOPE' is not a valid record type")
	record(`{"name": "x.example.com.", "type": "A", "records": "10.0.0.1"}`, 400, "is not a valid list of records")
	record(`{"name": "x.example.com.", "type": "SOA", "records": []}`, 400, "Creating a SOA recordset is not allowed")
	for kind, records := range map[string][2]string{"A": {"10.0.0.1", "::1"}, "AAAA": {"2001:db8::1", "10.0.0.1"}, "MX": {"10 mx.example.org.", "mx.example.org."},
		"TXT": {`\"a b\"`, "a b"}, "SRV": {"10 5 5060 sip.example.org.", "10 5 sip.example.org."}, "CAA": {"0 issue letsencrypt.org", `0 issue \"letsencrypt.org\"`},
		"CNAME": {"a.example.org.", "a.example.org"}, "SSHFP": {"4 2 0123456789abcdef", "4 2 xyz"}} {
		name := "_x._tcp." + strings.ToLower(kind) + ".example.com."
		record(`{"name": "`+name+`", "type": "`+kind+`", "records": ["`+records[1]+`"]}`, 400, `' is not a '`+kind+`' Record","validator":"format","validator_value":["`+kind+`"]}`)
		record(`{"name": "`+name+`", "type": "`+kind+`", "records": ["`+records[0]+`"]}`, 202, "")
	}
	record(`{"name": "_x._tcp.a.example.com.", "type": "CNAME", "records": ["a.b."]}`, 400, "CNAME recordsets may not share a name with any other records")
	o.expect("GET", "/v2/zones?nosuch=1", "", 400, "Invalid filters nosuch")
	o.expect("GET", "/v2/zones/x", "", 400, `"type":"invalid_uuid","message":"Invalid UUID zone_id: x"`)
	o.expect("GET", "/v2/nosuch", "", 404, `"type":"not_found"`)
	project := o.field(sub, "project_id")
	for name, limit := range map[string]int{"zones": 3, "zone_recordsets": 10} {
		s.Do(func() { s.Designate.SetQuota(project, name, limit) })
	}
	zone(`{"name": "d.b.", "email": "a@b.c"}`, 413, `{"code":413,"type":"over_quota","message":"Quota exceeded for zones.","request_id":"`)
	record(`{"name": "y.example.com.", "type": "A", "records": []}`, 413, "Quota exceeded for zone_recordsets.")
	s.Do(func() {
		s.Designate.SetQuota(project, "recordset_records", 1)
		s.Designate.SetQuota(project, "zone_recordsets", -1)
	})
	record(`{"name": "y.example.com.", "type": "A", "records": ["10.0.0.1", "10.0.0.2"]}`, 413, "Quota exceeded for recordset_records.")
}

func TestZonesOfOthers(t *testing.T) {
	s, o := dns(t, simulator.Options{})
	at := "/v2/zones/" + o.field(o.expect("POST", "/v2/zones", exampleZone, 202, ""), "id")
	for _, user := range []string{"demo2", "admin"} {
		other := &rawOctavia{t, o.url, login(t, s, user), o.now}
		other.expect("GET", at, "", 404, "zone_not_found")
		other.expect("GET", "/v2/zones", "", 200, `"zones":[]`)
		other.expect("POST", "/v2/zones", exampleZone, 409, "duplicate_zone")
		other.expect("POST", "/v2/zones", `{"name": "x.example.com.", "email": "a@b.c"}`, 403, `"type":"illegal_child"`)
	}
	other := &rawOctavia{t, o.url, login(t, s, "demo2"), o.now}
	other.expect("GET", "/v2/zones?all_projects=true", "", 403, `"type":"forbidden"`)
	other = &rawOctavia{t, o.url, login(t, s, "admin"), o.now}
	other.expect("GET", "/v2/zones?all_projects=true", "", 200, `"name":"example.com."`)
	other.expect("DELETE", at+"?all_projects=true", "", 202, "")
}

func TestZonesByGophercloud(t *testing.T) {
	ctx := context.Background()
	for name, opts := range map[string]simulator.Options{"twenty": {}, "limit of the cloud": {MaxPage: 7}} {
		t.Run(name, func(t *testing.T) {
			s := start(t, opts)
			c, err := openstack.NewDNSV2(login(t, s, "demo"), gophercloud.EndpointOpts{Region: "RegionOne"})
			if err != nil {
				t.Fatal(err)
			}
			z, err := zones.Create(ctx, c, zones.CreateOpts{Name: "example.com.", Email: "a@example.com", TTL: 300}).Extract()
			if err != nil || z.Status != "PENDING" || z.CreatedAt.After(time.Now().Add(time.Hour)) {
				t.Fatalf("%+v, %v", z, err)
			}
			for i := range 23 {
				opts := recordsets.CreateOpts{Name: fmt.Sprintf("h%d.example.com.", i), Type: "A", TTL: 60, Records: []string{"10.0.0.1"}}
				if _, err := recordsets.Create(ctx, c, z.ID, opts).Extract(); err != nil {
					t.Fatal(err)
				}
			}
			pages, err := recordsets.ListByZone(c, z.ID, recordsets.ListOpts{Type: "A"}).AllPages(ctx)
			if err != nil {
				t.Fatal(err)
			}
			list, err := recordsets.ExtractRecordSets(pages)
			slices.SortFunc(list, func(a, b recordsets.RecordSet) int { return strings.Compare(a.ID, b.ID) })
			list = slices.CompactFunc(list, func(a, b recordsets.RecordSet) bool { return a.ID == b.ID })
			if err != nil || len(list) != 23 {
				t.Errorf("%d recordsets, %v", len(list), err)
			}
			if err := zones.Delete(ctx, c, z.ID).Err; err != nil && status(err) != http.StatusAccepted {
				t.Error(err)
			}
		})
	}
}

func TestACloudWithoutDNS(t *testing.T) {
	s := start(t, simulator.Options{WithoutDNS: true})
	if _, err := openstack.NewDNSV2(login(t, s, "demo"), gophercloud.EndpointOpts{Region: "RegionOne"}); err == nil {
		t.Error("the catalog has an endpoint for dns")
	}
}
