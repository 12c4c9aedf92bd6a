package network_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/network"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

const object = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: front}
spec:
  resource:
    name: front-net
    description: where the web servers are
    tags: [web, blue]
    adminStateUp: true
    mtu: 1400
    portSecurityEnabled: true
`

func TestLaws(t *testing.T) { laws().Run(t) }

// A cloud that accepts tags in the create request needs fewer requests. The laws are
// valid there, too.
func TestLawsWithTagsOnCreate(t *testing.T) {
	s := laws()
	s.Simulator = &simulator.Options{TagsOnCreate: true}
	s.Run(t)
}

// The laws are valid on a cloud that accepts no tags in the create request, with the
// mark in the description.
func TestLawsWithTheMarkInTheDescription(t *testing.T) {
	s := laws()
	s.MarksInDescriptions = true
	s.Object = strings.Replace(object, "    tags: [web, blue]\n", "", 1)
	s.Edits = append(s.Edits, kindtest.Edit{Field: "spec.resource.tags", Old: "mtu: 1400", New: "mtu: 1400\n    tags: [green]"},
		kindtest.Edit{Field: "spec.resource.description", Old: "where the web servers are", New: strings.Repeat("long ", 50)},
		kindtest.Edit{Field: "spec.resource.description", Old: "    description: where the web servers are\n", New: ""})
	s.Run(t)
}

func laws() kindtest.Suite {
	return kindtest.Suite{
		Kinds:  func(c *cloud.Client, _ defaults.Defaults) []*kind.Kind { return []*kind.Kind{network.Kind(c)} },
		Key:    manifest.Key{Group: define.OrcGroup, Kind: "Network", Namespace: "default", Name: "front"},
		Object: object,
		Unseen: map[string]string{
			"spec.resource.dnsDomain":    "needs an extension, see TestLawsWithMoreExtensions",
			"spec.resource.qosPolicyRef": "is an administrator's policy, see qospolicy TestInForce",
		},
	}
}

func TestLawsWithMoreExtensions(t *testing.T) {
	s := laws()
	s.Simulator, s.Partial = &simulator.Options{MoreNetwork: true}, true
	s.Object = strings.Replace(object, "mtu: 1400", "mtu: 1400\n    dnsDomain: Example.org.", 1)
	s.Edits = []kindtest.Edit{{Field: "spec.resource.dnsDomain", Old: "Example.org.", New: "example.com."},
		{Field: "spec.resource.dnsDomain", Old: "    dnsDomain: Example.org.\n", New: ""}}
	s.Run(t)
}

// If the cloud lacks the extension that a field needs, that is noted, and causes no
// error.
func TestWithoutTheExtension(t *testing.T) {
	g := kindtest.NewTarget(t, laws().Kinds)
	asked := strings.Replace(object, "mtu: 1400", "mtu: 1400\n    dnsDomain: example.org.", 1)
	g.MustSync(asked)
	step := g.Plan(asked).Steps[0]
	if len(step.Changes) != 0 || len(step.Notes) != 1 || !strings.Contains(step.Notes[0].Text, "this cloud lacks the extension dns-integration") {
		t.Errorf("changes %v, notes %v; want a note", step.Changes, step.Notes)
	}
}
