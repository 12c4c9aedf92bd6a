package report_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/notify"
	"github.com/stackreeve/stackreeve/internal/readapi"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
	"github.com/stackreeve/stackreeve/internal/redact"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/report/comment"
	"github.com/stackreeve/stackreeve/internal/source"
	"github.com/stackreeve/stackreeve/internal/trace"
)

// outputs returns all outputs of a pass: those for programs by name, and all of them as one text. The cloud
// repeats a secret in every text that it returns.
func outputs(t rapid.TB, secrets []string, password string) (programs map[string]any, all string) {
	w := thingtest.New()
	want, err := w.Wanted("keep", "new", "recolour colour=blue", "reshape shape=flat", "taken")
	if err != nil {
		t.Fatal(err)
	}
	thing := func(name string, ours bool) *thingtest.Thing {
		x := thingtest.Thing{Name: name, Mine: true, Colour: "red " + password}
		if ours {
			mark := want[slices.IndexFunc(want, func(d kind.Desired) bool { return d.Key.Name == name })].PlainMark("s")
			x.Mark = &mark
		}
		return w.Put(x)
	}
	thing("keep", true)
	thing("recolour", true)
	thing("reshape", true)
	thing("taken", false)
	w.OnCreate = func(string) (before, after error) {
		return fmt.Errorf("%w: 400 bad user data: %s", kind.ErrRejected, password), nil
	}
	data := map[string]string{}
	for i, text := range secrets {
		data[fmt.Sprint("key", i)] = text
	}
	want = append(want, kind.Desired{Key: manifest.Key{Kind: "Secret", Namespace: "default", Name: "login"}, Virtual: true, Data: data})
	limit, err := guard.ParseLimit("100%")
	if err != nil {
		t.Fatal(err)
	}
	e := &engine.Engine{Stack: "s", Kinds: []*kind.Kind{w.Kind()}, Limits: guard.Limits{All: limit}, Replace: true,
		Timing: engine.Timing{Poll: time.Millisecond, PollMax: time.Millisecond, Backoff: time.Millisecond}}
	ctx, spans := trace.Start(context.Background())
	pass := e.Sync(ctx, engine.Revision{Commit: "0123456789", Want: want})
	rev := source.Revision{Commit: "0123456789", Branch: "main", Subject: "Add it"}
	run := report.Run{Stack: "s", Started: time.Unix(1, 0), Revision: rev, Pass: &pass}
	view := report.StatusView{Plan: pass.First, Rev: rev, Cloud: "prod", Region: "RegionOne", Objects: status.Of(pass.First, e.Kinds)}
	specs := pass.First.Specs()
	for i := range view.Objects {
		view.Objects[i].Spec = specs(report.KeyOf(view.Objects[i], e.Kinds))
	}
	document := report.StatusDocument([]report.StatusView{view}, report.StatusFilter{})

	var said bytes.Buffer
	to := report.Text{W: &said, Verbose: true}
	to.Plan(pass.First, pass.Preflight, rev)
	to.Pass(pass)
	report.StatusText{Text: to}.Stack(view, report.StatusFilter{})
	report.StatusText{Text: to}.Describe(view, report.StatusFilter{})
	said.WriteString(comment.Page{Stack: "s", Plan: &pass.First, Head: "0123456789"}.Markdown())
	said.WriteString(comment.Drift{Stack: "s", Steps: pass.First.Steps}.Markdown())
	if err := report.YAML(&said, document); err != nil {
		t.Fatal(err)
	}
	metrics := report.NewMetrics("1")
	metrics.Ran(run)
	families, err := metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if strings.HasPrefix(f.GetName(), "stackreeve_") && !strings.Contains(f.GetName(), "seconds") {
			fmt.Fprintln(&said, f)
		}
	}
	said.WriteString(sent(t, spans))

	programs = map[string]any{"plan": report.Document(pass.First, pass.Preflight, rev), "status": document, "log": logged(run), "events": report.Events(run)}
	store := readapi.NewStore([]string{"s"}, e.Kinds, time.Unix(1, 0))
	store.Ran(run)
	api := readapi.New(store, func() ([]readapi.Schema, error) { return nil, nil }, "1")
	info := w.Kind().Info
	for _, path := range []string{"/apis/" + info.Group + "/" + info.Version + "/things", "/apis/stackreeve.dev/v1alpha1/stacks", "/apis/stackreeve.dev/v1alpha1/passes", "/apis/stackreeve.dev/v1alpha1/plans"} {
		answer := httptest.NewRecorder()
		api.ServeHTTP(answer, httptest.NewRequest("GET", path, nil))
		programs[path] = json.RawMessage(answer.Body.Bytes())
	}
	rule := notify.Rule{Least: notify.Info}
	notify.New("s", []notify.Rule{rule}, notify.NewMemory(), func(_ *notify.Rule, n notify.Notification) { programs["notification"] = n }).Ran(run)

	for _, name := range slices.Sorted(maps.Keys(programs)) {
		text, err := json.Marshal(programs[name])
		if err != nil {
			t.Fatalf("%s is not JSON: %v", name, err)
		}
		said.Write(text)
		var tree any
		if err := json.Unmarshal(text, &tree); err != nil {
			t.Fatal(err)
		}
		programs[name] = tree
	}
	return programs, said.String()
}

// sent returns the request that a receiver of traces gets.
func sent(t rapid.TB, spans *trace.Trace) string {
	var got bytes.Buffer
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(&got, r.Body) }))
	defer server.Close()
	sender, err := trace.Configured(server.URL, "", func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	sender.Count, sender.Log = func(string) {}, slog.New(slog.DiscardHandler)
	sender.Finish(spans, trace.Span{Name: "pass"}, "s", false)
	sender.Flush(context.Background())
	return got.String()
}

func logged(run report.Run) (records []json.RawMessage) {
	var b bytes.Buffer
	log := report.NewLog(slog.New(report.NewHandler(&b, true, slog.LevelDebug)))
	log.Planned(run.Pass.First, run.Pass.Preflight)
	for _, r := range run.Pass.Results {
		log.Finished(r)
	}
	log.Ran(run)
	for line := range strings.Lines(b.String()) {
		records = append(records, json.RawMessage(line))
	}
	return records
}

// ours contains the fields whose values are words of this program, or names of the repository.
var ours = []string{"kind", "apiVersion", "name", "namespace", "action", "state", "status", "type", "outcome", "field", "commit", "branch", "region", "cloud", "level", "msg", "key"}

// skeleton adds the parts of an output that redaction must not change: the fields, and the values of the fields
// in ours. Times and versions are left out, because they always differ.
func skeleton(path string, v any, out map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for key, item := range v {
			out[path+"."+key] = true
			if text, ok := item.(string); ok && slices.Contains(ours, key) {
				out[path+"."+key+"="+text] = true
			}
			skeleton(path+"."+key, item, out)
		}
	case []any:
		for i, item := range v {
			at := fmt.Sprintf("%s[%d]", path, i)
			if path == "log" || path == "events" { // these are in the order of the answers to requests
				at = path + "[]"
			}
			skeleton(at, item, out)
		}
	}
}

func skeletons(programs map[string]any) map[string]bool {
	out := map[string]bool{}
	for name, tree := range programs {
		skeleton(name, tree, out)
	}
	return out
}

func words(v any, out map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for key, item := range v {
			out[key] = true
			words(item, out)
		}
	case []any:
		for _, item := range v {
			words(item, out)
		}
	case string:
		if !strings.ContainsAny(v, " \n") {
			out[v] = true
		}
	}
}

// No output reveals the password in a Secret, whatever the other Secrets contain. Outputs for programs still
// contain all fields and the words of this program.
func TestOutputsAreWholeWhateverSecretsHold(t *testing.T) {
	const password = "hunter2hunter2"
	programs, said := outputs(t, []string{password}, password)
	if strings.Contains(said, "hunter") || !strings.Contains(said, redact.Hidden) {
		t.Fatalf("the password is in\n%s", said)
	}
	before, known := skeletons(programs), map[string]bool{}
	for _, tree := range programs {
		words(tree, known)
	}
	list := slices.Sorted(maps.Keys(known))
	rapid.Check(t, func(rt *rapid.T) {
		drawn := rapid.SliceOfN(rapid.SampledFrom(list), 1, 12).Draw(rt, "words")
		var text strings.Builder
		for _, word := range drawn {
			fmt.Fprintf(&text, "%s: %s\n", word, rapid.SampledFrom(list).Draw(rt, "value"))
		}
		fmt.Fprintf(&text, "password: %s\n", password)
		secrets := append([]string{text.String()}, drawn...)
		other, said := outputs(rt, secrets, password)
		if strings.Contains(said, "hunter") {
			rt.Fatalf("with %q the password is in\n%s", secrets, said)
		}
		after := skeletons(other)
		for line := range before {
			if !after[line] {
				rt.Errorf("with %q %s is missing", secrets, line)
			}
		}
	})
}
