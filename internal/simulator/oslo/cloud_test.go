package oslo

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// echo is a service with a few routes. It counts its calls.
type echo struct {
	*Cloud
	url  string
	work int
	now  time.Time
}

type oneToken struct{ dead bool }

func (o *oneToken) Validate(token string) (*Caller, bool) {
	return &Caller{Token: token, ProjectID: "p1", Roles: []string{"member"}}, token == "good" && !o.dead
}

func (o *oneToken) Expire(string) { o.dead = true }

func newEcho(t *testing.T) *echo {
	t.Helper()
	e := &echo{now: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)}
	e.Cloud = New(func() time.Time { return e.now }, 7)
	e.UseTokens(&oneToken{})
	s := &Service{Name: "echod", Types: []string{"echo"}, Prefix: "/echo", Render: func(err *Error) (string, []byte) {
		return "text/plain", fmt.Appendf(nil, "%s: %s", err.Kind, err.Message)
	}}
	e.Register(s)
	s.HandlePublic("GET /{$}", func(*Call) (*Response, error) { return OK("root"), nil })
	s.Handle("GET /v1/things/{id}", func(c *Call) (*Response, error) {
		e.work++
		return OK(map[string]string{"id": c.PathValue("id"), "project": c.Caller.ProjectID, "base": c.Base}), nil
	})
	s.Handle("POST /v1/things", func(*Call) (*Response, error) {
		e.work++
		return nil, Errorf(http.StatusConflict, "ThingBusy", "thing %d is busy", e.work)
	})
	s.Handle("GET /v1/broken", func(*Call) (*Response, error) { return nil, errors.New("disk on fire") })
	srv := httptest.NewServer(e.Cloud)
	t.Cleanup(srv.Close)
	e.url = srv.URL
	return e
}

func (e *echo) do(t *testing.T, method, path, token string) (int, string, error) {
	t.Helper()
	req, err := http.NewRequest(method, e.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Auth-Token", token)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 5 * time.Second}
	resp, err := client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(body), err
}

func TestRouting(t *testing.T) {
	e := newEcho(t)
	for _, tc := range []struct {
		method, path, token string
		status              int
		body                string
	}{
		{"GET", "/echo", "", 200, `"root"`},
		{"GET", "/echo/", "", 200, `"root"`},
		{"GET", "/echo/v1/things/7", "good", 200, `{"base":"` + e.url + `/echo","id":"7","project":"p1"}`},
		{"GET", "/echo/v1/things/7/", "good", 200, `{"base":"` + e.url + `/echo","id":"7","project":"p1"}`},
		{"GET", "/echo/v1/things/a%2Fb", "good", 200, `{"base":"` + e.url + `/echo","id":"a/b","project":"p1"}`},
		{"GET", "/echo/v1/things/7", "", 401, `{"error":{"code":401,"message":"The request you have made requires authentication.","title":"Unauthorized"}}`},
		{"GET", "/echo/v1/things/7", "bad", 401, `{"error":{"code":401,"message":"The request you have made requires authentication.","title":"Unauthorized"}}`},
		{"GET", "/echo/v1/none", "good", 404, "HTTPNotFound: The resource could not be found."},
		{"PATCH", "/echo/v1/things/7", "good", 405, "HTTPMethodNotAllowed: The method is not allowed for this resource."},
		{"POST", "/echo/v1/things", "good", 409, "ThingBusy: thing 4 is busy"},
		{"GET", "/echo/v1/broken", "good", 500, "HTTPInternalServerError: disk on fire"},
		{"GET", "/echoes/v1", "good", 404, "404 page not found\n"},
	} {
		status, body, err := e.do(t, tc.method, tc.path, tc.token)
		if err != nil || status != tc.status || body != tc.body {
			t.Errorf("%s %s: got %d %q %v, want %d %q", tc.method, tc.path, status, body, err, tc.status, tc.body)
		}
	}
}

func TestEventsHappenWhenTheyAreDue(t *testing.T) {
	e := newEcho(t)
	start := e.now
	var seen []string
	note := func(what string) func() {
		return func() { seen = append(seen, fmt.Sprintf("%s@%s", what, e.Now().Sub(start))) }
	}
	e.Do(func() {
		e.After(3*time.Second, note("late"))
		e.After(time.Second, func() {
			note("first")()
			e.After(time.Second, note("chained"))
		})
		e.After(0, note("at once"))
	})
	for _, step := range []struct {
		after time.Duration
		want  string
	}{
		{0, "at once@0s"},
		{999 * time.Millisecond, "at once@0s"},
		{10 * time.Second, "at once@0s first@1s chained@2s late@3s"},
	} {
		e.now = start.Add(step.after)
		e.Do(func() {})
		if got := strings.Join(seen, " "); got != step.want {
			t.Errorf("after %s: %q, want %q", step.after, got, step.want)
		}
	}
}

// Work in progress takes as long as without a jump of the clock, and times show the jump.
func TestJump(t *testing.T) {
	e := newEcho(t)
	start, done := e.now, false
	e.Do(func() { e.After(10*time.Second, func() { done = true }) })
	e.Jump(-5 * time.Hour)
	for _, after := range []time.Duration{9 * time.Second, 10 * time.Second} {
		e.now = start.Add(after)
		e.Do(func() {})
		if want := after == 10*time.Second; done != want {
			t.Errorf("after %s: done is %t, want %t", after, done, want)
		}
	}
	if got, want := e.Now(), start.Add(10*time.Second-5*time.Hour).UTC(); !got.Equal(want) {
		t.Errorf("it is %s, want %s", got, want)
	}
}

func TestFaults(t *testing.T) {
	for _, tc := range []struct {
		name   string
		fault  Fault
		method string
		want   string // results of four requests: status, "cut" for a lost connection, "short" for a truncated body
		work   int
	}{
		{"status", Fault{Status: 503, Count: 2}, "GET", "503 503 200 200", 2},
		{"after and count", Fault{Status: 500, After: 1, Count: 1}, "GET", "200 500 200 200", 3},
		{"until cleared", Fault{Status: 500}, "GET", "500 500 500 500", 0},
		{"status after the work", Fault{Status: 504, Late: true, Count: 1}, "GET", "504 200 200 200", 4},
		{"reset before", Fault{Reset: ResetBefore, Count: 1}, "GET", "cut 200 200 200", 3},
		{"reset after", Fault{Reset: ResetAfter, Count: 1}, "GET", "cut 200 200 200", 4},
		{"truncated", Fault{Truncate: true, Count: 1}, "GET", "short 200 200 200", 4},
		{"token", Fault{ExpireToken: true, Count: 1}, "GET", "401 401 401 401", 0},
		{"other method", Fault{Method: "POST", Status: 500}, "GET", "200 200 200 200", 4},
		{"other service", Fault{Service: "compute", Status: 500}, "GET", "200 200 200 200", 4},
		{"path", Fault{Service: "echo", Path: `^/v1/things/\d$`, Status: 429, Count: 1}, "GET", "429 200 200 200", 3},
		{"other path", Fault{Path: `^/v1/things$`, Status: 500}, "GET", "200 200 200 200", 4},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := newEcho(t)
			if _, err := e.AddFault(tc.fault); err != nil {
				t.Fatal(err)
			}
			var got []string
			for range 4 {
				status, _, err := e.do(t, tc.method, "/echo/v1/things/7", "good")
				switch {
				case errors.Is(err, io.ErrUnexpectedEOF):
					got = append(got, "short")
				case err != nil:
					got = append(got, "cut")
				default:
					got = append(got, fmt.Sprint(status))
				}
			}
			if s := strings.Join(got, " "); s != tc.want || e.work != tc.work {
				t.Errorf("got %s with %d handled, want %s with %d", s, e.work, tc.want, tc.work)
			}
		})
	}
}

func TestFaultAnswersAsItSays(t *testing.T) {
	e := newEcho(t)
	if _, err := e.AddFault(Fault{Status: 503, Count: 1, Header: map[string]string{"Retry-After": "2"}, Body: "later"}); err != nil {
		t.Fatal(err)
	}
	resp, err := http.Get(e.url + "/echo/")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != 503 || resp.Header.Get("Retry-After") != "2" || string(body) != "later" {
		t.Errorf("got %d %v %q", resp.StatusCode, resp.Header, body)
	}
	if _, err := e.AddFault(Fault{Path: "("}); err == nil {
		t.Error("a path that is no regular expression was accepted")
	}
	if _, err := e.AddFault(Fault{Reset: "never"}); err == nil {
		t.Error("an unknown reset was accepted")
	}
}

func TestHangEndsWithTheClient(t *testing.T) {
	e := newEcho(t)
	if _, err := e.AddFault(Fault{Hang: true, Count: 1}); err != nil {
		t.Fatal(err)
	}
	gone := make(chan Request, 1)
	e.OnRequest(func(_ int, r Request) { gone <- r })
	client := &http.Client{Timeout: 50 * time.Millisecond}
	if _, err := client.Get(e.url + "/echo/"); err == nil {
		t.Fatal("a hanging request was answered")
	}
	if r := <-gone; r.Status != 0 || r.Fault == 0 {
		t.Errorf("the hanging request was noted as %+v", r)
	}
}

func TestRequestsAreNotedInOrder(t *testing.T) {
	e := newEcho(t)
	var hooked []int
	e.OnRequest(func(n int, r Request) {
		if r.N != n || e.work == 0 && r.Status == 200 {
			t.Errorf("hook %d got %+v before its work", n, r)
		}
		hooked = append(hooked, n)
	})
	for _, call := range [][2]string{{"GET", "/echo/v1/things/7?x=1"}, {"POST", "/echo/v1/things"}, {"GET", "/echo/nowhere"}} {
		if _, _, err := e.do(t, call[0], call[1], "good"); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, r := range e.Requests() {
		got = append(got, fmt.Sprintf("%d %s %s %s?%s [%s] %d %s %v", r.N, r.Service, r.Method, r.Path, r.Query, r.Template, r.Status, r.Project, r.Write()))
	}
	want := `1 echo GET /v1/things/7?x=1 [GET /v1/things/{id}] 200 p1 false
2 echo POST /v1/things? [POST /v1/things] 409 p1 true
3 echo GET /nowhere? [] 404 p1 false`
	if s := strings.Join(got, "\n"); s != want {
		t.Errorf("got\n%s\nwant\n%s", s, want)
	}
	if len(hooked) != 3 {
		t.Errorf("hook called for %v", hooked)
	}
	if n := e.RequestCounts()[RequestCount{"echo", "GET /v1/things/{id}", 200}]; n != 1 {
		t.Errorf("counted %d", n)
	}
	e.ResetRequests()
	if len(e.Requests()) != 0 || len(e.RequestCounts()) != 0 {
		t.Error("reset left requests")
	}
}

func TestControlPages(t *testing.T) {
	e := newEcho(t)
	post := func(body string) (int, string) {
		resp, err := http.Post(e.url+"/_simulator/faults", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		out, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(out)
	}
	if status, body := post(`{"service":"echo","status":503,"count":1,"delay":"1ms"}`); status != 201 || !strings.Contains(body, `"id":1`) {
		t.Errorf("add: %d %s", status, body)
	}
	if status, _ := post(`{"stats":503}`); status != 400 {
		t.Errorf("a misspelt field was taken: %d", status)
	}
	if status, _ := post(`{"delay":"soon"}`); status != 400 {
		t.Errorf("a wrong delay was taken: %d", status)
	}
	_, body, _ := e.do(t, "GET", "/_simulator/faults", "")
	var listed struct{ Faults []faultJSON }
	if err := json.Unmarshal([]byte(body), &listed); err != nil || len(listed.Faults) != 1 || listed.Faults[0].Delay != "1ms" {
		t.Errorf("faults: %s %v", body, err)
	}
	if status, _, _ := e.do(t, "GET", "/echo/v1/things/1", "good"); status != 503 {
		t.Errorf("the fault did not act: %d", status)
	}
	_, body, _ = e.do(t, "GET", "/_simulator/counts", "")
	if !strings.Contains(body, `{"service":"echo","template":"GET /v1/things/{id}","status":503,"count":1}`) {
		t.Errorf("counts: %s", body)
	}
	if status, _, _ := e.do(t, "DELETE", "/_simulator/requests", ""); status != 204 || len(e.Requests()) != 0 {
		t.Error("requests were not forgotten")
	}
}
