package addressscope_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

const object = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: AddressScope
metadata: {name: inside}
spec:
  resource:
    name: inside-scope
    ipVersion: 4
`

func TestLaws(t *testing.T) {
	kindtest.Suite{
		Kinds: all.Kinds, Object: object,
		Key: manifest.Key{Group: define.OrcGroup, Kind: "AddressScope", Namespace: "default", Name: "inside"},
		Edits: []kindtest.Edit{
			{Field: "spec.resource.ipVersion", Old: "ipVersion: 4", New: "ipVersion: 6", Replaces: true},
			{Field: "spec.resource.shared", Old: "ipVersion: 4", New: "ipVersion: 4\n    shared: true", PlanOnly: true},
		},
		Unseen: map[string]string{"spec.resource.projectRef": "has laws of its own, see TestLawsInAnotherProject"},
	}.Run(t)
}

// A shared address scope cannot be made unshared, because Neutron refuses that. The plan adds a note about it and does
// not try.
func TestSharedForEver(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds).Beside("admin")
	shared := strings.Replace(object, "ipVersion: 4", "ipVersion: 4\n    shared: true", 1)
	g.MustSync(shared)
	pass := g.MustSync(object)
	if len(pass.First.Steps) != 1 || kind.Has(pass.First.Steps[0].Changes, "spec.resource.shared") || len(pass.First.Steps[0].Notes) != 1 {
		t.Errorf("steps are %+v, want a note and no change", pass.First.Steps)
	}
}
