package barbicansecret_test

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/barbicansecret"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/secret"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

func kinds(c *cloud.Client, _ defaults.Defaults) []*kind.Kind {
	return []*kind.Kind{secret.Kind(), barbicansecret.Kind(c)}
}

const needs = `
apiVersion: v1
kind: Secret
metadata: {name: disks}
data: {payload: /9j/4AAQSkZJRgABAQ==, other: AAECAwQFBgcICQoLDA0ODw==}
---
apiVersion: v1
kind: Secret
metadata: {name: phrase}
stringData: {payload: correct-horse-battery}
`

func object(name string) string {
	return `
apiVersion: stackreeve.dev/v1alpha1
kind: BarbicanSecret
metadata: {name: disks}
spec:
  resource:
    name: "  ` + name + `"
    secretType: symmetric
    payloadRef: disks
    payloadContentType: application/octet-stream
    expiration: "2040-01-31T02:00:00+02:00"
    algorithm: "aes "
    bitLength: 256
    mode: cbc
`
}

func TestLaws(t *testing.T) {
	name := "disks-" + strings.ToLower(rand.Text())
	kindtest.Suite{
		Kinds: kinds, Needs: needs, Object: object(name),
		Key: manifest.Key{Group: define.WorkloadGroup, Kind: "BarbicanSecret", Namespace: "default", Name: "disks"},
		Edits: []kindtest.Edit{
			{Field: "spec.resource.secretType", Old: "symmetric", New: "opaque", Replaces: true},
			{Field: "spec.resource.payloadRef", Old: "payloadRef: disks", New: "payloadRef: disks\n    payloadKey: other", Replaces: true},
			{Field: "spec.resource.payloadContentType", Old: "octet-stream", New: "pkcs8", Replaces: true},
			{Field: "spec.resource.expiration", Old: "2040-01-31", New: "2040-02-28", Replaces: true},
		},
		Unseen: map[string]string{"spec.resource.payloadKey": "only what it names is compared, see the edit of payloadRef"},
	}.Run(t)
}

func plain(name string) string {
	return "---\napiVersion: stackreeve.dev/v1alpha1\nkind: BarbicanSecret\nmetadata: {name: phrase}\nspec: {resource: {name: " + name + ", secretType: passphrase, payloadRef: phrase}}\n"
}

func stepOf(p plan.Plan) plan.Step {
	for _, s := range p.Steps {
		if s.Key.Kind == "BarbicanSecret" {
			return s
		}
	}
	return plan.Step{}
}

// Barbican stores the payload from the repository, and no output shows it.
func TestAttackPayloadIsShownNowhere(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	g.Only(needs + plain("x"))
	text := needs + plain("phrase-"+strings.ToLower(rand.Text()))
	pass := g.MustSync(text)
	again := g.MustSync(text)
	if len(again.Results) != 0 {
		t.Errorf("%d steps in the second pass", len(again.Results))
	}
	id, c := stepOf(again.Last).ID(), g.Client(nil)
	var shown json.RawMessage
	if err := c.Do(t.Context(), cloud.Call{Service: cloud.KeyManager, Method: http.MethodGet, Path: "secrets/" + id, Into: &shown}); err != nil {
		t.Fatal(err)
	}
	statuses, err := json.Marshal(status.Of(again.Last, kinds(nil, defaults.Defaults{})))
	if err != nil {
		t.Fatal(err)
	}
	changed := g.Plan(strings.Replace(text, "correct-horse", "incorrect-horse", 1))
	for what, where := range map[string]string{"Barbican": string(shown), "status": string(statuses), "plans": fmt.Sprint(pass.First, pass.Results, changed)} {
		if strings.Contains(where, "correct-horse") {
			t.Errorf("%s shows the payload", what)
		}
	}
	if s := stepOf(changed); s.Action != plan.Recreate || s.Changes[0].Field != "spec.resource.payloadRef" || !s.Changes[0].Secret {
		t.Errorf("another payload: %s %v, want a replacement", s.Action, s.Changes)
	}
}

// An error message of Barbican is not repeated if its request contained a payload.
func TestAttackRefusalsRepeatNoPayload(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	if g.Simulator == nil {
		t.Skip("needs a Barbican that repeats what it was sent")
	}
	if _, err := g.Simulator.AddFault(simulator.Fault{Service: "key-manager", Method: http.MethodPost, Path: "^/v1/secrets$", Status: http.StatusBadRequest,
		Body: `{"code": 400, "description": "Invalid: {'payload': 'correct-horse-battery'}"}`}); err != nil {
		t.Fatal(err)
	}
	pass := g.Sync(needs + plain("x"))
	if text := fmt.Sprint(pass.Failures); strings.Contains(text, "correct-horse") || !strings.Contains(text, "withheld") {
		t.Errorf("failures are %s", text)
	}
}

func TestRefused(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	g.Refuses(map[string]string{
		"payloadRef: none":                          "spec.resource.payloadRef",
		"payloadRef: phrase, payloadKey: tls.p12":   "spec.resource.payloadKey",
		"payloadRef: disks":                         "spec.resource.payloadContentType",
		"payloadRef: phrase, expiration: tomorrow":  "spec.resource.expiration",
		"payloadRef: phrase, secretType: password":  "spec.resource.secretType",
		"payloadRef: phrase, bitLength: 0":          "spec.resource.bitLength",
		"payloadRef: phrase, payloadContentType: x": "spec.resource.payloadContentType",
		"payloadRef: phrase, algorithm: \"[stackreeve:prod:BarbicanSecret/x stackreeve-payload:y]\"": "spec.resource.algorithm",
	}, func(change string) string {
		return needs + strings.Replace(plain("x"), "payloadRef: phrase", change, 1)
	})
}

// A secret that somebody made by hand has the same name as a manifest's secret.
func TestNameOfAnother(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	name, c := "phrase-"+strings.ToLower(rand.Text()), g.Client(nil)
	var made struct {
		Ref string `json:"secret_ref"`
	}
	if err := c.Do(t.Context(), cloud.Call{Service: cloud.KeyManager, Method: http.MethodPost, Path: "secrets", Body: map[string]any{"name": name}, Into: &made}); err != nil {
		t.Fatal(err)
	}
	id := made.Ref[strings.LastIndexByte(made.Ref, '/')+1:]
	defer func() {
		if err := c.Do(t.Context(), cloud.Call{Service: cloud.KeyManager, Method: http.MethodDelete, Path: "secrets/" + id}); err != nil {
			t.Error(err)
		}
	}()
	if s := stepOf(g.Plan(needs + plain(name))); s.Action != plan.Refuse {
		t.Errorf("%s: %s, want a refusal", s.Action, s.FullCause())
	}
	imported := "---\napiVersion: stackreeve.dev/v1alpha1\nkind: BarbicanSecret\nmetadata: {name: phrase}\nspec: {managementPolicy: unmanaged, import: {filter: {name: " + name + "}}}\n"
	if s := stepOf(g.Plan(imported)); s.ID() != id {
		t.Errorf("%s %s: %s, want %s to be found", s.Action, s.ID(), s.FullCause(), id)
	}
}

// A list is read to its last page.
func TestMoreThanAPage(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	if g.Simulator == nil {
		t.Skip("needs a cloud with short pages")
	}
	text := needs
	for i := range 120 {
		text += strings.Replace(plain(fmt.Sprintf("phrase-%d", i)), "metadata: {name: phrase}", fmt.Sprintf("metadata: {name: phrase-%d}", i), 1)
	}
	g.MustSync(text)
	if p := g.Plan(text); p.Owned != 120 || p.Summary().Writes() != 0 {
		t.Errorf("%d are owned, %d writes", p.Owned, p.Summary().Writes())
	}
}
