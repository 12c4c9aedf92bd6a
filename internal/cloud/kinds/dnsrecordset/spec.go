// Package dnsrecordset is the kind DNSRecordSet: the records of one name and type in a zone of the domain name system
// (Designate). Of objects of other kinds it uses only IDs, names and addresses.
//
// One list has the record sets of all zones of the project. So an ID has two parts: the zone's ID and the record set's
// ID. Designate itself creates the SOA and NS record sets of a zone. They accept no description and so no mark, and no
// stack owns them.
//
// The package is more than a table of fields: records have several spellings (records.go), and can be derived from other
// objects (follow.go).
package dnsrecordset

import (
	"net/http"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is the declared record set. Values are Designate's (designate/objects/recordset.py, rrdata_*.py).
type Spec struct {
	ZoneRef     string   `json:"zoneRef" api:"zone_id" show:"zoneID" rule:"required,immutable,min=1" ref:"DNSZone" doc:"The DNSZone that it is in."`
	Name        string   `json:"name,omitempty" api:"name,named" rule:"immutable,max=255,pattern=^(@|\\*|(\\*\\.)?[A-Za-z0-9_/-]{1,63}(\\.[A-Za-z0-9_/-]{1,63})*\\.?)$" doc:"Name of the record set. A name with a final dot is the full name. To a name without a final dot, the name of the zone is added. @ is the zone itself." example:"www"`
	Type        string   `json:"type" api:"type" rule:"required,immutable,enum=A|AAAA|CAA|CERT|CNAME|MX|NAPTR|NS|PTR|SPF|SRV|SSHFP|TXT" doc:"Type of the records."`
	Description *string  `json:"description,omitempty" api:"description,empty" rule:"lines,max=58" doc:"Free text. Designate accepts 160 characters, including the owner mark at the end."`
	TTL         *int     `json:"ttl,omitempty" api:"ttl" rule:"min=0,max=2147483647" doc:"Seconds for which clients may store an answer; the value of the zone if left out."`
	Records     []string `json:"records,omitempty" api:"records,set" rule:"max=1000" cuts:"queries for the name get no answer any more" doc:"The records, as in a zone file. Their order has no meaning. Names end with a dot. Texts need no quotes, and long texts without quotes are split. A reference can replace the records." example:"192.0.2.10"`

	RecordSetRef string `json:"recordSetRef,omitempty" rule:"min=1" ref:"DNSRecordSet" doc:"In place of records, for the types CNAME and PTR: the name of that DNSRecordSet."`

	// References to objects with addresses replace the records of types A and AAAA, and the name of type PTR.
	VirtualMachineRef      string `json:"virtualMachineRef,omitempty" rule:"min=1" doc:"In place of records: the addresses of that VirtualMachine, at its first port. For type PTR, this reference, or one below except the group, gives the name of the record."`
	VirtualMachineGroupRef string `json:"virtualMachineGroupRef,omitempty" rule:"min=1" doc:"In place of records: the addresses of all machines of that VirtualMachineGroup, each at its first port."`
	LoadBalancerRef        string `json:"loadBalancerRef,omitempty" rule:"min=1" ref:"LoadBalancer,reads" doc:"In place of records: the address of that LoadBalancer."`
	FloatingIPRef          string `json:"floatingIPRef,omitempty" rule:"min=1" ref:"FloatingIP,reads" doc:"In place of records: that FloatingIP, for type A."`
	PortRef                string `json:"portRef,omitempty" rule:"min=1" ref:"Port,reads" doc:"In place of records: the addresses of that Port."`
	ServerRef              string `json:"serverRef,omitempty" rule:"min=1" ref:"Server,reads" doc:"In place of records: the addresses of that Server, at its first port."`

	AddressType string `json:"addressType,omitempty" rule:"enum=fixed|floating" doc:"Which addresses the record has. fixed: the addresses of the machine itself. floating: its FloatingIP. If left out: floating if the repository has a FloatingIP for the machine, otherwise fixed. In a zone with a private name (internal, local, lan, intranet, private, corp, home, home.arpa) the default is fixed."`

	// PortRefs are the first ports of the machines that the manifest refers to.
	PortRefs []string `json:"-" ref:"Port,reads" from:"records"`
	// FloatingIPRefs are the floating IPs that lead to the referenced object. FloatingOf has, for each of them, the name
	// of the port or load balancer that it leads to.
	FloatingIPRefs []string `json:"-" ref:"FloatingIP,reads" from:"records"`
	FloatingOf     []string `json:"-"`
}

// More holds the fields of a record set that only Designate sets.
type More struct {
	ZoneName  string     `json:"zoneName" api:"zone_name"`
	Status    string     `json:"status" api:"status"`
	Action    string     `json:"action" api:"action"`
	ProjectID string     `json:"projectID" api:"project_id"`
	CreatedAt table.Time `json:"createdAt" api:"created_at"`
	UpdatedAt table.Time `json:"updatedAt" api:"updated_at"`
}

// Filter selects an existing record set.
type Filter struct {
	ZoneRef string  `json:"zoneRef,omitempty" ref:"DNSZone" doc:"The DNSZone that it is in."`
	Name    *string `json:"name,omitempty" doc:"Exact name, with a final dot."`
	Type    string  `json:"type,omitempty" doc:"Type of the records."`
}

// FilterName returns the name and type that the filter selects.
func (f *Filter) FilterName() string { return lookupKey(table.Or(f.Name, ""), f.Type) }

type (
	object = table.Object[Spec, More]
	state  = define.State[Spec, More]
	driver = *define.Driver[Spec, Filter, More]
)

// Kind returns the kind DNSRecordSet. c may be nil if only the kind's rules are needed.
func Kind(c *cloud.Client) *kind.Kind {
	odd := []table.Override[Spec, More]{
		{Field: "name", Compare: compareName, Write: writeName},
		{Field: "recordSetRef", Write: writeRecords},
		{Field: "addressType", Write: writeRecords},
		{Field: "ttl", Compare: compareTTL, Write: writeTTL},
		{Field: "records", Compare: compareRecords, Write: writeRecords},
	}
	for _, s := range new(Spec).sources() {
		odd = append(odd, table.Override[Spec, More]{Field: s.field, Write: writeRecords})
	}
	return define.New(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{
			Group: define.WorkloadGroup, Version: "v1alpha1", Kind: "DNSRecordSet", Service: cloud.DNS, UniqueNames: true,
			Unmark: "openstack recordset set --description <text> <zone> <record set>, which are the two parts of <id>",
			Doc:    "The records of one name and type in a zone (Designate). Its ID consists of the ID of the zone, a slash, and its own ID.",
		},
		Collection: define.Collection{Path: "recordsets", UpdateBy: http.MethodPut, Project: "project_id", Within: &define.Within{Path: "zones", Attribute: "zone_id"}},
		Mark:       mark.DescriptionPlace,
		Overrides:  odd,
		Validate:   validate, Expand: expand, Impossible: impossible, Name: name, Observe: observe, Create: create, Delete: remove,
	})
}
