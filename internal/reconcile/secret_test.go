package reconcile

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stackreeve/stackreeve/internal/fingerprint"
	"github.com/stackreeve/stackreeve/internal/manifest"
)

const token = "hunter2hunter2"

// repeated are forms in which a cloud may repeat what it was sent.
var repeated = map[string]func(string) string{
	"plain":       func(s string) string { return s },
	"base64":      func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64 line": func(s string) string { return base64.StdEncoding.EncodeToString([]byte("password: " + s + "\n")) },
	"url":         url.QueryEscape,
	"hex":         func(s string) string { return fmt.Sprintf("%X", s) },
	"json":        func(s string) string { return strings.ReplaceAll(fmt.Sprintf("%q", s), "h", `\u0068`) },
	"html":        func(s string) string { return strings.ReplaceAll(s, "h", "&#104;") },
	"cut":         func(s string) string { return s[:len(s)-3] + "…" },
	"in lines":    func(s string) string { return s[:7] + "\n" + s[7:] },
	"upper case":  strings.ToUpper,
	"doubled":     func(s string) string { return url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(s))) },
}

func gives(text, form string) bool {
	squeeze := func(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), "")) }
	text = squeeze(text)
	for _, part := range []string{squeeze(token), squeeze(strings.TrimSuffix(form, "…"))} {
		for i := range len(part) - 7 {
			if strings.Contains(text, part[i:i+8]) {
				return true
			}
		}
	}
	return false
}

func secretObject() Desired {
	return Desired{Key: manifest.Key{Kind: "Secret", Namespace: "default", Name: "login"}, Virtual: true,
		Data: map[string]string{"script": "#cloud-config\npassword: " + token + "\n"}}
}

// Whatever a cloud says, wherever it says it, and in whichever form: no way out
// of a pass, a plan or a status tells the secret.
func TestAttackSecretWaysOut(t *testing.T) {
	for name, form := range repeated {
		echo := form(token)
		ways := map[string]func(w *world){
			"create": func(w *world) {
				w.create = func(string) (before, after error) { return fmt.Errorf("%w: bad %s", ErrRejected, echo), nil }
			},
			"list":        func(w *world) { w.list = errors.New("bad " + echo) },
			"description": func(w *world) { w.put(oursNow("thing", "#"+echo, "")) },
			"name": func(w *world) {
				w.put(thing{name: echo, mine: true, mark: &Mark{Owner: OwnerPrefix + "s:Thing~abcdefghijkl"}})
			},
			"fault": func(w *world) { w.put(oursNow("thing", "", "failed: "+echo)) },
		}
		for way, arrange := range ways {
			t.Run(way+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld()
					arrange(w)
					want, err := w.wanted("thing")
					if err != nil {
						t.Fatal(err)
					}
					want = append(want, secretObject())
					e := w.engine()
					e.Stack = "s"
					plan := e.Look(context.Background(), "c", want, nil)
					pass := e.Sync(context.Background(), Revision{Want: want})
					for what, text := range everythingTold(t, e, plan, pass) {
						if gives(text, echo) {
							t.Errorf("%s tells %q:\n%s", what, echo, text)
						}
					}
				})
			})
		}
	}
}

func oursNow(name, colour, says string) thing {
	return thing{name: name, colour: colour, mine: true, failed: says != "", says: says, mark: &Mark{Owner: OwnerText("s", thingKey(name)), Applied: "x"}}
}

// everythingTold is everything that is said about a plan and a pass.
func everythingTold(t *testing.T, e *Engine, plan Plan, pass Pass) map[string]string {
	t.Helper()
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "plan", plan, "pass", pass, "failures", pass.Failures)
	out := map[string]string{"log": log.String(), "printed": fmt.Sprintf("%+v %+v", plan.Steps, pass.Failures)}
	for _, p := range []Plan{plan, pass.First, pass.Last} {
		text, err := json.Marshal([]any{p, Statuses(p, e.Kinds)})
		if err != nil {
			t.Fatal(err)
		}
		out["json"] += string(text)
	}
	for _, r := range pass.Results {
		out["results"] += fmt.Sprint(r.Err)
	}
	return out
}

func TestAttackSecretInPrintedStructs(t *testing.T) {
	d := secretObject()
	for _, v := range []any{d, &d, []Desired{d}, struct{ D Desired }{d}, Ref{Key: d.Key, Data: d.Data}, Pass{want: []Desired{d}}} {
		var log bytes.Buffer
		slog.New(slog.NewTextHandler(&log, nil)).Info("x", "v", v)
		text, _ := json.Marshal(v)
		for _, out := range []string{fmt.Sprintf("%v %+v %#v %s", v, v, v, v), log.String(), string(text)} {
			if _, isRef := v.(Ref); strings.Contains(out, token) && !(isRef && out == string(text)) {
				t.Errorf("%T is printed as %s", v, out)
			}
		}
	}
}

type vault struct {
	Colour string  `json:"colour,omitempty"`
	Code   *string `json:"code,omitempty" rule:"secret"`
}

// What was applied to an object with secrets is stored as a fingerprint from
// which they cannot be guessed at the price of a plain hash; what earlier
// releases stored is still understood, and renewed in place.
func TestAttackSecretDigest(t *testing.T) {
	code := "4711"
	d := Desired{Key: manifest.Key{Kind: "Thing", Namespace: "default", Name: "v"}, Spec: &vault{Code: &code}, object: &manifest.Object{}}
	r := newResolver(nil, Defaults{}, newBudget(Bounds{}, nil))
	n := &node{Desired: d}
	r.byKey[d.Key], r.order = n, []*node{n}
	d.digest, d.confidential = r.digest(n), r.conceal(n)
	prints, err := fingerprint.New("project/s")
	if err != nil {
		t.Fatal(err)
	}
	p := newPlanner(Input{Stack: "s", Prints: prints})
	mark := p.mark(&d)
	if mark.Applied == d.digest || len("stackreeve-applied:"+mark.Applied+":keep") > MaxOwnerText {
		t.Errorf("the mark says %s", mark.Applied)
	}
	if prints.Count() != 1 {
		t.Errorf("%d slow hashes for one secret", prints.Count())
	}
	old := Mark{Owner: mark.Owner, Applied: d.digest}
	if !p.applied(&d, &mark) || !p.applied(&d, &old) || !p.renewed(&d, &old) || p.renewed(&d, &mark) {
		t.Error("an old mark is not understood")
	}
	other := old
	other.Applied = "abcdefghijkl"
	if p.applied(&d, &other) || p.renewed(&d, &other) {
		t.Error("another mark is taken for ours")
	}
	s := Step{Key: d.Key, Action: Create, want: &d, digest: mark.Applied}
	plain := s
	plain.digest = d.digest
	if a, b := (Plan{Steps: []Step{s}}), (Plan{Steps: []Step{plain}}); a.Hash() == b.Hash() || a.Prints()[0] == b.Prints()[0] {
		t.Error("approvals bind a plain digest of the secret")
	}
}
