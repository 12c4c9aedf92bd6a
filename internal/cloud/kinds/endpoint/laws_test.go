package endpoint_test

import (
	"crypto/rand"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/endpoint"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/service"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

func kinds(c *cloud.Client, _ defaults.Defaults) []*kind.Kind {
	return []*kind.Kind{service.Kind(c), endpoint.Kind(c)}
}

func TestLaws(t *testing.T) {
	name := "shop-" + rand.Text()
	kindtest.Suite{
		Kinds: kinds, Administrator: true,
		Key: manifest.Key{Group: define.OrcGroup, Kind: "Endpoint", Namespace: "default", Name: "web"},
		Needs: `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Service
metadata: {name: shop}
spec: {resource: {name: ` + name + `, type: shop}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Service
metadata: {name: store}
spec: {resource: {name: ` + name + `-2, type: store}}
`,
		Object: `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Endpoint
metadata: {name: web}
spec:
  resource:
    description: where it is
    enabled: true
    interface: public
    url: http://shop.example.org/v1
    serviceRef: shop
    region: RegionOne
`,
		Edits: []kindtest.Edit{
			{Field: "spec.resource.serviceRef", Old: "serviceRef: shop", New: "serviceRef: store", Replaces: true},
			{Field: "spec.resource.interface", Old: "interface: public", New: "interface: internal"},
			{Field: "spec.resource.url", Old: "shop.example.org", New: "shop.example.com"},
			{Field: "spec.resource.region", Old: "region: RegionOne", New: "region: RegionTwo", PlanOnly: true},
		},
	}.Run(t)
}
