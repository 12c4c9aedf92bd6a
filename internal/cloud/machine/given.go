package machine

import (
	"encoding/base64"
	"encoding/json"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Given has the values for a machine's template in addition to [Facts]. Both are secrets, and are only filled in when the machine is created. The template
// contains neither of them, and plans compare their sources.
//
//	{{secrets}}      {"NAME": {"ENTRY": "text"}} of the Secrets, in base64
//	{{certificate}}  {"certificate": {"crt": PEM, "key": PEM, "ca": PEM}}, in base64
type Given struct {
	SecretRefs  []string     `json:"secretRefs,omitempty" rule:"max=8,unique,format=name" ref:"Secret" doc:"Secrets that the template uses as {{secrets}}: base64 of a JSON object. It has the data of each Secret, by the name of the Secret and then by the key in its data."`
	Certificate *Certificate `json:"certificate,omitempty" doc:"Certificate that the template uses as {{certificate}}: base64 of a JSON object certificate with crt, key and ca in PEM."`
}

// Certificate identifies a machine to a cluster. It is derived from the stack's master key, for the name and address of a member, or the name of a client.
type Certificate struct {
	Cluster    string `json:"cluster" rule:"required,min=1,max=253" doc:"Name of the cluster to which the certificate belongs. Its machines trust each other."`
	Generation int    `json:"generation" rule:"required,min=1,max=1048576" doc:"Generation of the keys. A machine trusts the keys of its own generation, of the one before and of the one after."`
	Use        string `json:"use,omitempty" rule:"enum=member|client" doc:"Use of the certificate: member for a member of the cluster, client for a machine that only uses the cluster. member if left out."`
}

// Validate reports values that are given without a template.
func (g *Given) Validate(at string, template bool, r *kind.Report) {
	if template {
		return
	}
	for field, given := range map[string]bool{"secretRefs": g.SecretRefs != nil, "certificate": g.Certificate != nil} {
		if given {
			r.Problem(at+"."+field, "is given, but the text is not a template", "add template: true, or remove it")
		}
	}
}

// Plain returns a certificate in the form in which it is compared: use is omitted if it equals the default. It returns nil for nil.
func (c *Certificate) Plain() *Certificate {
	if c == nil || c.Use != forMember {
		return c
	}
	return &Certificate{Cluster: c.Cluster, Generation: c.Generation}
}

const forMember = "member"

// ForClient is the use of a client's certificate. The cluster's machines do not accept it from a member.
const ForClient = "client"

// Any reports whether there is a Secret or a certificate.
func (g *Given) Any() bool { return len(g.SecretRefs) > 0 || g.Certificate != nil }

// Encoded returns a value for templates: base64 of its JSON, a text that is safe in shells and other languages. JSON must be able to represent the value.
func Encoded(value any) string {
	text, _ := json.Marshal(value) // value contains only texts by names, which JSON can represent
	return base64.StdEncoding.EncodeToString(text)
}
