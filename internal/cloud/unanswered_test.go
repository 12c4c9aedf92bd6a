package cloud

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"syscall"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"golang.org/x/time/rate"

	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// The cloud may continue to work on a write without an answer, whatever the reason. It does not for a read, for a request with an answer, or
// for a request that was never sent.
func TestWhatTheCloudMayGoOnWith(t *testing.T) {
	broken := func(method, path string, err error) error {
		return &url.Error{Op: method, URL: "https://cloud.example" + path, Err: err}
	}
	answered := func(method string, code int, header http.Header) error {
		return gophercloud.ErrUnexpectedResponseCode{Method: method, URL: "https://cloud.example/v2.0/networks", Actual: code, ResponseHeader: header}
	}
	wait := http.Header{"Retry-After": {"5"}}
	for name, tt := range map[string]struct {
		err  error
		want bool
	}{
		"the end of a connection":     {broken("Post", "/v2.0/networks", io.EOF), true},
		"the end in an answer":        {broken("Post", "/v2.0/networks", io.ErrUnexpectedEOF), true},
		"a reset":                     {broken("Post", "/v2.0/networks", syscall.ECONNRESET), true},
		"no answer in time":           {broken("Put", "/v2.0/networks", context.DeadlineExceeded), true},
		"cut off":                     {broken("Post", "/v2.0/networks", context.Canceled), true},
		"a proxy without an answer":   {answered("POST", 502, nil), true},
		"a proxy without one in time": {answered("POST", 504, nil), true},
		"a proxy that asks to wait":   {answered("POST", 502, wait), true},
		"a reset of what reads":       {broken("Get", "/v2.0/networks", syscall.ECONNRESET), false},
		"a proxy, of what reads":      {answered("GET", 502, nil), false},
		"a reset of a login":          {broken("Post", "/v3/auth/tokens", syscall.ECONNRESET), false},
		"never sent":                  {broken("Post", "/v2.0/networks", unsentError{syscall.ECONNREFUSED}), false},
		"a redirect":                  {broken("Post", "/v2.0/networks", outbound.ErrRefused), false},
		"an answer that is too large": {broken("Post", "/v2.0/networks", outbound.ErrTooLarge), false},
		"an answer":                   {answered("POST", 500, nil), false},
		"a service that is not there": {answered("POST", 503, nil), false},
		"a Retry-After header":        {answered("POST", 503, wait), false},
	} {
		row, _ := serviceOfType(Network)
		err := classify(tt.err, row, func([]byte) string { return "" })
		if errors.Is(err, kind.ErrUnanswered) != tt.want {
			t.Errorf("%s: unanswered %v: %v", name, !tt.want, err)
		}
	}
}

// The end of a pass can end a request before anything of it is sent.
func TestWhatWasCutOffBeforeItWasSent(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	way := &transport{next: outbound.New(outbound.Config{}), limits: Limits{}.orDefaults(), pace: rate.NewLimiter(1, 1), log: slog.New(slog.DiscardHandler)}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://cloud.example/v2.0/networks", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&http.Client{Transport: way}).Do(req)
	if err == nil {
		_ = resp.Body.Close()
	}
	row, _ := serviceOfType(Network)
	err = classify(err, row, func([]byte) string { return "" })
	if !errors.Is(err, kind.ErrUnsent) || !errors.Is(err, context.Canceled) || errors.Is(err, kind.ErrUnanswered) {
		t.Errorf("its classes are %v: %v", kind.ClassesOf(err), err)
	}
}

// If a request got no connection, it was not sent. If its connection broke, it may have been sent.
func TestWhatWasNeverSentIsKnown(t *testing.T) {
	breaks := func(w http.ResponseWriter, _ *http.Request) {
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_ = conn.Close()
		}
	}
	open, secure := httptest.NewServer(http.HandlerFunc(breaks)), httptest.NewTLSServer(http.HandlerFunc(breaks))
	defer open.Close()
	defer secure.Close()
	closed := httptest.NewServer(nil)
	closed.Close()
	down := func(context.Context) (context.Context, error) { return nil, errors.New("another agent serves it") }
	for name, tt := range map[string]struct {
		address string
		fence   func(context.Context) (context.Context, error)
		want    bool
	}{
		"it breaks":         {open.URL, nil, false},
		"nobody listens":    {closed.URL, nil, true},
		"a stranger's name": {secure.URL, nil, true}, // its certificate is not trusted
		"a fence":           {open.URL, down, true},
	} {
		way := &transport{next: outbound.New(outbound.Config{}), limits: Limits{}.orDefaults(), pace: rate.NewLimiter(rate.Inf, 1), fence: tt.fence, log: slog.New(slog.DiscardHandler)}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, tt.address+"/v2.0/networks", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := way.RoundTrip(req)
		if err == nil {
			_ = resp.Body.Close()
		}
		if err == nil || errors.As(err, new(unsentError)) != tt.want {
			t.Errorf("%s: never sent %v: %v", name, !tt.want, err)
		}
	}
}
