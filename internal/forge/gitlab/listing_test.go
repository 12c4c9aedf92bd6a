package gitlab_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// numbers returns the numbers of the open merge requests.
func numbers(t *testing.T, l lab) (list []int) {
	t.Helper()
	pulls, err := l.forge.OpenPulls(t.Context(), l.Branch())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pulls {
		list = append(list, p.Number)
	}
	return list
}

// TestOpenCostsOfChanges checks that OpenPulls sends one request once all merge requests are known,
// however many are open. It still finds each change.
func TestOpenCostsOfChanges(t *testing.T) {
	l := start(t)
	l.Push(t, "many", file("a: 1\n"))
	l.OpenMany("many", 2_000)
	l.Push(t, "topic", file("a: 1\n"))
	before := l.Served()
	if got := len(numbers(t, l)); got != 2_000 {
		t.Fatalf("%d merge requests, want 2000", got)
	}
	whole := l.Served() - before
	l.Pass(time.Hour / 2)
	recent := l.OpenPull(t, "topic", l.Branch(), "Recent")
	if got := numbers(t, l); len(got) != 2_001 || got[2_000] != recent {
		t.Fatalf("%d merge requests, want 2001", len(got))
	}
	look := func(name string, want func([]int) bool) {
		t.Helper()
		before := l.Served()
		if got := numbers(t, l); !want(got) {
			t.Errorf("%s: %d merge requests, the last %v", name, len(got), got[max(0, len(got)-3):])
		}
		if n := l.Served() - before; n != 1 {
			t.Errorf("%s: %d requests, want 1 (all cost %d)", name, n, whole)
		}
	}
	look("nothing changed", func(got []int) bool { return len(got) == 2_001 })
	opened := l.OpenPull(t, "topic", l.Branch(), "Newer")
	look("opened", func(got []int) bool { return len(got) == 2_002 && got[2_001] == opened })
	l.Close(t, 7)
	look("closed", func(got []int) bool { return len(got) == 2_001 && !slices.Contains(got, 7) })
	l.MergeBy(opened, "squash")
	look("merged", func(got []int) bool { return !slices.Contains(got, opened) })
	l.Retarget(8, "other")
	look("asks for another branch", func(got []int) bool { return !slices.Contains(got, 8) })
	l.Retarget(8, l.Branch())
	look("asks for this one again", func(got []int) bool { return slices.Contains(got, 8) })
	pushed := l.OpenPull(t, "topic", l.Branch(), "Pushed to")
	numbers(t, l)
	head := l.Push(t, "topic", file("a: 2\n"))
	pulls, err := l.forge.OpenPulls(t.Context(), l.Branch())
	if err != nil || pulls[len(pulls)-1].Number != pushed || pulls[len(pulls)-1].Head != head {
		t.Errorf("after a push: %+v, %v; want %s", pulls[len(pulls)-1], err, head)
	}
	if whole < 20 {
		t.Errorf("2,000 merge requests came in %d requests", whole)
	}
}

// TestOpenAfterAFailure checks that a failed list does not change the known merge requests.
func TestOpenAfterAFailure(t *testing.T) {
	l := start(t)
	l.Push(t, "topic", file("a: 1\n"))
	first := l.OpenPull(t, "topic", l.Branch(), "First")
	numbers(t, l)
	second := l.OpenPull(t, "topic", l.Branch(), "Second")
	l.SetWeather(func(w http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/merge_requests") {
			http.Error(w, "oops", http.StatusBadGateway)
			return true
		}
		return false
	})
	if _, err := l.forge.OpenPulls(t.Context(), l.Branch()); err == nil {
		t.Error("no error")
	}
	l.SetWeather(nil)
	if got := numbers(t, l); !slices.Equal(got, []int{first, second}) {
		t.Errorf("afterwards %v", got)
	}
}
