package reconcile

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// forgedCloud fills a world with objects whose marks somebody has made, copied,
// doubled or stripped of their digest.
func forgedCloud(t *rapid.T, w *world) {
	for range rapid.IntRange(1, 8).Draw(t, "things") {
		name := fmt.Sprintf("n%d", rapid.IntRange(0, 3).Draw(t, "name"))
		x := thing{name: name, mine: true, colour: rapid.SampledFrom([]string{"red", "blue"}).Draw(t, "colour"), shape: "round",
			failed: rapid.Bool().Draw(t, "failed"), used: rapid.Bool().Draw(t, "used")}
		x.mark = &Mark{Owner: OwnerText("s", thingKey(name)), Applied: rapid.SampledFrom([]string{"", "", Unreadable, "older"}).Draw(t, "applied"),
			Keep: rapid.IntRange(0, 5).Draw(t, "keep") == 0}
		if day := rapid.IntRange(0, 4).Draw(t, "created"); day > 0 {
			x.created = time.Date(2024, 1, day, 0, 0, 0, 0, time.UTC)
		}
		switch rapid.IntRange(0, 8).Draw(t, "sort") {
		case 0:
			x.mark.Rivals = OwnerText("bb", thingKey(name))
		case 1:
			x.copied = "was restored from backup b"
		case 2:
			x.mark.Owner = OwnerText("bb", thingKey(name))
		}
		w.put(x)
	}
}

// doubted tells whether another object claims to be the one with that ID and is
// not provably a half-made copy of it: younger, unused, with nothing applied.
func doubted(things map[string]thing, id string) bool {
	was := things[id]
	for other, t := range things {
		if other == id || t.mark.Owner != was.mark.Owner || t.copied != "" {
			continue
		}
		if t.mark.Rivals != "" || t.mark.Applied != "" || t.used || was.created.IsZero() || !t.created.After(was.created) {
			return true
		}
	}
	return false
}

func snapshot(w *world) map[string]thing {
	out := map[string]thing{}
	for id, t := range w.things {
		out[id] = *t
	}
	return out
}

// Whoever forges marks, doubles or copies them: nothing finished is deleted or
// changed while another object claims to be it, nothing that belongs to nobody
// is touched, and where the limit is 0 nothing is deleted but half-made copies.
func TestAttackForgedMarks(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld()
		forgedCloud(rt, w)
		lines := anyRepo(rt, "objects")
		want, err := w.wanted(lines...)
		if err != nil {
			rt.Fatal(err)
		}
		e := w.engine()
		braked := rapid.Bool().Draw(rt, "limit 0")
		if braked {
			e.Limits = Limits{All: Limit{Count: 0}}
		}
		before := snapshot(w)
		bubble(t, rt, func() error {
			e.Sync(context.Background(), Revision{Want: want})
			for _, id := range slices.Sorted(maps.Keys(before)) {
				was, now := before[id], w.things[id]
				same := now != nil && now.colour == was.colour && *now.mark == *was.mark
				half := was.mark.Applied == ""
				switch {
				case same:
				case was.mark.Rivals != "" || was.copied != "" || !strings.HasPrefix(was.mark.Owner, "stackreeve:s:"):
					return fmt.Errorf("%s belongs to nobody or to others, and was touched: %v", id, was)
				case !half && doubted(before, id):
					return fmt.Errorf("%s was touched although another claims to be it: %v", id, was)
				case now == nil && half && was.used && doubted(before, id):
					return fmt.Errorf("%s is half-made and in use, and was deleted: %v", id, was)
				case now == nil && braked && !half:
					return fmt.Errorf("%s was deleted past the limit: %v", id, was)
				}
			}
			return nil
		})
	})
}

// A plan names every object that bears a mark of the stack.
func TestAttackMarkedIsNeverOverlooked(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld()
		forgedCloud(rt, w)
		want, err := w.wanted(anyRepo(rt, "objects")...)
		if err != nil {
			rt.Fatal(err)
		}
		e := w.engine()
		plan := Make(Input{Stack: "s", Kinds: e.Kinds, Want: want, Have: e.Observe(context.Background(), want)})
		for id, t := range w.things {
			if !slices.ContainsFunc(t.mark.Owners(), func(o string) bool { return strings.HasPrefix(o, "stackreeve:s:") }) {
				continue
			}
			if !slices.ContainsFunc(plan.Steps, func(s Step) bool {
				return s.ID() == id || strings.Contains(s.Reason, id) || s.Action == Refuse && OwnerText("s", s.Key) == t.mark.Owner
			}) {
				rt.Fatalf("%s is in no step: %v", id, t)
			}
		}
	})
}

// Two names whose digests are equal cannot share one object.
func TestAttackNamesWithOneMark(t *testing.T) {
	w := newWorld()
	want, err := w.wanted("a colour=red", "b colour=red")
	if err != nil {
		t.Fatal(err)
	}
	// A collision of digests takes 2³⁰ tries; a planner that thinks so does too.
	e := w.engine()
	p := newPlanner(Input{Stack: "s", Kinds: e.Kinds, Want: want, Have: e.Observe(t.Context(), want), Replace: true})
	p.taken[OwnerText("s", want[1].Key)] = want[0].Key
	if s := p.decide(&want[1]); s.Action != Refuse || !s.Error || !strings.Contains(s.Reason, "Thing/a") {
		t.Errorf("%s: %s", s.Action, s.Reason)
	}
}

// What is not exactly as OwnerText writes it is no owner text.
func TestAttackOwnerTexts(t *testing.T) {
	for _, text := range []string{
		"stackreeve:s:Thing/default/a", "stackreeve:s:Thing/a/b/c", "stackreeve:s:Thing/", "stackreeve::Thing/a", "stackreeve:s:/a", "stackreeve:s:Thing~x",
		"stackreeve:s:Thing~abcdefghijkl/a", "stackreeve: s:Thing/a", "stackreeve:s:Thing/a b", "stackreeve:s:Thing/a]", "Stackreeve:s:Thing/a", "stackreeve:S:Thing/a",
		"stackreeve:s:Thing/a\n", " stackreeve:s:Thing/a", "stackreeve:s:t:Thing/a", "stackreeve:s:Thing/" + strings.Repeat("a", 60),
	} {
		if o, ok := ParseOwner(text); ok {
			t.Errorf("%q is taken for the owner text of %v", text, o)
		}
	}
}

func FuzzParseOwner(f *testing.F) {
	long := manifest.Key{Kind: "LoadBalancer", Namespace: "default", Name: strings.Repeat("long.", 20)}
	for _, text := range []string{OwnerText("s", thingKey("a")), OwnerText("s", long), OwnerText("s", manifest.Key{Kind: "Thing", Namespace: "ns", Name: "a.b-c"}), "stackreeve:s:Thing~", "stackreeve:s:Thing/x~y"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o, ok := ParseOwner(text)
		if !ok {
			return
		}
		if !LooksLikeMark(text) || !LooksLikeMark("x "+text) {
			t.Errorf("%q is an owner text, and a manifest may hold it", text)
		}
		if len(text) > MaxOwnerText || strings.ContainsAny(text, " \t\n[]") {
			t.Errorf("%q is an owner text", text)
		}
		if again := OwnerText(o.Stack, manifest.Key{Kind: o.Kind, Namespace: o.Namespace, Name: o.Name}); o.Name != "" && again != text {
			t.Errorf("%q reads as %v, which is written %q", text, o, again)
		}
	})
}

// A mark that is taken off while a deletion waits is noticed before it is tried
// again.
func TestAttackMarkTakenOffMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		a := w.put(thing{name: "a", mine: true, mark: &Mark{Owner: OwnerText("s", thingKey("a")), Applied: "older"}})
		w.remove = func(string) error { return &RetryAfterError{After: 10 * time.Minute, Err: errLost} }
		go func() {
			time.Sleep(5 * time.Minute)
			w.mu.Lock()
			defer w.mu.Unlock()
			a.mark, w.remove = nil, nil
		}()
		w.engine().Sync(t.Context(), Revision{})
		if w.things[a.id] == nil {
			t.Error("it was deleted although it bore no mark any more")
		}
	})
}
