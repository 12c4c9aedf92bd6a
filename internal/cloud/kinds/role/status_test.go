package role_test

import (
	"crypto/rand"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
)

// A role of all domains has an empty domainID in its status, even if Keystone answers null.
func TestTheStatusOfARoleOfAllDomains(t *testing.T) {
	g := kindtest.NewTarget(t, kinds).Beside("admin")
	pass := g.MustSync("apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Role\nmetadata: {name: r-" + strings.ToLower(rand.Text()[:8]) + "}\nspec: {resource: {}}\n")
	for _, o := range status.Of(pass.Last, kinds(nil, defaults.Defaults{})) {
		text, err := json.Marshal(o.Status.Resource)
		if err != nil || !strings.Contains(string(text), `"domainID":""`) {
			t.Errorf("%s, %v, want an empty domainID", text, err)
		}
	}
}
