package role_test

import (
	"crypto/rand"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/domain"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/role"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

func kinds(c *cloud.Client, _ defaults.Defaults) []*kind.Kind {
	return []*kind.Kind{domain.Kind(c), role.Kind(c)}
}

func TestLaws(t *testing.T) {
	name := "shop-" + rand.Text()
	kindtest.Suite{
		Kinds: kinds, Administrator: true,
		Key:   manifest.Key{Group: define.OrcGroup, Kind: "Role", Namespace: "default", Name: "web"},
		Needs: kindtest.Domains(name),
		Object: `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Role
metadata: {name: web}
spec:
  resource:
    name: ` + name + `
    description: who may sell
    domainRef: shop
`,
		Edits: []kindtest.Edit{
			{Field: "spec.resource.domainRef", Old: "domainRef: shop", New: "domainRef: store", Replaces: true},
		},
	}.Run(t)
}
