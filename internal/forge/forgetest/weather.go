package forgetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/memory"
)

// Outdoors is a lab that can lose requests and answers.
type Outdoors interface {
	Lab
	// SetWeather calls f before the forge answers a request. If f returns true, f has answered the request. nil removes f.
	SetWeather(f func(w http.ResponseWriter, r *http.Request) (answered bool))
	// Lose makes the answers get lost for which f returns true. The requests are still carried out. nil removes f.
	Lose(f func(r *http.Request) bool)
}

// storm makes requests fail. Of 100 requests, before fail before the forge has read them, and the answers to after get lost after the forge
// has carried them out.
func storm(lab Outdoors, before, after int) {
	random := rand.New(rand.NewPCG(1, 2))
	lab.SetWeather(func(w http.ResponseWriter, _ *http.Request) bool {
		if random.IntN(100) >= before {
			return false
		}
		if random.IntN(2) == 0 {
			panic(http.ErrAbortHandler)
		}
		http.Error(w, "Bad Gateway", http.StatusBadGateway)
		return true
	})
	lab.Lose(func(*http.Request) bool { return random.IntN(100) < after })
}

// until repeats a write while the forge is unreachable, as the outbox does.
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

// Storms writes a comment and a status again and again while requests and answers get lost. At the end, there must be one comment with all
// its parts, and the status must be the last one. If check is not nil, it checks the commit and the pull request further.
func Storms[L Outdoors](t *testing.T, start func(t *testing.T) L, check func(t *testing.T, lab L, head string, number int)) {
	for name, odds := range map[string]struct{ before, after int }{
		"good weather": {}, "requests are lost": {before: 30}, "answers are lost": {after: 30}, "both": {20, 20},
	} {
		lab := start(t)
		f := lab.Forge()
		head := lab.Push(t, "topic", file("a.yaml", "a: 1\n"))
		number := lab.OpenPull(t, "topic", lab.Branch(), "Topic")
		storm(lab, odds.before, odds.after)
		board := forge.NewBoard(f)
		long := strings.Repeat("🙂 word\n", 4_000) // more than some forges accept in one message
		for run, parts := range [][]string{{"first"}, {long, "second part"}, {"last"}} {
			mark := memory.Marker{Kind: memory.PlanComment, Stack: "prod", Run: int64(run + 1), Head: head}
			until(t, name, func() error { _, _, err := memory.Upsert(t.Context(), f, number, mark, parts); return err })
			state := []forge.State{forge.Pending, forge.Failure, forge.Success}[run]
			until(t, name, func() error {
				_, err := board.Set(t.Context(), head, forge.Status{Context: "c", State: state, Description: fmt.Sprint(run)})
				return err
			})
		}
		lab.SetWeather(nil)
		lab.Lose(nil)
		list, err := f.Comments(t.Context(), number)
		if got := memory.Texts(list, memory.PlanComment, "prod"); err != nil || !slices.Equal(got, []string{"last"}) {
			t.Errorf("%s: the comments are %.100q, %v", name, got, err)
		}
		statuses, err := f.Statuses(t.Context(), head)
		if err != nil || !slices.Equal(statuses, []forge.Status{{Context: "c", State: forge.Success, Description: "2"}}) {
			t.Errorf("%s: %+v, %v", name, statuses, err)
		}
		if check != nil {
			check(t, lab, head, number)
		}
	}
}
