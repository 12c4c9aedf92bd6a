package engine

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

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

const token = "hunter2hunter2"

// repeated are forms in which a cloud may repeat a text from a request.
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

func secretObject() kind.Desired {
	return kind.Desired{Key: manifest.Key{Kind: "Secret", Namespace: "default", Name: "login"}, Virtual: true,
		Data: map[string]string{"script": "#cloud-config\npassword: " + token + "\n"}}
}

// A cloud may repeat a secret in any message and in any form. No output of a
// pass, a plan or a status shows it.
func TestAttackSecretWaysOut(t *testing.T) {
	for name, form := range repeated {
		echo := form(token)
		ways := map[string]func(w *thingtest.World){
			"create": func(w *thingtest.World) {
				w.OnCreate = func(string) (before, after error) { return fmt.Errorf("%w: bad %s", kind.ErrRejected, echo), nil }
			},
			"list":        func(w *thingtest.World) { w.ListErr = errors.New("bad " + echo) },
			"description": func(w *thingtest.World) { w.Put(oursNow("thing", "#"+echo, "")) },
			"name": func(w *thingtest.World) {
				w.Put(thingtest.Thing{Name: echo, Mine: true, Mark: &kind.Mark{Owner: ownertext.Prefix + "s:Thing~abcdefghijkl"}})
			},
			"fault": func(w *thingtest.World) { w.Put(oursNow("thing", "", "failed: "+echo)) },
		}
		for way, arrange := range ways {
			t.Run(way+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := thingtest.New()
					arrange(w)
					want, err := w.Wanted("thing")
					if err != nil {
						t.Fatal(err)
					}
					want = append(want, secretObject())
					e := engineOf(w)
					e.Stack = "s"
					plan := e.Preview(context.Background(), "c", want, nil)
					pass := e.Sync(context.Background(), Revision{Want: want})
					for what, text := range everythingTold(t, e, plan, pass) {
						if gives(text, echo) {
							t.Errorf("%s shows %q:\n%s", what, echo, text)
						}
					}
				})
			})
		}
	}
}

func oursNow(name, colour, says string) thingtest.Thing {
	return thingtest.Thing{Name: name, Colour: colour, Mine: true, Failed: says != "", Says: says, Mark: &kind.Mark{Owner: ownertext.Of("s", thingtest.Key(name)), Applied: "x"}}
}

// everythingTold returns every output about a plan and a pass, by the name of the output.
func everythingTold(t *testing.T, e *Engine, planned plan.Plan, pass Pass) map[string]string {
	t.Helper()
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "plan", planned, "pass", pass, "failures", pass.Failures)
	out := map[string]string{"log": log.String(), "printed": fmt.Sprintf("%+v %+v", planned.Steps, pass.Failures)}
	for _, p := range []plan.Plan{planned, pass.First, pass.Last} {
		text, err := json.Marshal([]any{p, status.Of(p, e.Kinds)})
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

func TestAttackSecretInPrintedPass(t *testing.T) {
	pass := Pass{want: []kind.Desired{secretObject()}}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "v", pass)
	if out := fmt.Sprintf("%v %+v %#v %s", pass, pass, pass, pass) + log.String(); strings.Contains(out, token) {
		t.Errorf("it is printed as %s", out)
	}
}
