package service_test

import (
	"crypto/rand"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/service"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

func kinds(c *cloud.Client, _ defaults.Defaults) []*kind.Kind { return []*kind.Kind{service.Kind(c)} }

func TestLaws(t *testing.T) {
	name := "shop-" + rand.Text()
	kindtest.Suite{
		Kinds: kinds, Administrator: true,
		Key:   manifest.Key{Group: define.OrcGroup, Kind: "Service", Namespace: "default", Name: "web"},
		Needs: ``,
		Object: `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Service
metadata: {name: web}
spec:
  resource:
    name: ` + name + `
    description: what is sold
    type: shop
    enabled: true
`,
		Edits: []kindtest.Edit{},
	}.Run(t)
}
