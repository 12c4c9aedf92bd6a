package all_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/bind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

// TestKindsDeclareWhatTheyList compares the collections that the list of each kind reads with those that the kind declares. A look at the
// cloud lists the kinds that declare a collection, so a missing one would be a change that nobody notices before the next drift check.
func TestKindsDeclareWhatTheyList(t *testing.T) {
	g := kindtest.NewTargetOn(t, all.Kinds, &simulator.Options{}).Beside("admin")
	text := everything(t, g)
	g.Defaults.ImageHosts = []string{"127.0.0.1"}
	g.MustSync(text)
	for _, k := range g.Engine(g.SharingClient(&cloud.Sharing{})).Kinds {
		if k.Driver == nil || len(k.Info.HostedOn) > 0 {
			continue
		}
		if len(k.Info.Lists) == 0 {
			t.Errorf("%s declares no lists", k.Info.Kind)
		}
		g.Simulator.ResetRequests()
		_, err := k.Driver.List(context.WithoutCancel(t.Context()), kind.Listing{Everything: true, Shared: &kind.SharedResults{}})
		if err != nil {
			t.Fatalf("%s: %v", k.Info.Kind, err)
		}
		for _, r := range g.Simulator.Requests() {
			is := func(collection string) bool {
				_, path, _ := strings.Cut(collection, "/")
				return strings.Contains(r.Path+"/", "/"+path+"/")
			}
			version := strings.Count(strings.Trim(r.Path, "/"), "/") == 0 || strings.HasSuffix(r.Path, "/extensions")
			if !version && k.Info.Service != cloud.ObjectStore && !slices.ContainsFunc(slices.Concat(k.Info.Lists, k.Info.Joins), is) {
				t.Errorf("%s reads %s, but declares %v and %v", k.Info.Kind, r.Path, k.Info.Lists, k.Info.Joins)
			}
		}
	}
}

// TestUnchangedObjectsLookTheSame lists every kind twice, with clients that share nothing. All objects must look the same, so that a look at an
// unchanged collection starts no pass.
func TestUnchangedObjectsLookTheSame(t *testing.T) {
	g := kindtest.NewTargetOn(t, all.Kinds, &simulator.Options{}).Beside("admin")
	text := everything(t, g)
	g.Defaults.ImageHosts = []string{"127.0.0.1"}
	g.MustSync(text)
	one := listed(&kind.SharedResults{}, t, g.Engine(g.SharingClient(nil)).Kinds)
	again := listed(&kind.SharedResults{}, t, g.Engine(g.SharingClient(nil)).Kinds)
	count := 0
	for name, c := range one {
		concern := bind.Concern{All: true}
		was, is := concern.Look(c.Indexed(), g.Stack), concern.Look(again[name].Indexed(), g.Stack)
		if !is.Same(was) {
			t.Errorf("%s: %d objects look different", name, was.Count)
		}
		count += was.Count
	}
	if count < 50 {
		t.Errorf("only %d objects were compared", count)
	}
}
