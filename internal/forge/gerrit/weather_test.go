package gerrit_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/forgetest"
	"github.com/stackreeve/stackreeve/internal/forge/memory"
)

// storm makes that many requests in a hundred fail: before Gerrit has read them, and after it has carried them out.
func (l lab) storm(before, after int) {
	random := rand.New(rand.NewPCG(1, 2))
	l.SetWeather(func(w http.ResponseWriter, _ *http.Request) bool {
		if random.IntN(100) >= before {
			return false
		}
		if random.IntN(2) == 0 {
			panic(http.ErrAbortHandler)
		}
		http.Error(w, "Bad Gateway", http.StatusBadGateway)
		return true
	})
	l.Lose(func(*http.Request) bool { return random.IntN(100) < after })
}

// until repeats a write for as long as Gerrit is away, as the outbox does.
func until(t *testing.T, what string, write func() error) {
	t.Helper()
	for range 100 {
		err := write()
		if err == nil {
			return
		}
		if !errors.Is(err, forge.ErrUnavailable) {
			t.Fatalf("%s: %v", what, err)
		}
	}
	t.Fatalf("%s: never", what)
}

// One comment is there at the end, with all its parts, and the status and the vote are the last ones.
func TestBadWeather(t *testing.T) {
	for name, storm := range map[string]struct{ before, after int }{
		"good weather": {}, "requests are lost": {before: 30}, "answers are lost": {after: 30}, "both": {20, 20},
	} {
		l := start(t)
		head := l.Push(t, "topic", file("a: 1\n"))
		number := l.OpenPull(t, "topic", l.Branch(), "Topic")
		l.storm(storm.before, storm.after)
		board := forge.NewBoard(l.forge)
		long := strings.Repeat("🙂 word\n", 4_000) // several messages
		for run, parts := range [][]string{{"first"}, {long, "second part"}, {"last"}} {
			mark := memory.Marker{Kind: memory.PlanComment, Stack: "prod", Run: int64(run + 1), Head: head}
			until(t, name, func() error { _, _, err := memory.Upsert(t.Context(), l.forge, number, mark, parts); return err })
			state := []forge.State{forge.Pending, forge.Failure, forge.Success}[run]
			until(t, name, func() error {
				_, err := board.Set(t.Context(), head, forge.Status{Context: "c", State: state, Description: fmt.Sprint(run)})
				return err
			})
		}
		l.SetWeather(nil)
		l.Lose(nil)
		list, err := l.forge.Comments(t.Context(), number)
		if got := memory.Texts(list, memory.PlanComment, "prod"); err != nil || !slices.Equal(got, []string{"last"}) {
			t.Errorf("%s: the comments are %.100q, %v", name, got, err)
		}
		statuses, err := l.forge.Statuses(t.Context(), head)
		if err != nil || !slices.Equal(statuses, []forge.Status{{Context: "c", State: forge.Success, Description: "2"}}) || l.Vote(number, forgetest.Bot) != 1 {
			t.Errorf("%s: %+v, the vote is %d, %v", name, statuses, l.Vote(number, forgetest.Bot), err)
		}
	}
}
