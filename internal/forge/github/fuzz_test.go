package github

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// answers is a GitHub that always gives one answer.
type answers func(*http.Request) string

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Request: r, Body: io.NopCloser(strings.NewReader(a(r))),
	}, nil
}

// FuzzAnswers has a forge that sends any answers. Each method returns a valid result, or an error
// of a known class.
func FuzzAnswers(f *testing.F) {
	const sha = `"0123456789abcdef0123456789abcdef01234567"`
	pull := `{"number": 7, "state": "open", "title": "t", "user": {"login": "ann", "id": 1}, "head": {"sha": ` + sha + `, "ref": "x", "repo": {"id": 2, "full_name": "eve/config"}}, "base": {"ref": "main", "sha": ` + sha + `, "repo": {"id": 1, "full_name": "acme/config"}}, "updated_at": "2026-01-02T03:04:05Z"}`
	f.Add(pull)
	f.Add("[" + pull + "]")
	f.Add(`[{"number": -1, "head": null, "base": {}, "user": null}, null, {}]`)
	f.Add(`[{"id": 1, "body": "hello", "user": {"login": "ann", "id": 1}, "created_at": "2026-01-02T03:04:05Z"}, {"id": -1, "user": null}]`)
	f.Add(`{"permission": "write", "user": {"login": "ann"}, "login": "me", "id": 3}`)
	f.Add(`[{"context": "a", "state": "success", "status": "x"}, {"sha": ` + sha + `}]`)
	f.Add(strings.Replace("["+pull+"]", "number", "none", 1))
	f.Add(`{"message": "no"}`)
	f.Add("null")
	var body string
	r, err := New(Config{Repository: "acme/config", Token: func(context.Context) (string, error) { return "x", nil }, Base: answers(func(*http.Request) string { return body }), RequestsPerHour: 1 << 30})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, said string) {
		body = said
		ctx := t.Context()
		check := func(what string, err error) {
			t.Helper()
			var limited *forge.LimitedError
			for _, known := range []error{nil, forge.ErrRefused, forge.ErrNotFound, forge.ErrUnavailable, forge.ErrUnsupported} {
				if errors.Is(err, known) {
					return
				}
			}
			if !errors.As(err, &limited) {
				t.Errorf("%s of %q: an error of no class: %v", what, said, err)
			}
		}
		pulls, err := r.OpenPulls(ctx, "main")
		check("pull requests", err)
		for _, p := range pulls {
			if err == nil && (p.Base != "main" || p.Number < 1) {
				t.Errorf("%q is a pull request into main: %+v", said, p)
			}
		}
		_, err = r.Pull(ctx, 7)
		check("pull request", err)
		_, err = r.MergedBy(ctx, "main", "0123456789abcdef0123456789abcdef01234567")
		check("pull request of a commit", err)
		_, err = r.LastTouch(ctx, "main", "a.yaml")
		check("commit of a file", err)
		_, err = r.Comments(ctx, 7)
		check("comments", err)
		_, err = r.Statuses(ctx, "0123456789abcdef0123456789abcdef01234567")
		check("statuses", err)
		_, err = r.MayWrite(ctx, forge.Person{Login: "ann"}, "main")
		check("permission", err)
	})
}
