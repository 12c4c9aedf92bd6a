package domain_test

import (
	"crypto/rand"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/domain"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

func kinds(c *cloud.Client, _ defaults.Defaults) []*kind.Kind { return []*kind.Kind{domain.Kind(c)} }

func TestLaws(t *testing.T) {
	name := "shop-" + rand.Text()
	kindtest.Suite{
		Kinds: kinds, Administrator: true,
		Key: manifest.Key{Group: define.OrcGroup, Kind: "Domain", Namespace: "default", Name: "shop"},
		Object: `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Domain
metadata: {name: shop}
spec:
  resource:
    name: "` + name + ` "
    description: who works in the shop
    enabled: true
`,
	}.Run(t)
}

// An agent that has only the role member cannot list domains. If no manifest declares a Domain, it neither fails nor reports
// the list as missing. Otherwise the step names the missing role.
func TestMembersCannotListDomains(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	if planned := g.Plan(""); len(planned.Unlisted) > 0 {
		t.Errorf("unlisted: %v", planned.Unlisted)
	}
	step := g.Plan("apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Domain\nmetadata: {name: shop}\nspec: {resource: {}}\n").Steps[0]
	if !strings.Contains(step.FullCause(), "lacks the role that Keystone's policy requires") {
		t.Errorf("%s: %s", step.Action, step.FullCause())
	}
}
