package service

import (
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/redact"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/trace"
)

// Traces contain the same texts as plans, so a secret in a name is redacted there, too.
func TestAttackSecretInATrace(t *testing.T) {
	const secret = "correct-horse-battery-staple"
	var got string
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		got += string(text)
	}))
	t.Cleanup(receiver.Close)
	to, err := url.Parse(receiver.URL)
	if err != nil {
		t.Fatal(err)
	}
	ctx, recorded := trace.Start(t.Context())
	none := iter.Seq[string](func(func(string) bool) {})
	last := plan.Plan{}.Redacted(redact.New(slices.Values([]string{secret}), none))
	step := plan.Step{Key: manifest.Key{Kind: "Network", Namespace: "default", Name: "net-" + secret}, Action: plan.Create}
	pass, _ := traceSteps(report.Run{Stack: "prod", Trace: recorded, Pass: &engine.Pass{Last: last, Results: []engine.Result{{Step: step}}}})
	sender := &trace.Sender{To: to, Service: "test", Log: slog.New(slog.DiscardHandler), Count: func(string) {}}
	sender.Finish(recorded, pass, "prod", false)
	sender.Flush(ctx)
	if strings.Contains(got, secret) || !strings.Contains(got, "create Network") {
		t.Errorf("the receiver reads %s", got)
	}
}
