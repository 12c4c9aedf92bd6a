package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

var errRefusal = fmt.Errorf("%w: %w: 403", kind.ErrRejected, kind.ErrForbidden)

// twoServices has Things in the service "mine" and Others in the service "other".
func twoServices() twoKinds {
	two := twoKinds{things: thingtest.New(), others: &guarded{World: thingtest.New()}}
	two.serve("other")
	return two
}

// serve starts an agent. service is the service of the Others.
func (two *twoKinds) serve(service string) {
	e, of := engineOf(two.things), other
	mine := e.Kinds[0].Info
	mine.Service, of.Service = "mine", service
	e.Kinds[0] = thingtest.Of(mine, two.things)
	e.Kinds = append(e.Kinds, thingtest.Of(of, two.others))
	two.engine = e
}

// others are manifests of Others.
func others(t *testing.T, w *thingtest.World, names string) []kind.Desired {
	t.Helper()
	want := wantedBy(t, w, names)
	for i := range want {
		want[i].Key.Kind = "Other"
	}
	return want
}

// A pass does not fail because the cloud refuses the lists of a service that the stack does not use. It says which kinds it does not see. An empty
// repository proves nothing.
func TestServicesThatAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		service, manifests string
		refusal            error
		want               plan.Outcome
		refused            int
	}{
		"another service":    {"other", "a", errRefusal, plan.InSync, 1},
		"the same service":   {"mine", "a", errRefusal, plan.Broken, 0},
		"no manifests":       {"other", "", errRefusal, plan.Broken, 0},
		"for another reason": {"other", "a", fmt.Errorf("%w: 400", kind.ErrRejected), plan.Broken, 0},
	} {
		two := twoServices()
		two.serve(c.service)
		two.others.refusal = c.refusal
		two.others.Put(thingtest.Thing{Name: "stray", Mine: true, Mark: markOf("Other")})
		for range 2 {
			pass := two.engine.Sync(t.Context(), Revision{Want: wantedBy(t, two.things, c.manifests)})
			if pass.Outcome() != c.want || len(pass.Last.Refused) != c.refused || len(two.others.Things) != 1 {
				t.Errorf("%s: %s, refused %q", name, pass.Outcome(), pass.Last.Refused)
			}
		}
		if p := two.engine.Preview(t.Context(), "c", wantedBy(t, two.things, c.manifests), nil); p.Outcome() != c.want || len(p.Refused) != c.refused {
			t.Errorf("%s: a preview is %s, refused %q", name, p.Outcome(), p.Refused)
		}
	}
}

// A refused list is tried again once an hour, and as soon as the stack uses the service.
func TestServicesThatAreRefusedAreTriedAgain(t *testing.T) {
	two := twoServices()
	two.others.refusal = errRefusal
	two.sync(t, "a", 1)
	two.sync(t, "a", 0)
	f, _ := two.engine.past().Found(memory.Place{Kind: "Other"})
	two.engine.past().NoteFound(memory.Place{Kind: "Other"}, memory.Finding{At: f.At.Add(-relistInterval), Refused: f.Refused})
	two.sync(t, "a", 1)
	next := twoKinds{things: two.things, others: two.others}
	next.serve("mine")
	next.engine.Memory = two.engine.past()
	if pass := next.sync(t, "a", 1); pass.Outcome() != plan.Broken {
		t.Errorf("the stack uses the service now: %s", pass.Outcome())
	}
}

// The stack still owns its objects after a login, and in the next process. So a list that is refused later fails the pass, until it is allowed again.
func TestObjectsOfServicesThatAreRefusedLater(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.json")
	login := memory.LoggedIn{Where: "one/p1", As: "ann"}
	open := func() *memory.Memory {
		m, err := memory.Open(path, "s", time.Now())
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	two := twoServices()
	two.engine.Memory = open()
	two.engine.Memory.Forget(login)
	two.engine.Sync(t.Context(), Revision{Want: append(wantedBy(t, two.things, "a"), others(t, two.others.World, "b")...)})
	if len(two.others.Things) != 1 {
		t.Fatal("nothing was created")
	}
	two.others.refusal = errRefusal
	for _, as := range []string{"ann", "ann, without a role", "bob"} {
		two.engine.Memory.Forget(memory.LoggedIn{Where: "one/p1", As: as})
		if pass := two.sync(t, "a", 1); pass.Outcome() != plan.Broken {
			t.Errorf("after a login as %s: %s", as, pass.Outcome())
		}
		two.engine.Memory = open()
	}
	two.others.refusal = nil
	two.engine.Memory.Forget(login)
	if pass := two.sync(t, "a", 2); pass.Outcome() != plan.InSync || len(two.others.Things) != 0 {
		t.Errorf("%s, %d are left", pass.Outcome(), len(two.others.Things))
	}
	two.sync(t, "a", 1) // sees that there is none
	two.others.refusal = errRefusal
	two.engine.Memory.Forget(login)
	if pass := two.sync(t, "a", 1); pass.Outcome() != plan.InSync || len(pass.Last.Refused) != 1 {
		t.Errorf("after the last one is gone: %s", pass.Outcome())
	}
}

// If the list of a kind with manifests is refused, the stack may own such objects. So removing the manifests does not excuse the list, unless it was
// refused before the manifests came.
func TestManifestsOfServicesThatAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		before bool
		want   plan.Outcome
	}{"the manifest comes later": {true, plan.InSync}, "nothing is known before": {false, plan.Broken}} {
		two := twoServices()
		two.others.refusal = errRefusal
		login := func() { two.engine.past().Forget(memory.LoggedIn{Where: "one/p1", As: "ann"}) }
		if login(); c.before {
			two.engine.Sync(t.Context(), Revision{Want: wantedBy(t, two.things, "a")})
		}
		both := append(wantedBy(t, two.things, "a"), others(t, two.others.World, "b")...)
		for range 2 {
			login()
			if pass := two.engine.Sync(t.Context(), Revision{Want: both}); pass.Outcome() != plan.Broken {
				t.Errorf("%s: with a manifest: %s", name, pass.Outcome())
			}
		}
		for range 2 {
			login()
			if pass := two.engine.Sync(t.Context(), Revision{Want: wantedBy(t, two.things, "a")}); pass.Outcome() != c.want {
				t.Errorf("%s: %s", name, pass.Outcome())
			}
		}
	}
}

// If an earlier commit has the kind, its refused list is not excused, not even in a preview or after a login. The commits are read only if a list is
// refused, once for each process, and only some of them.
func TestEarlierCommitsOfServicesThatAreRefused(t *testing.T) {
	two := twoServices()
	read := 0
	past := func(had int, err error) func(context.Context, func(string, []kind.Desired) bool) error {
		return func(_ context.Context, visit func(string, []kind.Desired) bool) error {
			for i := range 2 * maxBefore {
				var want []kind.Desired
				if i == had {
					want = others(t, two.others.World, "b")
				}
				if read++; !visit("c", want) {
					break
				}
			}
			return err
		}
	}
	want := wantedBy(t, two.things, "a")
	two.engine.Sync(t.Context(), Revision{Want: want, EarlierKinds: past(0, nil)})
	if read > 0 {
		t.Error("commits were read though no list is refused")
	}
	two.others.refusal = errRefusal
	for name, c := range map[string]struct {
		had  int
		err  error
		want plan.Outcome
	}{
		"the last commit":     {0, nil, plan.Broken},
		"no commit":           {-1, nil, plan.InSync},
		"too long ago":        {maxBefore, nil, plan.InSync},
		"they cannot be read": {-1, errors.New("no connection"), plan.Broken},
	} {
		two.serve("other")
		rev := Revision{Want: want, EarlierKinds: past(c.had, c.err)}
		read = 0
		if p, _ := two.engine.PreviewOf(t.Context(), rev); p.Outcome() != c.want || read > maxBefore {
			t.Errorf("%s: a preview is %s after %d commits", name, p.Outcome(), read)
		}
		two.engine.Sync(t.Context(), rev)
		read, rev.EarlierKinds = 0, past(-1, c.err)
		two.engine.past().Forget(memory.LoggedIn{})
		if pass := two.engine.Sync(t.Context(), rev); pass.Outcome() != c.want || read > 0 && c.err == nil {
			t.Errorf("%s: %s after %d more commits", name, pass.Outcome(), read)
		}
	}
}

// An object that may have been created is not forgotten, even if the list was never seen.
func TestCreationsInServicesThatAreRefused(t *testing.T) {
	two := twoServices()
	two.others.refusal = errRefusal
	two.engine.past().NoteBegun([]manifest.Key{{Group: "test", Kind: "Other", Namespace: "default", Name: "b"}})
	if pass := two.engine.Sync(t.Context(), Revision{Want: wantedBy(t, two.things, "a")}); pass.Outcome() != plan.Broken {
		t.Errorf("%s", pass.Outcome())
	}
}
