// Package otlp decodes the agent's traces with the decoder of the OpenTelemetry collector's own receiver.
package otlp

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/stackreeve/stackreeve/internal/trace"
)

// The collector receives traces with the recorded IDs, times, parents, attributes and statuses.
func TestCollectorReadsTraces(t *testing.T) {
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { body, _ = io.ReadAll(r.Body) }))
	defer server.Close()
	to, _ := url.Parse(server.URL + "/v1/traces")
	s := trace.Sender{To: to, Service: "reeve", Version: "v1", Log: slog.New(slog.DiscardHandler), Count: func(string) {}}
	ctx, one := trace.Start(t.Context())
	trace.Begin(ctx, "list Server", map[string]string{"stackreeve.kind": "Server"})(true)
	s.Finish(one, trace.Span{Name: "pass", End: time.Now(), Attributes: map[string]string{"stackreeve.stack": "prod"}}, "prod", false)
	s.Flush(t.Context())

	request := ptraceotlp.NewExportRequest()
	if err := request.UnmarshalJSON(body); err != nil {
		t.Fatalf("%v:\n%s", err, body)
	}
	of := request.Traces().ResourceSpans().At(0)
	if name, _ := of.Resource().Attributes().Get("service.name"); name.Str() != "reeve" {
		t.Errorf("the service is %q", name.Str())
	}
	spans := of.ScopeSpans().At(0).Spans()
	if spans.Len() != 2 {
		t.Fatalf("%d spans:\n%s", spans.Len(), body)
	}
	pass, list := spans.At(0), spans.At(1)
	if pass.TraceID().IsEmpty() || list.TraceID() != pass.TraceID() || pass.SpanID().IsEmpty() || list.ParentSpanID() != pass.SpanID() || list.SpanID() == pass.SpanID() || !pass.ParentSpanID().IsEmpty() {
		t.Errorf("the IDs are wrong:\n%s", body)
	}
	if list.Status().Code() != ptrace.StatusCodeError || pass.Status().Code() != ptrace.StatusCodeUnset || list.Kind() != ptrace.SpanKindInternal {
		t.Errorf("statuses or kinds are wrong:\n%s", body)
	}
	if since := time.Since(pass.StartTimestamp().AsTime()); since < 0 || since > time.Hour || pass.EndTimestamp() < list.EndTimestamp() {
		t.Errorf("times are wrong:\n%s", body)
	}
	if kind, _ := list.Attributes().Get("stackreeve.kind"); kind.Str() != "Server" {
		t.Errorf("attributes are wrong:\n%s", body)
	}
}
