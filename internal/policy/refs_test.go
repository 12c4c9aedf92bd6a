package policy

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
)

// TestRulesSeeWhatNamesStandFor checks that rules can use the real objects to which the names in manifests
// refer, and that an unknown object is denied.
func TestRulesSeeWhatNamesStandFor(t *testing.T) {
	flavor := manifest.Key{Kind: "Flavor", Namespace: "default", Name: "m1.small"}
	server := manifest.Key{Kind: "Server", Namespace: "default", Name: "web"}
	small := guard.Reference{Of: server, Field: "spec.resource.flavorRef", Key: flavor, Imported: true, Name: "m1.small", ID: "1", Known: true}
	large, unknown := small, small
	large.Name, large.ID = "m1.xlarge", "2"
	unknown.Name, unknown.ID, unknown.Known = "", "", false
	for rule, want := range map[string][3]bool{
		"refs.all(r, r.kind != 'Flavor' || r.cloudName in ['m1.small'])":                      {true, false, false},
		"refs.all(r, r.kind != 'Flavor' || r.id == '1')":                                      {true, false, false},
		"refs.all(r, r.kind != 'Flavor' || !has(r.id) || r.id == '1')":                        {true, false, true},
		"refs.exists(r, r.field == 'spec.resource.flavorRef' && r.cloudName == 'm1.small')":   {true, false, false},
		"refs.all(r, r.imported && r.name == 'm1.small' && r.of == 'Server/web')":             {true, true, true},
		"refs.filter(r, r.kind == 'Flavor').map(r, r.cloudName).all(n, n.startsWith('m1.s'))": {true, false, false},
	} {
		compiled, err := NewRule(rule)
		if err != nil {
			t.Fatal(rule, err)
		}
		for i, ref := range []guard.Reference{small, large, unknown} {
			p := Policy{Name: "p", Rule: compiled}
			if got := p.against(guard.Subject{Key: server, Refs: []guard.Reference{ref}}, "s") == ""; got != want[i] {
				t.Errorf("%s with a flavor that is %q allows %t", rule, ref.Name, got)
			}
		}
	}
}
