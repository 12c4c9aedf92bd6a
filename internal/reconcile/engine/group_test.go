package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// herd is a world with a group of Things: the flock is the group, and the sheep are its members. A Thing may refer to the
// members, as a load balancer does.
type herd struct {
	*thingtest.World
	engine *Engine
	most   int      // the largest number of members that did not work at the same time.
	fewest int      // the smallest number of sheep, including spares, that worked at the same time.
	lost   []string // the members that did not work when most was reached.
	roll   string   // further fields of the flock.
	around string   // further manifests.
	notes  string   // further metadata of the flock.
	past   [][]kind.Desired
	broken error // error of reading the history.
	looked int   // number of times that the history was read.
}

// earlier visits the objects of earlier commits.
func (h *herd) earlier(_ context.Context, visit func(string, []kind.Desired) bool) error {
	h.looked++
	for i, want := range slices.Backward(h.past) {
		if !visit(fmt.Sprintf("commit-%d", i), want) {
			return nil
		}
	}
	return h.broken
}

func newHerd() *herd {
	h := &herd{World: thingtest.New()}
	h.engine = engineWith(h)
	return h
}

// engineWith returns an agent that was just started.
func engineWith(h *herd) *Engine {
	e := engineOf(h.World)
	e.Kinds = append(e.Kinds, thingtest.Flock())
	return e
}

func (h *herd) sync(t interface{ Fatal(...any) }, count int, shape string) Pass {
	doc := fmt.Sprintf("apiVersion: test/v1\nkind: Flock\nmetadata: {name: sheep%s}\nspec: {count: %d, thing: {resource: {shape: %s, atop: [meadow]}}%s}\n---\n%s",
		h.notes, count, shape, h.roll, thingtest.Manifest("meadow")+h.around)
	want, _, err := resolve.Read(fstest.MapFS{"flock.yaml": {Data: []byte(doc)}}, h.engine.Kinds)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { h.past = append(h.past, want) }()
	return h.engine.Sync(context.Background(), Revision{Want: want, EarlierCommits: h.earlier})
}

// watch counts, after every write, the members that do not work.
func (h *herd) watch(count int) {
	h.most, h.fewest = 0, 1000
	h.Wrote = func() {
		working, serving := map[string]bool{}, 0
		for _, x := range h.Things {
			works := x.Leaving == 0 && x.Building == 0
			working[x.Name] = working[x.Name] || works
			if works && strings.HasPrefix(x.Name, "sheep") {
				serving++
			}
		}
		h.fewest = min(h.fewest, serving)
		var down []string
		for i := range count {
			if name := fmt.Sprintf("sheep-%d", i); !working[name] {
				down = append(down, name)
			}
		}
		if len(down) > h.most {
			h.most, h.lost = len(down), down
		}
	}
}

func TestMembersOfAGroupAreReplacedOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHerd()
		h.Delay = 3
		if pass := h.sync(t, 5, "round"); pass.Outcome() != plan.InSync {
			t.Fatal(failed(pass))
		}
		h.watch(5)
		far := &howFar{}
		h.engine.Watcher = far
		pass := h.sync(t, 5, "flat")
		want := make([]plan.Rollout, 5)
		for done := range want {
			want[done] = plan.Rollout{Group: far.seen[0].Group, Done: done, Of: 5}
		}
		if !slices.Equal(far.seen, want) || far.seen[0].Group.String() != "Flock/sheep" {
			t.Errorf("meanwhile: %v", far.seen)
		}
		if pass.Outcome() != plan.InSync || pass.First.Summary().Replace != 5 {
			t.Fatalf("%s, %s: %s", pass.Outcome(), pass.First.Summary(), failed(pass))
		}
		if h.most != 1 {
			t.Errorf("%v did not work at the same time, want one at most", h.lost)
		}
		if s := pass.First.Steps[3]; !s.Causes.Is(cause.FixedField) || s.Turn.Code != cause.Turn || len(s.Awaits) != 1 || s.Awaits[0].Name != "sheep-0" {
			t.Errorf("the plan says %q, after %v", s.FullCause(), s.Awaits)
		}
	})
}

// howFar is a watcher that collects the progress of groups, each state once.
type howFar struct{ seen []plan.Rollout }

func (*howFar) Planned(plan.Plan, preflight.Findings) {}
func (*howFar) Started(plan.Step)                     {}
func (*howFar) Finished(Result)                       {}
func (h *howFar) Progress(p Progress) {
	for _, r := range p.Rollouts {
		if !slices.Contains(h.seen, r) {
			h.seen = append(h.seen, r)
		}
	}
}

// While a member does not serve, no other member is replaced. The plan says that the other members wait for it.
func TestNoMemberIsReplacedWhileAnotherIsMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHerd()
		if pass := h.sync(t, 3, "round"); pass.Outcome() != plan.InSync {
			t.Fatal(failed(pass))
		}
		refused := func(name string) (before, after error) { return fmt.Errorf("%w: no host", kind.ErrRejected), nil }
		h.OnCreate = refused
		h.watch(3)
		pass := h.sync(t, 3, "flat")
		if h.most != 1 || pass.Outcome() != plan.Broken || !strings.Contains(failed(pass), "no host [Thing/sheep-1 Thing/sheep-2]") {
			t.Errorf("%v were down, %s: %s", h.lost, pass.Outcome(), failed(pass))
		}
		h.OnCreate = nil
		if pass := h.sync(t, 3, "flat"); pass.Outcome() != plan.InSync || h.most != 1 {
			t.Errorf("then: %v were down, %s: %s", h.lost, pass.Outcome(), failed(pass))
		}
	})
}

func TestTheBrakeCountsTheMembersOfAGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHerd()
		if pass := h.sync(t, 5, "round"); pass.Outcome() != plan.InSync {
			t.Fatal(failed(pass))
		}
		h.engine.Limits.All = share("30%")
		pass := h.sync(t, 5, "flat")
		held := pass.First.Held
		if len(held) < 2 {
			t.Fatalf("held %q", held)
		}
		if last := held[len(held)-1]; last.Code != cause.OverGroup || fmt.Sprint(last.Args...) != "5 5 Flock/sheep 30%" {
			t.Errorf("held %q, and at the end %q", held, fmt.Sprint(last.Args...))
		}
	})
}

// The next member is replaced only after the previous one has worked for the time that the group requires, even if that is an
// hour.
func TestMembersHaveToWorkForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHerd()
		h.Delay, h.roll = 1, ", ready: 3600"
		if pass := h.sync(t, 3, "round"); pass.Outcome() != plan.InSync {
			t.Fatal(failed(pass))
		}
		time.Sleep(time.Hour)
		var gone []time.Time
		h.OnDelete = func(string) error { gone = append(gone, time.Now()); return nil }
		pass := h.sync(t, 3, "flat")
		if pass.Outcome() != plan.InSync || len(gone) != 3 {
			t.Fatalf("%d are gone: %s", len(gone), failed(pass))
		}
		if pass.Rounds > 30 {
			t.Errorf("it was planned %d times meanwhile", pass.Rounds)
		}
		for i := range 2 {
			if d := gone[i+1].Sub(gone[i]); d < time.Hour || d > time.Hour+time.Minute {
				t.Errorf("the next one goes after %s", d)
			}
		}
	})
}

// The object that reports whether members serve is listed again after each change, not before it has had time to notice the
// change. At no moment is more than one member away, or new and not serving yet.
func TestTheNextMemberGoesWhenTheLastOneServes(t *testing.T) {
	const warm, lag = 20 * time.Second, 7 * time.Second
	synctest.Test(t, func(t *testing.T) {
		h := newHerd()
		h.Delay, h.around = 1, "\n---\n"+thingtest.Manifest("dog near=sheep-0,sheep-1,sheep-2,sheep-3")
		cold := func(x *thingtest.Thing) bool { return time.Since(x.Since) < warm }
		h.Judge = func(dog *thingtest.Thing) (unwell []string, _ time.Duration) {
			if dog.Name != "dog" {
				return nil, 0
			}
			for _, x := range h.Things {
				if since := time.Since(x.Since); since >= lag && since < warm {
					unwell = append(unwell, x.ID)
				}
			}
			return unwell, lag
		}
		if pass := h.sync(t, 4, "round"); pass.Outcome() != plan.InSync {
			t.Fatal(failed(pass))
		}
		time.Sleep(time.Hour)
		h.OnDelete = func(name string) error {
			for _, x := range h.Things {
				if strings.HasPrefix(x.Name, "sheep") && x.Name != name && (x.Building > 0 || x.Leaving > 0 || cold(x)) {
					t.Errorf("%s goes while %s does not serve", name, x.Name)
				}
			}
			return nil
		}
		if pass := h.sync(t, 4, "flat"); pass.Outcome() != plan.InSync {
			t.Fatal(failed(pass))
		}
	})
}

// A member whose probe fails is reported, and no other member is changed. The next member is changed as soon as the probe of the
// previous one succeeds.
func TestMembersAreAskedWhetherTheyServe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHerd()
		h.Delay, h.roll = 1, ", asked: true"
		bad := map[string]bool{}
		warm := 20 * time.Second
		h.engine.Probe = func(_ context.Context, address string, _ rollout.Probe) error {
			for _, x := range h.Things {
				if x.Name == address && (bad[address] || time.Since(x.Since) < warm) {
					return errors.New("status 503")
				}
			}
			return nil
		}
		if pass := h.sync(t, 3, "round"); pass.Outcome() != plan.InSync {
			t.Fatal(failed(pass))
		}
		time.Sleep(time.Hour)
		h.OnDelete = func(name string) error {
			for _, x := range h.Things {
				if strings.HasPrefix(x.Name, "sheep") && x.Name != name && (x.Building > 0 || x.Leaving > 0 || time.Since(x.Since) < warm) {
					t.Errorf("%s goes while %s does not serve", name, x.Name)
				}
			}
			return nil
		}
		if pass := h.sync(t, 3, "flat"); pass.Outcome() != plan.InSync {
			t.Fatal(failed(pass))
		}
		time.Sleep(time.Hour)
		bad["sheep-1"] = true
		pass := h.sync(t, 3, "flat")
		for _, o := range status.Of(pass.Last, h.engine.Kinds) {
			if name := o.Metadata.Name; (name == "sheep-1" || name == "sheep") != (o.Status.State == status.StateDegraded) {
				t.Errorf("%s is %s: %s", name, o.Status.State, o.Status.Message)
			}
		}
		h.OnDelete = func(name string) error {
			if name != "sheep-1" { // sheep-1 may be deleted, since it does not serve before the change either
				t.Errorf("%s goes", name)
			}
			return nil
		}
		pass = h.sync(t, 3, "round")
		if got := failed(pass); !strings.Contains(got, "sheep-1: ") || !strings.Contains(got, " 15m0s; http :80/: status 503") {
			t.Error(got)
		}
	})
}

// With a spare, the group never has fewer working members than its manifest says. In the end the spare is deleted, and no limit
// has counted that deletion.
func TestAFurtherMemberWhileOthersAreReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHerd()
		h.Delay, h.roll = 2, ", surge: 1"
		if pass := h.sync(t, 3, "round"); pass.Outcome() != plan.InSync || len(h.Things) != 4 {
			t.Fatalf("%d things; %s", len(h.Things), failed(pass))
		}
		h.watch(3)
		h.engine.Limits = guard.Limits{All: share("75%")}
		pass := h.sync(t, 3, "flat")
		if pass.Outcome() != plan.InSync || h.fewest < 3 || len(h.Things) != 4 {
			t.Fatalf("%d worked, %d things: %s %s", h.fewest, len(h.Things), pass.First.Held, failed(pass))
		}
		if s := pass.First.Summary(); s.Create != 1 || s.Replace != 3 {
			t.Errorf("the plan is %s", s)
		}
	})
}

// If the manifest of a group says how its members are changed, they may be replaced. The brake counts only as many members as can
// be away at the same time, or are changed first. It does not hold the plan because of lost data.
func TestAGroupThatSaysHowRolls(t *testing.T) {
	for name, tt := range map[string]struct {
		roll, notes, limit string
		data               bool
		replaced, held     bool
	}{
		"says nothing":           {"", "", "30%", false, false, false},
		"one at a time":          {", says: true", "", "30%", false, true, false},
		"too many at once":       {", says: true, down: 4", "", "30%", false, true, true},
		"too many, after one":    {", says: true, down: 4, try: 9", "", "30%", false, true, false},
		"not even one":           {", says: true", "", "0", false, true, true},
		"replacing is refused":   {", says: true", ", annotations: {stackreeve.dev/replace: refuse}", "30%", false, false, false},
		"data would be lost":     {", says: true", "", "30%", true, true, true},
		"data may be lost there": {", says: true", ", annotations: {stackreeve.dev/data-loss: allow}", "30%", true, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHerd()
				h.Data = tt.data
				h.engine = engineWith(h)
				h.engine.Replace, h.engine.Limits = false, guard.Limits{All: share(tt.limit)}
				h.roll, h.notes = tt.roll, tt.notes
				h.sync(t, 5, "round")
				pass := h.sync(t, 5, "flat")
				if got := pass.First.Summary().Replace; (got == 5) != tt.replaced || (pass.First.Held != nil) != tt.held {
					t.Errorf("%d are replaced, held %q", got, pass.First.Held)
				}
				if n := h.shaped("flat"); (n == 5) != (tt.replaced && !tt.held) {
					t.Errorf("%d are flat; %s", n, failed(pass))
				}
			})
		})
	}
}

// shaped counts the sheep of a shape.
func (h *herd) shaped(shape string) (n int) {
	for _, x := range h.Things {
		if x.Shape == shape {
			n++
		}
	}
	return n
}

// Spares are deleted even if the stack deletes no other objects, or if the group must not be deleted.
func TestSparesGoWhateverIsKept(t *testing.T) {
	for name, set := range map[string]func(*herd){
		"the stack deletes nothing": func(h *herd) { h.engine.Policies = []plan.Policy{guard.NoPrune} },
		"the group is to stay":      func(h *herd) { h.notes = `, annotations: {stackreeve.dev/prune: "false"}` },
		"the group is to be let go": func(h *herd) { h.notes = `, annotations: {stackreeve.dev/on-delete: detach}` },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHerd()
				h.roll = ", surge: 2"
				set(h)
				for _, shape := range []string{"round", "flat"} {
					if pass := h.sync(t, 3, shape); pass.Outcome() != plan.InSync || len(h.Things) != 4 {
						t.Errorf("%s: %v; %s", shape, h.Names(), failed(pass))
					}
				}
			})
		})
	}
}

// If the number of replicas becomes smaller, some members have to be deleted. They are not spares, so limits count their
// deletion.
func TestFewerMembersAreNoFurtherOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHerd()
		h.roll = ", surge: 3"
		if pass := h.sync(t, 5, "round"); pass.Outcome() != plan.InSync {
			t.Fatal(failed(pass))
		}
		h.engine.Limits = nothing
		for _, shape := range []string{"round", "flat"} {
			if pass := h.sync(t, 3, shape); !pass.First.Held.Has(cause.OverLimit) || len(h.Things) != 6 {
				t.Errorf("%s: held %q; %d things", shape, pass.First.Held, len(h.Things))
			}
		}
	})
}

// An agent is stopped between two steps. The next agent completes the change without knowing what the first one did.
func TestAFurtherMemberThatAnotherAgentFinds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHerd()
		h.roll = ", surge: 1"
		if pass := h.sync(t, 3, "round"); pass.Outcome() != plan.InSync {
			t.Fatal(failed(pass))
		}
		refuse := errors.New("stopped")
		h.OnDelete = func(string) error { return refuse }
		h.sync(t, 3, "flat")
		if len(h.Things) != 5 {
			t.Fatalf("%v", h.Names())
		}
		h.OnDelete, h.engine = nil, engineWith(h)
		if pass := h.sync(t, 3, "flat"); pass.Outcome() != plan.InSync || len(h.Things) != 4 {
			t.Errorf("%v: %s", h.Names(), failed(pass))
		}
	})
}

// Members below a partition are not changed, and the stack is in sync.
func TestMembersBelowAPartitionStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHerd()
		if pass := h.sync(t, 3, "round"); pass.Outcome() != plan.InSync {
			t.Fatal(failed(pass))
		}
		h.roll = ", from: 2"
		if pass := h.sync(t, 3, "flat"); pass.Outcome() != plan.InSync || pass.First.Summary().Replace != 1 || pass.First.Summary().Drifted != 0 {
			t.Fatalf("%s: %s", pass.First.Summary(), failed(pass))
		}
		for _, x := range h.Things {
			if x.Name == "sheep-0" {
				delete(h.Things, x.ID)
			}
		}
		if pass := h.sync(t, 3, "flat"); pass.Outcome() != plan.InSync || pass.First.Summary().Create != 1 {
			t.Fatalf("%s: %s", pass.First.Summary(), failed(pass))
		}
		shapes := map[string]string{}
		for _, x := range h.Things {
			shapes[x.Name] = x.Shape
		}
		if fmt.Sprint(shapes) != "map[meadow: sheep-0:flat sheep-1:round sheep-2:flat]" {
			t.Errorf("they are %v", shapes)
		}
	})
}

// For any cloud, and at whichever step an earlier pass was interrupted, only the allowed number of working members is interrupted
// at the same time, and the change completes.
func TestGroupsTakeTurnsFromAnyStart(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := newHerd()
		h.Delay = rapid.IntRange(0, 3).Draw(rt, "delay")
		count := rapid.IntRange(1, 6).Draw(rt, "members")
		down := rapid.IntRange(1, 3).Draw(rt, "down")
		surge := rapid.IntRange(0, 3).Draw(rt, "surge")
		h.roll = fmt.Sprintf(", down: %d, surge: %d, ready: %d", down, surge, rapid.IntRange(0, 30).Draw(rt, "ready"))
		synctest.Test(t, func(t *testing.T) {
			if pass := h.sync(rt, count, "round"); pass.Outcome() != plan.InSync {
				rt.Fatal(failed(pass))
			}
			gone := rapid.SliceOfDistinct(rapid.IntRange(0, count-1), rapid.ID[int]).Draw(rt, "gone")
			for id, x := range h.Things {
				if slices.ContainsFunc(gone, func(i int) bool { return x.Name == fmt.Sprintf("sheep-%d", i) }) {
					delete(h.Things, id)
				}
			}
			h.watch(count)
			pass := h.sync(rt, count, "flat")
			if pass.Outcome() != plan.InSync {
				rt.Fatalf("%s: %s", pass.Outcome(), failed(pass))
			}
			if h.most > max(down+surge, len(gone)) {
				rt.Fatalf("%v were down, %d of them before", h.lost, len(gone))
			}
			if least := min(count-down, count-len(gone)); h.fewest < least {
				rt.Fatalf("%d served, want %d", h.fewest, least)
			}
			if names := h.Names(); len(names) != count+1 {
				rt.Fatalf("there are %v", names)
			}
		})
	})
}
