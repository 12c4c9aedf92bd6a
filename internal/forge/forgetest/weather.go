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

// Outdoors is a lab in any weather.
type Outdoors interface {
	Lab
	// SetWeather lets f answer requests before the forge does; nil ends it.
	SetWeather(f func(w http.ResponseWriter, r *http.Request) (answered bool))
	// Lose decides which requests are carried out without that the answer arrives; nil ends it.
	Lose(f func(r *http.Request) bool)
}

// storm makes that many requests in a hundred fail: before the forge has read them, and after it has carried them out.
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

// until repeats a write for as long as the forge is away, as the outbox does.
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

// Storms lets requests and answers get lost while a comment and a status are written again and again. At the end there is one comment, with
// all its parts, and the status is the last one. check looks at the commit and the pull request, too; nil for no further look.
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
		long := strings.Repeat("🙂 word\n", 4_000) // more than some forges take in one message
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
