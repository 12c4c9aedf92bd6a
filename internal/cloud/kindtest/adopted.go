package kindtest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// adopted is a law: an object that people have created can be adopted, and only its mark changes.
// If the objects of a kind cannot get a mark after their creation, the plan says so.
func (s Suite) adopted(t *testing.T, g *Target) {
	if s.Unadopted != "" {
		t.Skip(s.Unadopted)
	}
	pass := g.MustSync(s.all())
	before := s.step(t, pass.Last)
	if before.ID() == "" || before.Parent.Kind != "" {
		t.Skip("it has no object of its own in the cloud, or is a part of another")
	}
	hidden := &unmarking{owner: ownertext.Of(g.Stack, s.Key)}
	bare := g.Through(func(next http.RoundTripper) http.RoundTripper {
		if g.between != nil {
			next = g.between(next)
		}
		return hidden.Wrap(next)
	})
	for _, value := range []string{before.ID(), "true"} {
		manifests := s.adopting(t, value)
		step := s.step(t, bare.Plan(manifests))
		switch {
		case step.Action == plan.Refuse && s.fixed():
			continue
		case step.Action == plan.Refuse && value == "true" && (step.Causes.Has(cause.Nameless) || step.Causes.Has(cause.NamelessPart)):
			continue
		case g.Simulator == nil && step.Action == plan.Refuse && value == "true" && (step.Causes.Has(cause.SeveralToAdopt) || step.Causes.Has(cause.SeveralToAdoptOf)):
			continue // in a real cloud, objects of others may have the same name
		case step.Action != plan.Update || !step.Adopts || step.ID() != before.ID():
			t.Errorf("adopt: %s: %s (%s), adopts: %v", value, step.Action, step.FullCause(), step.Adopts)
		}
		for _, c := range step.Changes {
			if c.Field != kind.MarkField && c.Have != kind.Unknown {
				t.Errorf("adopt: %s: also changes %s", value, describe([]kind.Change{c}))
			}
		}
	}
	manifests := s.adopting(t, before.ID())
	if !s.fixed() {
		if last := s.step(t, bare.MustSync(manifests).Last); last.ID() != before.ID() {
			t.Errorf("it is %s now and was %s", last.ID(), before.ID())
		}
	}
	if pass := g.MustSync(manifests); len(pass.Results) > 0 {
		t.Errorf("once it is adopted: %v", unfinishedSteps(pass.First))
	}
	g.MustSync(s.all())
}

// fixed reports whether the cloud cannot write a mark on an existing object.
func (s Suite) fixed() bool {
	return slices.ContainsFunc(s.Kinds(nil, defaults.Defaults{}), func(k *kind.Kind) bool { return k.Info.Kind == s.Key.Kind && k.Info.FixedMark })
}

// adopting is the manifest of the object with the annotation that adopts it.
func (s Suite) adopting(t *testing.T, value string) string {
	t.Helper()
	return s.annotated(t, `stackreeve.dev/adopt: "`+value+`"`)
}

// unmarking is a layer that removes the marks of one owner from the cloud's answers, until a
// request writes that owner's text.
type unmarking struct {
	owner   string
	written atomic.Bool
}

// Wrap returns a transport that removes the marks from the answers of next.
func (u *unmarking) Wrap(next http.RoundTripper) http.RoundTripper {
	return roundTrip(func(req *http.Request) (*http.Response, error) { return u.pass(next, req) })
}

type roundTrip func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (r roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return r(req) }

func (u *unmarking) pass(next http.RoundTripper, req *http.Request) (*http.Response, error) {
	if !reads(req) && holds(req.Header, u.owner) {
		u.written.Store(true)
	}
	if req.Body != nil && req.Method != http.MethodGet {
		text, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		if bytes.Contains(text, []byte(u.owner)) {
			u.written.Store(true)
		}
		req = req.Clone(req.Context())
		req.Body = io.NopCloser(bytes.NewReader(text))
	}
	resp, err := next.RoundTrip(req)
	if err != nil || u.written.Load() || !reads(req) {
		return resp, err
	}
	u.bareHeaders(resp.Header)
	if req.Method == http.MethodHead {
		return resp, nil
	}
	text, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var tree any
	if decoder.Decode(&tree) == nil {
		if bare, err := json.Marshal(u.bare(tree)); err == nil {
			text = bare
		}
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	resp.Header.Del("Content-Length")
	return resp, nil
}

// bareHeaders removes the owner's mark from headers that are metadata.
func (u *unmarking) bareHeaders(all http.Header) {
	if !holds(all, u.owner) {
		return
	}
	for name := range all {
		if _, key, metadata := strings.Cut(name, "-Meta-"); metadata && ownertext.ReservedKey(key) {
			delete(all, name)
		}
	}
}

// holds reports whether any value of the headers contains a text.
func holds(all http.Header, text string) bool {
	for _, values := range all {
		if strings.Contains(strings.Join(values, "\n"), text) {
			return true
		}
	}
	return false
}

// description is the metadata key for the description of a server, if the cloud has no descriptions
// of servers. It is no part of the mark.
const description = ownertext.Word + "-description"

// bare returns JSON without the owner's marks, wherever a service stores them.
func (u *unmarking) bare(tree any) any {
	switch v := tree.(type) {
	case []any:
		mine := slices.Contains(v, any(u.owner))
		out := []any{}
		for _, one := range v {
			if text, ok := one.(string); !ok || !mine || !ownertext.LooksLikeMark(text) {
				out = append(out, u.bare(one))
			}
		}
		return out
	case map[string]any:
		mine := v[ownertext.Word] == u.owner
		for name, value := range v {
			if mine && ownertext.ReservedKey(name) && name != description {
				delete(v, name)
				continue
			}
			v[name] = u.bare(value)
		}
	case string:
		return u.text(v)
	}
	return tree
}

// text returns a text without the owner's mark at its end: in brackets, or as words.
func (u *unmarking) text(text string) string {
	at := strings.Index(text, u.owner)
	if at < 0 || at+len(u.owner) < len(text) && !strings.ContainsAny(text[at+len(u.owner):][:1], " ]") {
		return text
	}
	return endOfMark.ReplaceAllString(text[:at], "")
}

var endOfMark = regexp.MustCompile(` ?\[?$`)
