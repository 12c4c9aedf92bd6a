package quota_test

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/domain"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/project"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/quota"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

func kinds(c *cloud.Client, _ defaults.Defaults) []*kind.Kind {
	return []*kind.Kind{domain.Kind(c), project.Kind(c), quota.Kind(c)}
}

func needs() string {
	word := rand.Text()
	return strings.ReplaceAll(`
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Project
metadata: {name: shop}
spec: {resource: {name: shop-WORD}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Project
metadata: {name: store}
spec: {resource: {name: store-WORD}}
`, "WORD", word)
}

func object(service, limits string) string {
	return `
apiVersion: stackreeve.dev/v1alpha1
kind: Quota
metadata: {name: shop}
spec:
  resource:
    projectRef: shop
    service: ` + service + `
    limits: {` + limits + `}
`
}

var limits = map[string]string{"compute": "cores: 7, ram: 2048", "block-storage": "volumes: 7, gigabytes: 70", "network": "port: 7, network: 3", "load-balancer": "member: 7, pool: 3", "shared-file-system": "shares: 7, share_networks: 3"}

func TestLaws(t *testing.T) {
	for service, given := range limits {
		other := map[string]string{"compute": "network", "block-storage": "compute", "network": "compute", "load-balancer": "network", "shared-file-system": "network"}[service]
		t.Run(service, func(t *testing.T) {
			kindtest.Suite{
				Kinds: kinds, Administrator: true, Needs: needs(), Object: object(service, given),
				Unadopted: "only marked quotas are listed, see TestAdoption",
				Key:       manifest.Key{Group: define.WorkloadGroup, Kind: "Quota", Namespace: "default", Name: "shop"},
				Edits: []kindtest.Edit{
					{Field: "spec.resource.limits", Old: ": 7,", New: ": 8,"},
					{Field: "spec.resource.projectRef", Old: "projectRef: shop", New: "projectRef: store", Replaces: true},
					{Field: "spec.resource.service", Old: "service: " + service + "\n    limits: {" + given, New: "service: " + other + "\n    limits: {" + limits[other], Replaces: true,
						Also: []string{"spec.resource.limits"}},
				},
			}.Run(t)
		})
	}
}

// cores is the quota of a project, as Nova shows it.
func cores(t *testing.T, admin *cloud.Client, id string) int {
	t.Helper()
	var answer struct {
		Set struct{ Cores, Instances int } `json:"quota_set"`
	}
	if err := admin.Do(t.Context(), cloud.Call{Service: cloud.Compute, Path: "os-quota-sets/" + id, Into: &answer}); err != nil {
		t.Fatal(err)
	}
	return answer.Set.Cores
}

// If a project is only imported, its quotas are neither set nor marked.
func TestAttackQuotasOfOthers(t *testing.T) {
	demo := kindtest.NewTarget(t, kinds)
	admin, id := demo.Beside("admin"), demo.Client(nil).ProjectID
	before := cores(t, admin.Client(nil), id)
	imported := "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Project\nmetadata: {name: shop}\nspec: {managementPolicy: unmanaged, import: {id: " + id + "}}\n---"
	pass := admin.Sync(imported + object("compute", "cores: 3"))
	if text := fmt.Sprint(pass.Failures); !strings.Contains(text, "is not managed by this stack") || pass.Last.Owned != 0 {
		t.Errorf("%d owned, failures are %s", pass.Last.Owned, text)
	}
	if after := cores(t, admin.Client(nil), id); after != before {
		t.Errorf("cores were %d and are %d", before, after)
	}
}

// If a project has the mark of one stack, another stack does not reset the quota.
func TestAttackMarkOfAnotherStack(t *testing.T) {
	g := kindtest.NewTarget(t, kinds).Beside("admin")
	other := g.Beside("admin")
	all := needs() + "---" + object("compute", "cores: 3")
	g.MustSync(all)
	if pass := other.Sync(""); len(pass.Results) > 0 || pass.Last.Owned != 0 {
		t.Errorf("%d steps, %d owned", len(pass.Results), pass.Last.Owned)
	}
	if pass := g.Sync(all); pass.Outcome() != plan.InSync || len(pass.Results) > 0 {
		t.Errorf("%s: %v", pass.Outcome(), pass.Failures)
	}
}

// A quota whose name the service does not know is refused. The message lists the known names, and nothing is written.
func TestUnknownQuota(t *testing.T) {
	g := kindtest.NewTarget(t, kinds).Beside("admin")
	shop := needs()
	g.MustSync(shop)
	var count kindtest.Counter
	pass := g.SyncThrough(shop+"---"+object("block-storage", "gigabyte: 3"), count.Wrap)
	if text := fmt.Sprint(pass.Failures); !strings.Contains(text, "spec.resource.limits.gigabyte: ") || count.Writes.Load() != 0 {
		t.Errorf("%d writes, failures are %s", count.Writes.Load(), text)
	}
}

// After the manifest is removed, the quotas have their defaults again. Quotas that it does not name are never
// written.
func TestOnlyWhatIsGiven(t *testing.T) {
	g := kindtest.NewTarget(t, kinds).Beside("admin")
	shop, c := needs(), g.Client(nil)
	g.MustSync(shop)
	id := ""
	for _, s := range g.MustSync(shop).Last.Steps {
		if s.Key.Name == "shop" {
			id = s.ID()
		}
	}
	standard := cores(t, c, id)
	if err := c.Do(t.Context(), cloud.Call{Service: cloud.Compute, Method: http.MethodPut, Path: "os-quota-sets/" + id, Body: map[string]any{"quota_set": map[string]int{"cores": 5}}}); err != nil {
		t.Fatal(err)
	}
	g.MustSync(shop + "---" + object("compute", "instances: 3"))
	if n := cores(t, c, id); n != 5 {
		t.Errorf("cores are %d, want what others have set", n)
	}
	g.MustSync(shop)
	if n := cores(t, c, id); n != standard {
		t.Errorf("cores are %d, want the default %d", n, standard)
	}
}

func TestRefused(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	g.Refuses(map[string]string{"cores: -2": "spec.resource.limits.cores", "id: 3": "spec.resource.limits.id", `"a/b": 3`: "spec.resource.limits.a/b", "": "spec.resource.limits"},
		func(limits string) string { return needs() + "---" + object("compute", limits) })
}

// unified is a transport that answers like a Nova with Keystone's unified limits: it changes nothing and answers
// writes with the present quotas.
type unified struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (u unified) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodPut && strings.Contains(req.URL.Path, "/os-quota-sets/") {
		read := req.Clone(req.Context())
		read.Method, read.Body, read.ContentLength = http.MethodGet, nil, 0
		return u.next.RoundTrip(read)
	}
	return u.next.RoundTrip(req)
}

// If a Nova uses unified limits, it accepts quotas and changes nothing. The error says so.
func TestUnifiedLimits(t *testing.T) {
	g := kindtest.NewTarget(t, kinds).Beside("admin").Through(func(next http.RoundTripper) http.RoundTripper { return unified{next} })
	all := needs() + "---" + object("compute", "cores: 3")
	for range 2 { // the first pass creates the quota, and the second one tries to finish it
		if text := fmt.Sprint(g.Sync(all).Failures); !strings.Contains(text, "spec.resource.limits.cores: the compute service still has ") || !strings.Contains(text, "unified limits") {
			t.Errorf("failures are %s", text)
		}
	}
	g.MustSync("")
}

// Quotas without a mark are not read, so they cannot be adopted. A manifest that adopts quotas is refused, and
// nothing changes.
func TestAdoption(t *testing.T) {
	g := kindtest.NewTarget(t, kinds).Beside("admin")
	shop := needs()
	g.MustSync(shop)
	for _, s := range g.Plan(shop + "---" + strings.Replace(object("compute", "cores: 3"), "{name: shop}", `{name: shop, annotations: {stackreeve.dev/adopt: "true"}}`, 1)).Steps {
		if s.Key.Kind == "Quota" && s.Action != plan.Refuse {
			t.Errorf("%s: %s", s.Action, s.FullCause())
		}
	}
}

// In one pass, a project that was made by hand is adopted and its quotas are set.
func TestOfAProjectThatIsAdopted(t *testing.T) {
	g := kindtest.NewTarget(t, kinds).Beside("admin")
	c, name := g.Client(nil), "shop-"+rand.Text()
	if err := c.Do(t.Context(), cloud.Call{Service: cloud.Identity, Method: http.MethodPost, Path: "projects", Body: map[string]any{"project": map[string]any{"name": name}}}); err != nil {
		t.Fatal(err)
	}
	g.MustSync(`
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Project
metadata: {name: shop, annotations: {stackreeve.dev/adopt: "true"}}
spec: {resource: {name: ` + name + `}}
---` + object("compute", "cores: 3"))
}
