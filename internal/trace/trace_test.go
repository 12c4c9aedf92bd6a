package trace

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// receiver starts a receiver that answers with a code, and returns a sender for it.
func receiver(t *testing.T, code int) (s *Sender, bodies *[][]byte, counted *[]string, log *bytes.Buffer) {
	t.Helper()
	bodies, counted, log = new([][]byte), new([]string), new(bytes.Buffer)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("X-Key") != "k" {
			t.Errorf("%s %s with %v", r.Method, r.URL, r.Header)
		}
		*bodies = append(*bodies, text)
		w.WriteHeader(code)
	}))
	t.Cleanup(server.Close)
	to, err := url.Parse(server.URL + "/v1/traces")
	if err != nil {
		t.Fatal(err)
	}
	return &Sender{To: to, Headers: map[string]string{"X-Key": "k"}, Service: "s", Version: "v", Log: slog.New(slog.NewTextHandler(log, nil)),
		Count: func(outcome string) { *counted = append(*counted, outcome) }}, bodies, counted, log
}

func (s *Sender) pass(t *testing.T, stack string, at time.Time, quiet bool) {
	t.Helper()
	ctx, one := Start(t.Context())
	Begin(ctx, "fetch", nil)(false)
	s.Finish(one, Span{Name: "pass", End: at, Attributes: map[string]string{"stackreeve.stack": stack}}, stack, quiet)
}

// A recorded trace arrives at the receiver. Each trace and each span has a different ID.
func TestSent(t *testing.T) {
	s, bodies, counted, _ := receiver(t, http.StatusOK)
	s.pass(t, "a", time.Now(), false)
	s.pass(t, "a", time.Now(), false)
	s.Flush(t.Context())
	if !slices.Equal(*counted, []string{"sent", "sent"}) {
		t.Fatalf("counted %v", *counted)
	}
	ids := map[string]bool{}
	for _, body := range *bodies {
		var r request
		if err := json.Unmarshal(body, &r); err != nil {
			t.Fatal(err)
		}
		spans := r.ResourceSpans[0].ScopeSpans[0].Spans
		if len(spans) != 2 || spans[0].Name != "pass" || spans[1].Name != "fetch" || spans[1].Parent != spans[0].SpanID {
			t.Errorf("sent %s", body)
		}
		for _, id := range []string{spans[0].TraceID, spans[0].SpanID, spans[1].SpanID} {
			if ids[id] {
				t.Errorf("%s is used twice", id)
			}
			ids[id] = true
		}
	}
}

// Passes that change nothing do not cause too many traces. A pass that changes something is always traced.
func TestQuietPasses(t *testing.T) {
	s, bodies, _, _ := receiver(t, http.StatusOK)
	now := time.Now()
	for second := range 1201 {
		s.pass(t, "a", now.Add(time.Duration(second)*time.Second), true)
	}
	s.pass(t, "b", now, true)
	s.pass(t, "a", now, false)
	s.Flush(t.Context())
	if len(*bodies) != 3+1+1 {
		t.Errorf("%d traces", len(*bodies))
	}
}

// A receiver that is down delays nobody. Traces beyond the limit are dropped and counted.
func TestDropped(t *testing.T) {
	s, _, counted, _ := receiver(t, http.StatusOK)
	for range waiting + 2 {
		s.pass(t, "a", time.Now(), false)
	}
	if !slices.Equal(*counted, []string{"dropped", "dropped"}) {
		t.Errorf("counted %v", *counted)
	}
}

// If a receiver accepts nothing, that is reported once, without the content of the traces.
func TestFailed(t *testing.T) {
	s, _, counted, log := receiver(t, http.StatusServiceUnavailable)
	s.pass(t, "a", time.Now(), false)
	s.pass(t, "a", time.Now(), false)
	s.Flush(t.Context())
	if !slices.Equal(*counted, []string{"failed", "failed"}) || strings.Count(log.String(), "WARN") != 1 || strings.Contains(log.String(), "v1/traces") {
		t.Errorf("counted %v, logged %s", *counted, log)
	}
}

// A trace contains no more spans than the maximum for a receiver.
func TestManySpans(t *testing.T) {
	_, one := Start(t.Context())
	for range maxSpans + 3 {
		one.Add(Span{Name: "x"})
	}
	if text := one.encode(Span{Name: "pass", Attributes: map[string]string{}}, "s", "v"); !bytes.Contains(text, []byte(`{"key":"stackreeve.spans_dropped","value":{"stringValue":"3"}}`)) {
		t.Error("it is not said that spans were dropped")
	}
}

func TestConfigured(t *testing.T) {
	for name, c := range map[string]struct {
		url, headers string
		env          map[string]string
		want, fails  string
	}{
		"nothing":         {},
		"given":           {url: "https://c:4318/x", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "https://other"}, want: "https://c:4318/x"},
		"endpoint":        {env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318/"}, want: "http://c:4318/v1/traces"},
		"traces endpoint": {env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://d/e"}, want: "http://d/e"},
		"off":             {env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_SDK_DISABLED": "true"}},
		"headers":         {url: "https://c/x", env: map[string]string{"OTEL_EXPORTER_OTLP_HEADERS": "k=a%20b"}, want: "https://c/x k=a b"},
		"headers in file": {url: "https://c/x", headers: "k=v\n", env: map[string]string{"OTEL_EXPORTER_OTLP_HEADERS": "k=w"}, want: "https://c/x k=v"},
		"plain headers":   {url: "http://c/x", headers: "k=secret", fails: "over https only"},
		"here":            {url: "http://127.0.0.1:4318/x", headers: "k=v", want: "http://127.0.0.1:4318/x k=v"},
		"no header":       {url: "https://c/x", headers: "secret", fails: "NAME=VALUE"},
		"no address":      {url: "c:4318", fails: "--traces-url"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Configured(c.url, c.headers, func(name string) string { return c.env[name] })
			if err != nil || c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) || c.fails == "" || strings.Contains(err.Error(), "secret") && !strings.Contains(err.Error(), "may be secret") {
					t.Errorf("got %v, want %s", err, c.fails)
				}
				return
			}
			got := ""
			if s != nil {
				got = s.To.String()
				if k := s.Headers["k"]; k != "" {
					got += " k=" + k
				}
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
