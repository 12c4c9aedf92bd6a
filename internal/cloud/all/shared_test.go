package all_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/decide"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

// TestWhatStacksShareIsChangedByNone: stacks on one project share the same listed objects in memory. One stack plans with these objects,
// shows them and exports them. After that, another stack still gets the same objects as a stack that shares with nobody.
func TestWhatStacksShareIsChangedByNone(t *testing.T) {
	g := kindtest.NewTargetOn(t, all.Kinds, &simulator.Options{}).Beside("admin")
	text := everything(t, g)
	g.Defaults.ImageHosts = []string{"127.0.0.1"}
	g.MustSync(text)

	kindsOf := func(s *cloud.Sharing) []*kind.Kind { return g.Engine(g.SharingClient(s)).Kinds }
	sharing := &cloud.Sharing{}
	one, other := kindsOf(sharing), kindsOf(sharing)
	moment := &kind.SharedResults{}
	have := listed(moment, t, one)
	planned := decide.Compute(world.Input{Stack: g.Stack, Commit: "test", Kinds: one, Want: g.Resolve(text), Have: have, Rules: world.Rules{Replace: true}})
	if !planned.InSync() {
		t.Errorf("planned with what is shared: %v", remaining(planned))
	}
	for _, k := range one {
		for _, item := range have[k.Info.Kind].Items {
			k.Status(item.State)
			if k.Export != nil {
				k.Export(item.State, &kind.Export{Ref: func(string, string) (string, bool) { return "a", true }, Adopts: func(string, string) bool { return false }})
			}
		}
	}

	g.Simulator.ResetRequests()
	left := listed(moment, t, other)
	for _, r := range g.Simulator.Requests() {
		if r.Method == "GET" {
			t.Errorf("read again: %s", r.Path)
		}
	}
	alone := listed(&kind.SharedResults{}, t, kindsOf(nil))
	for name, c := range alone {
		for i, item := range c.Items {
			if got := left[name].Items; i >= len(got) || !reflect.DeepEqual(got[i], item) {
				t.Errorf("%s %s is shared as\n%+v\nand is\n%+v", name, item.Name, got, item)
			}
		}
	}
}

// listed returns all objects of the cloud, except those of kinds that only machines can list, such as EtcdMember.
func listed(at *kind.SharedResults, t *testing.T, kinds []*kind.Kind) kind.Snapshot {
	t.Helper()
	have := kind.Snapshot{}
	for _, k := range kinds {
		d := k.Driver
		if d == nil || len(k.Info.HostedOn) > 0 {
			continue
		}
		items, err := d.List(context.WithoutCancel(t.Context()), kind.Listing{Shared: at})
		if err != nil && !errors.Is(err, kind.ErrNoService) {
			t.Fatalf("%s: %v", k.Info.Kind, err)
		}
		have[k.Info.Kind] = kind.Collection{Items: items.Items(), Err: err}
	}
	return have
}
