package user_test

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
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/domain"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/project"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/secret"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/user"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
)

func kinds(c *cloud.Client, _ defaults.Defaults) []*kind.Kind {
	return []*kind.Kind{secret.Kind(), domain.Kind(c), project.Kind(c), user.Kind(c)}
}

func needs(name string) string {
	return `
apiVersion: v1
kind: Secret
metadata: {name: ada}
stringData: {password: correct-horse-battery}
---
apiVersion: v1
kind: Secret
metadata: {name: grace}
stringData: {password: another-staple-entirely}
---` + kindtest.Domains(name) + `---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Project
metadata: {name: shop}
spec: {resource: {name: ` + name + `, domainRef: shop}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Project
metadata: {name: store}
spec: {resource: {name: ` + name + `-2, domainRef: shop}}
`
}

func object(name string) string {
	return `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: User
metadata: {name: web}
spec:
  resource:
    name: "` + name + ` "
    description: who sells
    enabled: true
    domainRef: shop
    defaultProjectRef: shop
    passwordRef: ada
`
}

func TestLaws(t *testing.T) {
	name := "shop-" + rand.Text()
	kindtest.Suite{
		Kinds: kinds, Administrator: true, Needs: needs(name), Object: object(name),
		Key: manifest.Key{Group: define.OrcGroup, Kind: "User", Namespace: "default", Name: "web"},
		Edits: []kindtest.Edit{
			{Field: "spec.resource.domainRef", Old: "domainRef: shop", New: "domainRef: store", Replaces: true},
			{Field: "spec.resource.defaultProjectRef", Old: "defaultProjectRef: shop", New: "defaultProjectRef: store"},
			{Field: "spec.resource.defaultProjectRef", Old: "    defaultProjectRef: shop\n", New: ""},
			{Field: "spec.resource.passwordRef", Old: "passwordRef: ada", New: "passwordRef: grace"},
		},
	}.Run(t)
}

// logsIn reports whether Keystone gives a token for a password.
func logsIn(t *testing.T, c *cloud.Client, id, password string) bool {
	t.Helper()
	body := map[string]any{"auth": map[string]any{"identity": map[string]any{"methods": []string{"password"},
		"password": map[string]any{"user": map[string]any{"id": id, "password": password}}}, "scope": "unscoped"}}
	return c.Do(context.WithoutCancel(t.Context()), cloud.Call{Service: cloud.Identity, Method: http.MethodPost, Path: "auth/tokens", Body: body, Secret: true}) == nil
}

// The user has the password of the Secret. If the Secret changes, the password is
// changed in place. No plan and no status contains it, and Keystone does not show it.
func TestAttackPasswordIsShownNowhere(t *testing.T) {
	g := kindtest.NewTarget(t, kinds).Beside("admin")
	name := "shop-" + rand.Text()
	text := needs(name) + "---" + object(name)
	created := g.MustSync(text)
	changed := strings.Replace(text, "correct-horse-battery", "a-new-one-after-all", 1)
	var step plan.Step
	for _, s := range g.Plan(changed).Steps {
		if s.Key.Kind == "User" {
			step = s
		}
	}
	if step.Action != plan.Update || len(step.Changes) != 2 || step.Changes[0].Field != "spec.resource.passwordRef" || step.Changes[1].Field != kind.MarkField {
		t.Errorf("%s: %v, want an update of the password", step.Action, step.Changes)
	}
	pass := g.MustSync(changed)
	c := g.Client(nil)
	if logsIn(t, c, step.ID(), "correct-horse-battery") || !logsIn(t, c, step.ID(), "a-new-one-after-all") {
		t.Error("the password in Keystone is not the new one")
	}
	var shown json.RawMessage
	if err := c.Do(t.Context(), cloud.Call{Service: cloud.Identity, Method: http.MethodGet, Path: "users/" + step.ID(), Into: &shown}); err != nil {
		t.Fatal(err)
	}
	statuses, err := json.Marshal(status.Of(pass.Last, kinds(nil, defaults.Defaults{})))
	if err != nil {
		t.Fatal(err)
	}
	for what, where := range map[string]string{"Keystone": string(shown), "status": string(statuses), "plans": fmt.Sprint(created.First, pass.First, pass.Results)} {
		for _, password := range []string{"correct-horse", "a-new-one"} {
			if strings.Contains(where, password) {
				t.Errorf("%s shows the password", what)
			}
		}
	}
}

// If a request contained a password, an error message of Keystone is withheld.
func TestAttackRefusalsRepeatNoPassword(t *testing.T) {
	g := kindtest.NewTarget(t, kinds).Beside("admin")
	if g.Simulator == nil {
		t.Skip("needs a Keystone that repeats what it was sent")
	}
	echo := func(next http.RoundTripper) http.RoundTripper { return echoing{next} }
	name := "shop-" + rand.Text()
	pass := g.SyncThrough(needs(name)+"---"+object(name), echo)
	if text := fmt.Sprint(pass.Failures); strings.Contains(text, "correct-horse") || !strings.Contains(text, "withheld") {
		t.Errorf("failures are %s", text)
	}
}

func TestRefused(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	_, err := g.TryResolve(strings.Replace(needs("shop"), "{password: correct", "{passwort: correct", 1) + "---" + object("shop"))
	if err == nil || !strings.Contains(err.Error(), "Secret/ada") {
		t.Errorf("error is %v", err)
	}
}

// If a stack in another project has the same name, its mark is the mark of another
// stack.
func TestNamesakeInAnotherProject(t *testing.T) {
	g := kindtest.NewTarget(t, kinds).Beside("admin")
	if g.Simulator == nil {
		t.Skip("needs an administrator of a second project")
	}
	name := "shop-" + rand.Text()
	g.MustSync(needs(name) + "---" + object(name))
	k := g.Simulator.Keystone
	g.Simulator.Do(func() { k.Grant(k.UserID("demo2"), k.ProjectID("demo2"), "admin") })
	namesake := g.Beside("demo2")
	namesake.Stack = g.Stack
	if planned := namesake.Plan(""); planned.Owned != 0 || len(planned.Steps) != 0 {
		t.Errorf("a namesake in another project owns %d objects", planned.Owned)
	}
}

// If others write attributes of any form next to the mark, the list can still be
// read.
func TestAttackAttributesOfAnyShape(t *testing.T) {
	g := kindtest.NewTarget(t, kinds).Beside("admin")
	name := "shop-" + rand.Text()
	text := needs(name) + "---" + object(name)
	g.MustSync(text)
	c := g.Client(nil)
	for _, s := range g.Plan(text).Steps {
		if s.Key.Kind == "User" {
			body := map[string]any{"user": map[string]any{"stackreeve_password": []int{1}}}
			if err := c.Do(t.Context(), cloud.Call{Service: cloud.Identity, Method: http.MethodPatch, Path: "users/" + s.ID(), Body: body}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if pass := g.MustSync(text); len(pass.Results) != 1 {
		t.Errorf("%d steps, want the password to be written again", len(pass.Results))
	}
}
