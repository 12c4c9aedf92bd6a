package gitea_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/gitea"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// says answers the request for the token's user, and every other request with text.
func says(t *testing.T, text string) *gitea.Repository {
	return at(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/user") {
			fmt.Fprint(w, `{"id":3,"login":"stackreeve-bot"}`)
			return
		}
		fmt.Fprint(w, text)
	})
}

func TestAttackForgedStatuses(t *testing.T) {
	for name, c := range map[string]struct {
		list string
		want []forge.Status
	}{
		"of somebody else":      {list: `[{"context":"c","status":"success","creator":{"id":4,"login":"writer"}}]`},
		"of an account renamed": {list: `[{"context":"c","status":"success","creator":{"id":4,"login":"stackreeve-bot"}}]`},
		"of nobody":             {list: `[{"context":"c","status":"success"}]`},
		"ours, renamed": {
			list: `[{"context":"c","status":"success","creator":{"id":3,"login":"reeve"}}]`,
			want: []forge.Status{{Context: "c", State: forge.Success}},
		},
		"above ours": {
			list: `[{"context":"c","status":"success","creator":{"id":4}},{"context":"c","status":"pending","creator":{"id":3}},{"context":"c","status":"success","creator":{"id":3}}]`,
			want: []forge.Status{{Context: "c", State: forge.Pending, Covered: true}},
		},
	} {
		got, err := says(t, c.list).Statuses(t.Context(), commit)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, c.want)
		}
	}
}

func TestAttackCommentsOfProgramsAndEdits(t *testing.T) {
	list, err := says(t, `[{"id":1,"user":{"id":-2,"login":"gitea-actions"}},{"id":2,"user":{"id":9,"login":"Renovate[BOT]"}},
		{"id":3,"user":{"id":4,"login":"ann"},"created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:01Z"},
		{"id":4,"user":{"id":4,"login":"ann"},"created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"},
		{"id":5,"user":{"id":8,"login":"stackreeve-bot"}},{"id":6,"user":{"id":3,"login":"renamed"}}]`).Comments(t.Context(), 7)
	if err != nil || len(list) != 6 {
		t.Fatalf("%+v, %v", list, err)
	}
	for i, want := range []forge.Comment{{Bot: true}, {Bot: true}, {Edited: true}, {}, {}, {Mine: true}} {
		if c := list[i]; c.Bot != want.Bot || c.Edited != want.Edited || c.Mine != want.Mine {
			t.Errorf("comment %d: %+v, want %+v", c.ID, c, want)
		}
	}
}

func TestAttackAnAnswerThatWeAreNobody(t *testing.T) {
	f := at(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/user") {
			fmt.Fprint(w, `{"login":""}`)
			return
		}
		fmt.Fprint(w, `[{"id":1,"user":{"id":0},"body":"x","context":"c","status":"success","creator":{"id":0}}]`)
	})
	if list, err := f.Comments(t.Context(), 7); err == nil {
		t.Errorf("comments of nobody: %+v", list)
	}
	if list, err := f.Statuses(t.Context(), commit); err == nil {
		t.Errorf("statuses of nobody: %+v", list)
	}
}

// TestAttackAFloodOfComments checks that a conversation is read up to a limit, and that the
// comments up to there are returned.
func TestAttackAFloodOfComments(t *testing.T) {
	testcost.Long(t)
	pages := 0
	f := at(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/user") {
			fmt.Fprint(w, `{"id":3,"login":"stackreeve-bot"}`)
			return
		}
		pages++
		w.Header().Set("Link", `<x>; rel="next"`)
		fmt.Fprintf(w, `[{"id":%d,"user":{"id":4},"body":%q}]`, pages, strings.Repeat("x", 1<<20))
	})
	list, err := f.Comments(t.Context(), 7)
	if !errors.Is(err, forge.ErrTooMany) || len(list) != pages || pages > 20 {
		t.Errorf("%d comments of %d pages, %v", len(list), pages, err)
	}
}
