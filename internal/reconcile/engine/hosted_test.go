package engine

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// guests is the driver of a kind whose objects run inside Things. Its List gets the list of the Things.
type guests struct {
	*thingtest.World
	lists []kind.Hosts
}

func (g *guests) List(ctx context.Context, asked kind.Listing) ([]typed.Live[thingtest.Thing], error) {
	g.lists = append(g.lists, asked.Hosts)
	return g.World.List(ctx, asked)
}

// hosted returns an engine with Things, and with Guests that run on them.
func hosted() (*thingtest.World, *guests, *Engine) {
	w, g := thingtest.New(), &guests{World: thingtest.New()}
	e := engineOf(w)
	e.Kinds = []*kind.Kind{thingtest.Of(kind.Info{Group: "test", Version: "v1", Kind: "Guest", HostedOn: []string{"Thing", "Other"}}, g), w.Kind()}
	return w, g, e
}

func guest(name string) kind.Desired {
	return kind.Desired{Key: manifest.Key{Group: "test", Kind: "Guest", Namespace: "default", Name: name}, Digest: "guest", Spec: &thingtest.Spec{}, Object: &manifest.Object{}}
}

// Kinds that run inside objects of other kinds are listed last. Their List gets the lists of those kinds, the manifests, and the data of
// the revision.
func TestListsOfHostedKinds(t *testing.T) {
	w, g, e := hosted()
	want := append(wanted(t, &door{World: w}, "host"), guest("a"))
	data := kind.Desired{Key: manifest.Key{Kind: "Secret", Name: "s"}, Virtual: true, Data: map[string]string{"x": "y"}}
	thingtest.Fill(t, w, []string{"host ours", "other nobody"}, want)
	have := e.Observe(t.Context(), append(want, data))
	if len(g.lists) != 1 || len(have) != 2 {
		t.Fatalf("%d lists, %d collections", len(g.lists), len(have))
	}
	hosts := g.lists[0]
	if hosts.Stack != "s" || len(hosts.Want) != 1 || hosts.Want[0].Key.Name != "a" || len(hosts.Have["Thing"].Items) != 2 {
		t.Errorf("%s, wants %v, has %v", hosts.Stack, hosts.Want, hosts.Have)
	}
	if hosts.Data(data.Key)["x"] != "y" || hosts.Data(guest("a").Key) != nil || hosts.Data(manifest.Key{}) != nil {
		t.Error("the data are others")
	}
}

// After a host was written, the objects that run inside it are listed again. While a guest is being created, its hosts are listed, too.
func TestHostedKindsAreListedAfterTheirHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, g, e := hosted()
		want := wanted(t, &door{World: w}, "host")
		if pass := e.Sync(t.Context(), Revision{Want: append(want, guest("a"))}); pass.Outcome() != plan.InSync || !slices.Equal(g.Names(), []string{"a"}) {
			t.Fatalf("%s, %v: %s", pass.Outcome(), g.Names(), failed(pass))
		}
		g.lists = nil
		if e.Sync(t.Context(), Revision{Want: append(wanted(t, &door{World: w}, "host colour=red"), guest("a"))}); len(g.lists) != 2 {
			t.Errorf("%d lists when a host was changed, want 2", len(g.lists))
		}
		last := g.lists[len(g.lists)-1]
		if l := last.Have["Thing"].Items; len(l) != 1 || l[0].State.(*thingtest.Thing).Colour != "red" {
			t.Errorf("the hosts are %v", l)
		}
		g.lists = nil
		if e.Sync(t.Context(), Revision{Want: append(wanted(t, &door{World: w}, "host colour=red"), guest("a"))}); len(g.lists) != 1 {
			t.Errorf("%d lists when nothing was changed, want 1", len(g.lists))
		}
	})
}

// A collection is listed again if an object of it was written, if the cloud works on such an object, or if the list failed temporarily.
func TestWhatIsToBeListed(t *testing.T) {
	for name, c := range map[string]struct {
		change func(r *run)
		want   []string
	}{
		"nothing":                          {func(*run) {}, nil},
		"a guest is worked on":             {func(r *run) { r.round.awaitedKinds["Guest"] = true }, []string{"Guest", "Thing"}},
		"a host is worked on":              {func(r *run) { r.round.awaitedKinds["Thing"] = true }, []string{"Thing"}},
		"a guest, and hosts are not known": {func(r *run) { r.round.awaitedKinds["Guest"] = true; delete(r.snapshot, "Thing") }, []string{"Guest"}},
		"something is to be deleted":       {func(r *run) { r.round.outdated["Thing"] = true }, []string{"Thing"}},
		"something was written":            {func(r *run) { r.fresh["Thing"].stale[thingtest.Key("a")] = true }, []string{"Thing"}},
		"a list failed":                    {func(r *run) { r.snapshot["Thing"] = kind.Collection{Err: errors.New("503")} }, []string{"Thing"}},
		"a list fails for ever":            {func(r *run) { r.snapshot["Thing"] = kind.Collection{Err: kind.ErrRejected} }, nil},
		"there is no such service":         {func(r *run) { r.snapshot["Thing"] = kind.Collection{Err: kind.ErrNoService} }, nil},
		"a list failed too often": {func(r *run) {
			r.snapshot["Thing"], r.fresh["Thing"].failures = kind.Collection{Err: errors.New("503")}, maxFailedLists
		}, nil},
		"a list failed often": {func(r *run) {
			r.snapshot["Thing"], r.fresh["Thing"].failures = kind.Collection{Err: errors.New("503")}, maxFailedLists-1
		}, []string{"Thing"}},
	} {
		_, _, e := hosted()
		r := newRun(e, Revision{})
		r.snapshot = kind.Snapshot{"Thing": {}, "Guest": {}}
		r.round.awaitedKinds, r.round.outdated = map[string]bool{}, map[string]bool{}
		c.change(r)
		var got []string
		for kind := range r.toBeListed() {
			got = append(got, kind)
		}
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// hostedKinds returns the kinds of guests whose lists are older than the last write to their hosts.
func TestWhatIsInsideOfWhatWasWritten(t *testing.T) {
	now := time.Unix(1000, 0)
	for name, c := range map[string]struct {
		change func(r *run)
		want   int
	}{
		"nothing was written":       {func(r *run) { r.fresh["Thing"].at = now.Add(time.Second) }, 0},
		"written, and not listed":   {func(r *run) { r.fresh["Thing"].writtenEntries[""], r.fresh["Thing"].touched = true, true }, 1},
		"written, and listed since": {func(r *run) { r.fresh["Thing"].writtenEntries[""], r.fresh["Thing"].at = true, now.Add(time.Second) }, 1},
		"listed together":           {func(r *run) { r.fresh["Thing"].writtenEntries[""] = true }, 0},
		"guests are not known": {func(r *run) {
			r.fresh["Thing"].writtenEntries[""], r.fresh["Thing"].touched = true, true
			delete(r.snapshot, "Guest")
		}, 0},
	} {
		_, _, e := hosted()
		r := newRun(e, Revision{})
		r.snapshot = kind.Snapshot{"Thing": {}, "Guest": {}}
		r.fresh["Thing"].at, r.fresh["Guest"].at = now, now
		c.change(r)
		if got := r.hostedKinds(); len(got) != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// firstError returns the error of an entry whose list failed. An error after which a retry may succeed is preferred. Entries that could not
// log in, or may not list, do not count.
func TestTroubleWithLists(t *testing.T) {
	passes := errors.New("503")
	part := func(err error) kind.Shown { return kind.Shown{Err: err} }
	for name, c := range map[string]struct {
		list kind.Collection
		want error
	}{
		"none":                   {kind.Collection{}, nil},
		"of the only entry":      {kind.Collection{Err: passes}, passes},
		"of no part":             {kind.Collection{Err: passes, Parts: []kind.Shown{part(nil)}}, nil},
		"of one part":            {kind.Collection{Parts: []kind.Shown{part(nil), part(kind.ErrRejected)}}, kind.ErrRejected},
		"one that may pass":      {kind.Collection{Parts: []kind.Shown{part(kind.ErrRejected), part(passes)}}, passes},
		"one that may, first":    {kind.Collection{Parts: []kind.Shown{part(passes), part(kind.ErrRejected)}}, passes},
		"closed":                 {kind.Collection{Parts: []kind.Shown{{Err: passes, Closed: true}}}, nil},
		"refused":                {kind.Collection{Parts: []kind.Shown{{Err: passes, Refused: true}}}, nil},
		"the first of two alike": {kind.Collection{Parts: []kind.Shown{part(kind.ErrUnanswered), part(passes)}}, kind.ErrUnanswered},
	} {
		if got := firstError(c.list); !errors.Is(got, c.want) || (got == nil) != (c.want == nil) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// earlier returns the earlier of two times. A zero time does not count.
func TestTheEarlierOfTwoTimes(t *testing.T) {
	none, one, two := time.Time{}, time.Unix(1, 0), time.Unix(2, 0)
	for _, c := range [][3]time.Time{{none, none, none}, {one, none, one}, {none, one, one}, {one, two, one}, {two, one, one}, {one, one, one}} {
		if got := earlier(c[0], c[1]); !got.Equal(c[2]) {
			t.Errorf("%v and %v: %v", c[0], c[1], got)
		}
	}
}
