package engine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

var nothing = guard.Limits{All: guard.Limit{Count: 0}}

// look makes a plan for a world. The brake holds every plan that destroys something and is not
// approved.
func look(t interface{ Fatal(...any) }, w *thingtest.World, approved []plan.Approval, lines ...string) plan.Plan {
	want, err := w.Wanted(lines...)
	if err != nil {
		t.Fatal(err)
	}
	e := engineOf(w)
	e.Limits = nothing
	return e.Preview(context.Background(), "c", want, approved)
}

func TestFingerprints(t *testing.T) {
	w := thingtest.New()
	syncPass(t, w, engineOf(w), "a colour=red", "b", "near near=a", "atop atop=a", "gone", "same")
	plan := look(t, w, nil, "a colour=red shape=flat", "b colour=blue", "near near=a", "atop atop=a", "new", "same")
	prints := plan.Fingerprints()
	if !slices.IsSortedFunc(prints, func(a, b checksum.Sum) int { return bytes.Compare(a[:], b[:]) }) || len(prints[0]) < sha256.Size {
		t.Errorf("prints are %v", prints)
	}
	// a and atop: the prints of a replacement and of the rest of it. b, new: write. near: follows
	// a. gone: delete.
	if len(prints) != 8 {
		t.Errorf("%d prints of\n%s", len(prints), stepsOf(plan))
	}
	other := plan
	other.Stack = "t"
	if slices.ContainsFunc(other.Fingerprints(), func(p checksum.Sum) bool { return slices.Contains(prints, p) }) {
		t.Error("an approval of one stack is good for another")
	}
}

func TestApproval(t *testing.T) {
	before := []string{"a", "b", "c", "d"}
	approvedOf := []string{"a colour=red", "b shape=flat"} // c and d are deleted
	for name, c := range map[string]struct {
		lines []string
		hand  func(w *thingtest.World)
		steps bool
		code  cause.Code // among the reasons for the hold; "" if there is none
		want  string     // expected in the reason
	}{
		"the very plan":        {lines: approvedOf},
		"what is left of it":   {lines: approvedOf, steps: true, hand: func(w *thingtest.World) { delete(w.Things, "id-003") }},
		"left, steps unknown":  {lines: approvedOf, hand: func(w *thingtest.World) { delete(w.Things, "id-003") }, code: cause.WrongApproval, want: "HASH"},
		"half of a replace":    {lines: approvedOf, steps: true, hand: func(w *thingtest.World) { delete(w.Things, "id-002") }},
		"an update on the way": {lines: approvedOf, steps: true, hand: func(w *thingtest.World) { w.Things["id-001"].Colour = "green" }},
		"a delete more":        {lines: approvedOf, steps: true, hand: func(w *thingtest.World) { ours(w, "e") }, code: cause.ApprovedBy, want: "delete Thing/e"},
		"a create more":        {lines: append(approvedOf, "x", "x2"), steps: true, code: cause.GrownMore, want: "create Thing/x"},
		"another manifest":     {lines: []string{"a colour=red", "b shape=square"}, steps: true, code: cause.Grown, want: "replace Thing/b"},
		"another object":       {lines: approvedOf, steps: true, hand: func(w *thingtest.World) { delete(w.Things, "id-003"); ours(w, "c") }, code: cause.Grown, want: "delete Thing/c"},
		"worse for one":        {lines: []string{"a colour=red shape=flat", "b shape=flat"}, steps: true, code: cause.Grown, want: "replace Thing/a"},
	} {
		t.Run(name, func(t *testing.T) {
			w := thingtest.New()
			for _, n := range before {
				ours(w, n)
			}
			held := look(t, w, nil, approvedOf...)
			approval := plan.Approval{Hash: held.Hash(), By: "Ann", Commit: "c"}
			if c.steps {
				approval.Proof = held.Proof()
			}
			if c.hand != nil {
				c.hand(w)
			}
			got := look(t, w, []plan.Approval{{Hash: "0000"}, approval}, c.lines...).Held
			want := strings.ReplaceAll(c.want, "HASH", approval.Hash)
			switch {
			case c.code == "" && got != nil:
				t.Errorf("held: %s", got)
			case c.code != "" && !got.Has(c.code), !strings.Contains(got.String(), want):
				t.Errorf("held: %q, want %s %q", got, c.code, want)
			}
		})
	}
}

// ours puts a thing of the stack into the world. Its manifest had only a name when it was applied.
func ours(w *thingtest.World, name string) {
	want, err := w.Wanted(name)
	if err != nil {
		panic(err)
	}
	mark := want[0].PlainMark("s")
	w.Put(thingtest.Thing{Name: name, Mark: &mark, Mine: true})
}

// bare returns, as plain text, the parts of a destructive step that an approval binds; "" for any
// other step.
func bare(s plan.Step) string {
	d, harms := s.Harm()
	if !harms {
		return ""
	}
	text := fmt.Sprint(s.Key, d, s.Action, s.ID())
	if s.Want != nil {
		text += s.Want.Digest
	}
	return text
}

// After a plan was approved, the cloud and the repository may change in any way. No object is
// destroyed that the plan did not destroy, and no manifest is applied that was not part of the
// plan.
func TestAnApprovalLetsNothingElseThrough(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := thingtest.New()
		anyCloud(rt, w)
		approved := look(rt, w, nil, anyRepo(rt, "approved")...)
		approval := plan.Approval{Hash: approved.Hash(), Commit: "c", Proof: approved.Proof()}
		mayDestroy, manifests := map[string]bool{}, map[string]bool{}
		for _, s := range approved.Steps {
			mayDestroy[bare(s)] = true
			if s.Want != nil {
				manifests[s.Key.String()+s.Want.Digest] = true
			}
		}
		disturb(rt, w)
		now := look(rt, w, []plan.Approval{approval}, anyRepo(rt, "now")...)
		if now.Held != nil || harmedBy(now) == 0 {
			return
		}
		for _, s := range now.Steps {
			if _, harms := s.Harm(); harms && !mayDestroy[bare(s)] {
				rt.Fatalf("%s %s was not approved:\n%s\nnow:\n%s", s.Action, s.Key, stepsOf(approved), stepsOf(now))
			}
			if s.Action.Writes() && s.Want != nil && !s.Surplus && !manifests[s.Key.String()+s.Want.Digest] {
				rt.Fatalf("%s %s was not in the plan:\n%s\nnow:\n%s", s.Action, s.Key, stepsOf(approved), stepsOf(now))
			}
		}
	})
}

// disturb makes random changes in the cloud, as somebody else might.
func disturb(t *rapid.T, w *thingtest.World) {
	for _, id := range slices.Sorted(maps.Keys(w.Things)) {
		thing := w.Things[id]
		switch rapid.IntRange(0, 5).Draw(t, "hand on "+id) {
		case 0:
			delete(w.Things, id)
		case 1:
			thing.Colour = "blue"
		case 2:
			thing.Shape = "flat"
		}
	}
	if rapid.Bool().Draw(t, "more") {
		anyCloud(t, w)
	}
}

// After a pass was killed at any moment, the next pass continues under the
// same approval until the cloud equals the commit.
func TestAnApprovedPlanIsFinishedAfterAKill(t *testing.T) {
	testcost.Long(t)
	rapid.Check(t, func(rt *rapid.T) {
		w := thingtest.New()
		w.Delay = rapid.IntRange(0, 2).Draw(rt, "delay")
		want, err := w.Wanted(anyRepo(rt, "before")...)
		if err != nil {
			rt.Fatal(err)
		}
		next, err := w.Wanted(anyRepo(rt, "after")...)
		if err != nil {
			rt.Fatal(err)
		}
		left := rapid.IntRange(1, 8).Draw(rt, "writes")
		bubble(t, rt, func() error { return killed(w, want, next, left) })
	})
}

// killed changes a world from want to next. The first agent is stopped after a number of writes
// (left), and a second agent completes the change.
func killed(w *thingtest.World, want, next []kind.Desired, left int) error {
	if pass := engineOf(w).Sync(context.Background(), Revision{Want: want}); pass.Outcome() != plan.InSync {
		return fmt.Errorf("before: %s", failed(pass))
	}
	braked := func() *Engine {
		e := engineOf(w)
		e.Limits, e.Parallelism = nothing, 2
		return e
	}
	held := braked().Sync(context.Background(), Revision{Commit: "c", Want: next}).First
	approved := []plan.Approval{{Hash: held.Hash(), Commit: "c", Proof: held.Proof()}}
	ctx, die := context.WithCancel(context.Background())
	defer die()
	w.Wrote = func() {
		if left--; left == 0 {
			die()
		}
	}
	braked().Sync(ctx, Revision{Commit: "c", Want: next, Approved: approved})
	synctest.Wait()
	last := braked().Sync(context.Background(), Revision{Commit: "c", Want: next, Approved: approved})
	if last.First.Held != nil || last.Outcome() != plan.InSync {
		return fmt.Errorf("%s: %s\napproved:\n%s\nleft:\n%s", last.First.Held, failed(last), stepsOf(held), stepsOf(last.First))
	}
	return nil
}

// Somebody may remove half of a replacement from a pull request. Each remaining step was approved,
// but nobody approved the remaining plan.
func TestAttackApprovalOfASubset(t *testing.T) {
	w := thingtest.New()
	for _, n := range []string{"a", "b", "c", "d"} {
		ours(w, n)
	}
	approved := look(t, w, nil, "a", "b shape=flat", "new")
	approval := plan.Approval{Hash: approved.Hash(), Proof: approved.Proof(), By: "Ann"}
	for name, lines := range map[string][]string{
		"the creation dropped":    {"a", "b shape=flat"},
		"the replacement dropped": {"a", "b", "new"},
		"the deletes alone":       {"a", "b"},
	} {
		if now := look(t, w, []plan.Approval{approval}, lines...); now.Held == nil {
			t.Errorf("%s: not held:\n%s", name, stepsOf(now))
		}
		elsewhere := approval
		elsewhere.Commit = "another"
		if now := look(t, w, []plan.Approval{elsewhere}, lines...); now.Held == nil {
			t.Errorf("%s, at another commit: not held:\n%s", name, stepsOf(now))
		}
	}
	there := approval
	there.Commit = "c"
	delete(w.Things, "id-003")
	if now := look(t, w, []plan.Approval{there}, "a", "b shape=flat", "new"); now.Held != nil {
		t.Errorf("the rest of the pass of the very commit: %s", now.Held)
	}
}

// The proof of a hash is stored where others may write. If somebody adds a step to it, the hash no
// longer matches.
func TestAttackApprovalWithStepsOfSomebodyElse(t *testing.T) {
	w := thingtest.New()
	for _, n := range []string{"a", "b", "c", "d"} {
		ours(w, n)
	}
	small, large := look(t, w, nil, "a", "b", "c"), look(t, w, nil, "a")
	for name, proof := range map[string]plan.Proof{
		"the steps of another plan": large.Proof(),
		"with this plan's digest":   {Exact: small.Proof().Exact, Steps: large.Fingerprints()},
		"moved between the parts":   {Steps: append([]plan.Print{small.Proof().Exact}, large.Fingerprints()...)},
		"without the hash":          {},
	} {
		forged := plan.Approval{Hash: small.Hash(), Commit: "c", Proof: proof}
		if now := look(t, w, []plan.Approval{forged}, "a"); now.Held == nil {
			t.Errorf("%s: an approval of one delete lets three through", name)
		}
	}
	if small.Proof().Hash("s") != small.Hash() || small.Proof().Hash("t") == small.Hash() {
		t.Error("a proof is good for its hash and its stack, and no other")
	}
	if n := len(small.Hash()); n != plan.HashDigits || n < 2*sha256.Size {
		t.Errorf("a hash of %d digits", n)
	}
}

func TestAttackApprovalByAShortHash(t *testing.T) {
	w := thingtest.New()
	ours(w, "a")
	planned := look(t, w, nil)
	for _, hash := range []string{"", planned.Hash()[:16], planned.Hash()[:63], planned.Hash() + "0", strings.ToUpper(planned.Hash()) + " "} {
		if (plan.Approval{Hash: hash}).Covers(planned) {
			t.Errorf("%q approves of %s", hash, planned.Hash())
		}
	}
}

// stepsOf returns a text with one line for each step of a plan.
func stepsOf(p plan.Plan) string {
	var b strings.Builder
	for _, s := range p.Steps {
		fmt.Fprintf(&b, "%s %s: %s %v\n", s.Action, s.Key.Name, s.FullCause(), s.Changes)
	}
	return b.String() + p.Held.String()
}

// harmedBy counts the steps of a plan that destroy something.
func harmedBy(p plan.Plan) (n int) {
	for _, s := range p.Steps {
		if _, harms := s.Harm(); harms {
			n++
		}
	}
	return n
}
