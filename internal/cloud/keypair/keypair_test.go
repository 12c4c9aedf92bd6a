package keypair_test

import (
	"crypto/rand"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/keypair"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile"
)

const (
	key     = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ1sUMn8G7ZzPpxaWC4oMNDmCqFvPBpVxTcgGY0pTx9u"
	another = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFqTXwb4yEb8cLuyLPA4DI6q1WKQKzcgg+/04bj96ria"
)

func TestLaws(t *testing.T) {
	name := "ops-" + rand.Text()
	kindtest.Suite{
		Kinds: func(c *cloud.Client) []reconcile.Kind { return []reconcile.Kind{keypair.Kind(c)} },
		Key:   manifest.Key{Group: cloud.OrcGroup, Kind: "KeyPair", Namespace: "default", Name: "ops"},
		Object: `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: KeyPair
metadata: {name: ops}
spec:
  resource:
    name: ` + name + `
    type: ssh
    publicKey: ` + key + ` ops team at example.org
`,
		Edits: []kindtest.Edit{
			{Field: "spec.resource.name", Old: name, New: name + "-2", Replaces: true},
			{Field: "spec.resource.publicKey", Old: key, New: another, Replaces: true},
			{Field: "spec.resource.publicKey", Old: "ops team at example.org", New: "the ops team", Replaces: true},
		},
		Unseen: map[string]string{"spec.resource.type": "has one value only"},
	}.Run(t)
}
