// Package kindtest has the laws that every kind obeys, as one suite, and the cloud to run it on.
// The cloud is the simulator, or a real OpenStack if STACKREEVE_TEST_CLOUD names an entry of
// clouds.yaml.
package kindtest

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

// Kinds opens the kinds of a cloud.
type Kinds func(*cloud.Client, defaults.Defaults) []*kind.Kind

// Target is a cloud under test, and the test's own stack in it.
type Target struct {
	t        *testing.T
	cfg      cloud.Config
	kinds    Kinds
	Stack    string
	Defaults defaults.Defaults
	// Simulator is the cloud; nil if it is a real one.
	Simulator *simulator.Server
	// Machines sends the agents' requests to services on machines.
	Machines outbound.Machines

	only map[string]bool // the kinds that agents list; nil for all
	seen *sync.Map       // the kinds of all manifests so far
	used *bool           // whether any agent has run
	wire *wire
	// between is a layer between every agent and the cloud; nil if there is none.
	between func(http.RoundTripper) http.RoundTripper
}

// wire connects the agents of a target with their cloud. They share connections. Without a layer
// between them and the cloud they share a token, too, because a real cloud needs some time for each
// login.
type wire struct {
	transport *http.Transport
	client    *cloud.Client
	requests  atomic.Int64
}

// NewTarget starts a simulator for the test, or uses the cloud that STACKREEVE_TEST_CLOUD names.
// Objects that the test leaves there under its stack are deleted at its end.
func NewTarget(t *testing.T, kinds Kinds) *Target {
	t.Helper()
	return NewTargetOn(t, kinds, nil)
}

// NewTargetOn does the same as NewTarget, with a simulator that has other options. A real cloud has
// no such options, so the test is skipped there unless options is nil.
func NewTargetOn(t *testing.T, kinds Kinds, options *simulator.Options) *Target {
	t.Helper()
	target := newTarget(t, kinds)
	t.Cleanup(target.wire.transport.CloseIdleConnections)
	switch name := os.Getenv("STACKREEVE_TEST_CLOUD"); {
	case name == "":
		target.Simulator, target.cfg = startSimulator(t, table.Or(options, simulator.Options{}))
	case options != nil:
		t.Skip("a real cloud is what it is")
	default:
		target.cfg = cloud.Config{Cloud: name}
	}
	target.emptyAtEnd()
	return target
}

// MarksInDescriptions makes every agent store marks in descriptions, and returns the same target.
func (g *Target) MarksInDescriptions() *Target {
	g.cfg.MarksInDescriptions = true
	return g
}

// Beside returns another stack in the same cloud. It uses the credentials of another entry of
// clouds.yaml, unless entry is "". For a real cloud that entry has the name of the cloud's entry, a
// hyphen and entry. The test is skipped if clouds.yaml has no such entry.
func (g *Target) Beside(entry string) *Target {
	g.t.Helper()
	other := newTarget(g.t, g.kinds)
	g.t.Cleanup(other.wire.transport.CloseIdleConnections)
	other.Simulator, other.cfg, other.Machines = g.Simulator, g.cfg, g.Machines
	if entry != "" {
		other.cfg.Cloud = entry
	}
	if entry != "" && g.Simulator == nil {
		other.cfg.Cloud = g.cfg.Cloud + "-" + entry
		if _, err := cloud.Open(context.WithoutCancel(g.t.Context()), other.cfg); errors.Is(err, kind.ErrRejected) {
			g.t.Skip(err)
		}
	}
	other.emptyAtEnd()
	return other
}

// Through returns the same target with a layer between every agent and the cloud.
func (g *Target) Through(wrap func(http.RoundTripper) http.RoundTripper) *Target {
	other := *g
	other.between = wrap
	other.wire = &wire{transport: g.wire.transport}
	return &other
}

// In returns the same target for a subtest.
func (g *Target) In(t *testing.T) *Target {
	part := *g
	part.t = t
	return &part
}

// Only limits agents to the kinds of the manifests and of the objects that they expand into,
// because a real cloud needs time for each list.
func (g *Target) Only(manifests ...string) {
	g.t.Helper()
	g.only = map[string]bool{}
	for _, m := range manifests {
		for _, want := range g.Resolve(m) {
			g.only[want.Key.Kind] = true
		}
	}
}

func newTarget(t *testing.T, kinds Kinds) *Target {
	target := &Target{t: t, kinds: kinds, used: new(bool), seen: new(sync.Map), Stack: "t" + strings.ToLower(rand.Text())[:10], wire: &wire{transport: &http.Transport{MaxIdleConnsPerHost: 32}}}
	target.Defaults = defaults.Defaults{Network: "private", VIPNetworks: map[string]string{"private": "private", "public": "public"},
		Regions: map[string]string{"tokyo1": "RegionOne"}, Zones: map[string]string{"dev": "az-a"}, ServiceTypes: map[string]string{"generic": ""}, Region: "RegionOne"}
	return target
}

func (g *Target) emptyAtEnd() {
	g.t.Cleanup(func() {
		if !*g.used {
			return
		}
		if pass := g.Sync(""); pass.Outcome() != plan.InSync {
			g.t.Errorf("clean-up: %s: %v", pass.Outcome(), pass.Failures)
		}
	})
}
