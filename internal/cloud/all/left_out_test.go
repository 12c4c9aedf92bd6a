package all_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
)

// A field that is removed from a manifest gets its declared default again. If it has none, its documentation says what
// happens to it.
func TestWhatIsLeftOutIsSaid(t *testing.T) {
	judged := map[string]string{
		"DNSZone.email":        "is required where there can be one",
		"DNSRecordSet.records": "a reference stands in their place",
		"Server.keypairRef":    "none is another one",
	}
	for _, k := range all.Kinds(nil, defaults.Defaults{}) {
		spec, ok := k.Body.Go().FieldByName("Spec")
		if !ok {
			continue
		}
		of := spec.Type
		if resource, ok := of.FieldByName("Resource"); ok {
			of = resource.Type.Elem()
		}
		for _, f := range table.Fields(of) {
			said := strings.Contains(f.Doc, "f left out") || strings.Contains(f.Doc, "matters only when")
			if f.Stays && f.Compared && !said && judged[k.Info.Kind+"."+f.Path] == "" {
				t.Errorf("%s: nothing says what becomes of %s where it is left out: %s", k.Info.Kind, f.Path, f.Doc)
			}
		}
	}
}
