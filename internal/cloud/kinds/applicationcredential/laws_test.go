package applicationcredential_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/applicationcredential"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/domain"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/project"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/role"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/secret"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/service"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/user"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
)

func kinds(c *cloud.Client, _ defaults.Defaults) []*kind.Kind {
	return []*kind.Kind{secret.Kind(), domain.Kind(c), project.Kind(c), role.Kind(c), service.Kind(c), user.Kind(c), applicationcredential.Kind(c)}
}

const secrets = `
apiVersion: v1
kind: Secret
metadata: {name: ada}
stringData: {value: correct-horse-battery}
---
apiVersion: v1
kind: Secret
metadata: {name: grace}
stringData: {value: another-staple-entirely}
`

const needs = secrets + `---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Role
metadata: {name: member}
spec: {managementPolicy: unmanaged, import: {filter: {name: member}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Role
metadata: {name: reader}
spec: {managementPolicy: unmanaged, import: {filter: {name: reader}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Service
metadata: {name: nova}
spec: {managementPolicy: unmanaged, import: {filter: {type: compute}}}
`

func object(name string) string {
	return `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: ApplicationCredential
metadata: {name: web}
spec:
  resource:
    name: ` + name + `
    description: for the shop
    unrestricted: false
    secretRef: ada
    roleRefs: [member]
    accessRules: [{path: /v2.1/servers, method: GET, serviceRef: nova}, {path: /v2.0/networks, method: GET, service: network}]
    expiresAt: "2040-01-31T00:00:00Z"
`
}

func TestLaws(t *testing.T) {
	replaced := func(field, before, after string) kindtest.Edit {
		return kindtest.Edit{Field: "spec.resource." + field, Old: before, New: after, Replaces: true}
	}
	kindtest.Suite{
		Kinds: kinds, Administrator: true, Needs: needs, Object: object("shop-" + rand.Text()),
		Key: manifest.Key{Group: define.OrcGroup, Kind: "ApplicationCredential", Namespace: "default", Name: "web"},
		Edits: []kindtest.Edit{
			replaced("secretRef", "secretRef: ada", "secretRef: grace"),
			replaced("roleRefs", "[member]", "[member, reader]"),
			replaced("accessRules", "servers, method: GET", "servers, method: POST"),
			replaced("expiresAt", "2040-01-31", "2040-02-28"),
		},
		Unseen: map[string]string{"spec.resource.userRef": "must be the user of the agent"},
	}.Run(t)
}

// plain returns the manifest of a credential that a member of a project can create.
func plain(name string) string {
	return "---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: ApplicationCredential\nmetadata: {name: web}\nspec: {resource: {name: " + name + ", secretRef: ada}}\n"
}

// A member creates a credential and logs in with its secret. No output shows that secret.
func TestAttackSecretIsShownNowhere(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	g.Only(secrets + plain("x"))
	text := secrets + plain("shop-"+rand.Text())
	pass := g.MustSync(text)
	again := g.MustSync(text)
	if len(again.Results) != 0 {
		t.Errorf("%d steps in the second pass", len(again.Results))
	}
	id := ""
	for _, s := range again.Last.Steps {
		if s.Key.Kind == "ApplicationCredential" {
			id = s.ID()
		}
	}
	c := g.Client(nil)
	body := map[string]any{"auth": map[string]any{"identity": map[string]any{"methods": []string{"application_credential"},
		"application_credential": map[string]any{"id": id, "secret": "correct-horse-battery"}}}}
	if err := c.Do(t.Context(), cloud.Call{Service: cloud.Identity, Method: http.MethodPost, Path: "auth/tokens", Body: body, Secret: true}); err != nil {
		t.Errorf("the secret does not log in: %v", err)
	}
	own, _ := c.OwnUser()
	var shown json.RawMessage
	if err := c.Do(t.Context(), cloud.Call{Service: cloud.Identity, Method: http.MethodGet, Path: "users/" + own + "/application_credentials", Into: &shown}); err != nil {
		t.Fatal(err)
	}
	statuses, err := json.Marshal(status.Of(again.Last, kinds(nil, defaults.Defaults{})))
	if err != nil {
		t.Fatal(err)
	}
	changed := g.Plan(strings.Replace(text, "correct-horse", "incorrect-horse", 1))
	for what, where := range map[string]string{"Keystone": string(shown), "status": string(statuses), "plans": fmt.Sprint(pass.First, pass.Results, changed)} {
		if strings.Contains(where, "correct-horse") {
			t.Errorf("%s shows the secret", what)
		}
	}
	for _, s := range changed.Steps {
		if s.Key.Kind == "ApplicationCredential" && (s.Action != plan.Recreate || s.Changes[0].Field != "spec.resource.secretRef") {
			t.Errorf("another secret: %s %v, want a replacement", s.Action, s.Changes)
		}
	}
}

// Access rules that no credential uses any more are deleted.
func TestAccessRulesGoToo(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	g.Only(secrets + plain("x"))
	g.MustSync(secrets + strings.Replace(plain("shop-"+rand.Text()), "secretRef: ada", "secretRef: ada, accessRules: [{path: /v2.0/zzz, method: GET, service: network}]", 1))
	g.MustSync(secrets)
	c := g.Client(nil)
	own, _ := c.OwnUser()
	rules, err := cloud.List[struct{ Path string }](context.WithoutCancel(t.Context()), c, cloud.Call{Service: cloud.Identity, Path: "users/" + own + "/access_rules"}, "access_rules")
	for _, rule := range rules {
		if rule.Path == "/v2.0/zzz" {
			t.Error("the rule is left")
		}
	}
	if err != nil {
		t.Error(err)
	}
}

func TestOfAnotherUser(t *testing.T) {
	g := kindtest.NewTarget(t, kinds).Beside("admin")
	other := "---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: User\nmetadata: {name: demo}\nspec: {managementPolicy: unmanaged, import: {filter: {name: demo}}}\n"
	pass := g.Sync(secrets + other + strings.Replace(plain("shop-"+rand.Text()), "secretRef: ada", "secretRef: ada, userRef: demo", 1))
	if text := fmt.Sprint(pass.Failures); !strings.Contains(text, "Keystone allows nobody to create application credentials for other users") {
		t.Errorf("failures are %s", text)
	}
}

func TestRefused(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	g.Refuses(map[string]string{
		"expiresAt: tomorrow":                   "spec.resource.expiresAt",
		"accessRules: [{path: /, method: GET}]": "spec.resource.accessRules[0]",
		"accessRules: [{path: /, method: GET, service: network, serviceRef: web}]":         "spec.resource.accessRules[0]",
		"accessRules: [{path: servers, method: GET, service: network}]":                    "spec.resource.accessRules[0].path",
		"description: \"a [stackreeve:prod:ApplicationCredential/x stackreeve-secret:y]\"": "spec.resource.description",
	}, func(change string) string {
		return secrets + strings.Replace(plain("x"), "secretRef: ada", "secretRef: ada, "+change, 1)
	})
	if _, err := g.TryResolve(strings.ReplaceAll(secrets, "value:", "password:") + plain("x")); err == nil || !strings.Contains(err.Error(), "Secret/ada") {
		t.Errorf("error is %v", err)
	}
}
