package engine

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// The findings have a note about each missing answer, unless the cloud lacks the service, or only administrators may list the hosts.
func TestAnswersBeforeAPlanIsShown(t *testing.T) {
	gone, broken, forbidden := fmt.Errorf("no %w", kind.ErrNoService), errors.New("500"), fmt.Errorf("no %w", kind.ErrForbidden)
	for name, c := range map[string]struct {
		quota, zone, host error
		lines             []string
		has               []cause.Code
		quotas, warnings  int
	}{
		"all answer":                 {nil, nil, nil, []string{"a", "b near=a", "c near=a"}, nil, 1, 2},
		"nothing answers":            {broken, broken, broken, []string{"a", "b near=a", "c near=a"}, []cause.Code{cause.QuotaUnknown, cause.ZonesUnknown, cause.HostsUnknown}, 0, 0},
		"nothing is there":           {gone, gone, gone, []string{"a", "b near=a", "c near=a"}, nil, 0, 0},
		"hosts are for others":       {nil, nil, forbidden, []string{"a", "b near=a", "c near=a"}, nil, 1, 1},
		"quotas are for others":      {forbidden, nil, nil, []string{"a", "b near=a", "c near=a"}, []cause.Code{cause.QuotaUnknown}, 0, 2},
		"nothing is to be done":      {broken, broken, broken, nil, nil, 0, 0},
		"something through an entry": {nil, nil, nil, []string{"a", "b near=a", "c near=a", "d cloud=other"}, []cause.Code{cause.EntriesUnchecked}, 1, 2},
	} {
		main, other := newDoors()
		e := entered(main, other)
		k := thingtest.Typed(kind.Info{Group: "test", Version: "v1", Kind: "Thing", Service: "compute"}, main)
		k.QuotaNeeded = func(*thingtest.Spec, kind.FactsOf) kind.Amounts {
			return kind.Amounts{{Service: "compute", Name: "things"}: 1}
		}
		k.QuotaUsed = func(*thingtest.Thing, kind.FactsOf) kind.Amounts { return nil }
		k.Zone = func(*thingtest.Spec) string { return "here" }
		k.PerHost = func(*thingtest.Spec) (int, bool) { return 1, true }
		e.Kinds = []*kind.Kind{k.Resource()}
		e.Quotas = func(context.Context, string) (kind.Allowances, error) {
			return kind.Allowances{"things": {Limit: 5}}, c.quota
		}
		e.Zones = func(context.Context, string) ([]string, error) { return []string{"there"}, c.zone }
		e.Hosts = func(context.Context) (map[string]int, error) { return map[string]int{}, c.host }
		_, found := e.PreviewOf(t.Context(), Revision{Want: wanted(t, main, c.lines...)})
		for _, code := range []cause.Code{cause.QuotaUnknown, cause.ZonesUnknown, cause.HostsUnknown, cause.EntriesUnchecked} {
			want := false
			for _, has := range c.has {
				want = want || has == code
			}
			if found.Notes.Has(code) != want {
				t.Errorf("%s: notes %s: %t", name, code, !want)
			}
		}
		if len(found.Quotas) != c.quotas || len(found.Warnings) != c.warnings {
			t.Errorf("%s: quotas %v, %d warnings", name, found.Quotas, len(found.Warnings))
		}
	}
}

// Quotas and hosts are requested if somebody reads the plan before it is carried out, or if the plan is held. Functions that are nil are
// not called.
func TestWhatIsAskedBeforeAPlan(t *testing.T) {
	for name, c := range map[string]struct {
		watched, held, lacks bool
		apart                bool
		quotas, hosts        int
	}{
		"nobody reads it":      {quotas: 0},
		"somebody reads it":    {watched: true, quotas: 1},
		"it is held":           {held: true, quotas: 1},
		"nothing can be asked": {watched: true, lacks: true},
		"members are apart":    {watched: true, apart: true, quotas: 1, hosts: 1},
	} {
		w := thingtest.New()
		e := engineOf(w)
		k := thingtest.Typed(kind.Info{Group: "test", Version: "v1", Kind: "Thing", Service: "compute"}, w)
		k.QuotaNeeded = func(*thingtest.Spec, kind.FactsOf) kind.Amounts {
			return kind.Amounts{{Service: "compute", Name: "things"}: 1}
		}
		k.QuotaUsed = func(*thingtest.Thing, kind.FactsOf) kind.Amounts {
			return kind.Amounts{{Service: "compute", Name: "things"}: 1}
		}
		k.Zone = func(*thingtest.Spec) string { return "here" }
		if c.apart {
			k.PerHost = func(*thingtest.Spec) (int, bool) { return 1, true }
		}
		e.Kinds = []*kind.Kind{k.Resource()}
		if c.watched {
			e.Watcher = reader{}
		}
		quotas, hosts := 0, 0
		if !c.lacks {
			e.Quotas = func(context.Context, string) (kind.Allowances, error) { quotas++; return nil, nil }
			e.Hosts = func(context.Context) (map[string]int, error) { hosts++; return nil, nil }
		}
		rev := Revision{Commit: "c", Want: wanted(t, &door{World: w}, "a", "b near=a")}
		if c.held {
			rev.Only = "another"
		}
		e.Sync(t.Context(), rev)
		if quotas != c.quotas || hosts != c.hosts {
			t.Errorf("%s: quotas are asked for %d times, hosts %d times", name, quotas, hosts)
		}
	}
}

// If a service does not report how much of a quota is used, the objects that the stack sees in the project are counted.
func TestUseThatAServiceDoesNotTell(t *testing.T) {
	for name, c := range map[string]struct {
		allowance kind.Allowance
		used      int64
	}{
		"it tells":              {kind.Allowance{Limit: 9, Used: 7}, 7},
		"it does not tell":      {kind.Allowance{Limit: 9, Used: -1}, 2},
		"it does, and has none": {kind.Allowance{Limit: 9, Used: 0}, 0},
		"it allows none":        {kind.Allowance{Limit: 0, Used: -1}, 2},
	} {
		w := thingtest.New()
		e := engineOf(w)
		k := thingtest.Typed(kind.Info{Group: "test", Version: "v1", Kind: "Thing", Service: "compute"}, w)
		things := func() kind.Amounts { return kind.Amounts{{Service: "compute", Name: "things"}: 1} }
		k.QuotaNeeded = func(*thingtest.Spec, kind.FactsOf) kind.Amounts { return things() }
		k.QuotaUsed = func(*thingtest.Thing, kind.FactsOf) kind.Amounts { return things() }
		e.Kinds = []*kind.Kind{k.Resource()}
		e.Quotas = func(context.Context, string) (kind.Allowances, error) {
			return kind.Allowances{"things": c.allowance}, nil
		}
		want := wanted(t, &door{World: w}, "a", "b", "c")
		thingtest.Fill(t, w, []string{"a ours", "b ours"}, want)
		_, found := e.PreviewOf(t.Context(), Revision{Want: want})
		if len(found.Quotas) != 1 || found.Quotas[0].Used != c.used {
			t.Errorf("%s: %+v", name, found.Quotas)
		}
	}
}
