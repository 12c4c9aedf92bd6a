package forgetest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// apiPath is the path of the API on an Enterprise server.
const apiPath = "/api/v3"

// reply is an answer before it is sent.
type reply struct {
	code   int
	header http.Header
	body   []byte
}

func (a reply) write(w http.ResponseWriter) {
	for name, values := range a.header {
		switch name {
		case "Content-Length", "Transfer-Encoding", "Connection", "Date", "Content-Encoding":
		default:
			w.Header()[name] = values
		}
	}
	w.WriteHeader(a.code)
	_, _ = w.Write(a.body) // the client may have closed the connection
}

func say(code int, value any) reply {
	body, err := json.Marshal(value)
	if err != nil {
		return reply{code: http.StatusInternalServerError, body: []byte(err.Error())}
	}
	return reply{code, http.Header{"Content-Type": {"application/json; charset=utf-8"}}, body}
}

func refuse(code int, message string, errors ...object) reply {
	value := object{"message": message, "documentation_url": "https://docs.github.com/rest"}
	if len(errors) > 0 {
		value["errors"] = errors
	}
	return say(code, value)
}

// outside returns the handler for the requests of the agent.
func (g *GitHub) outside() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/"+g.Repository+".git/", g.gitServer())
	mux.Handle(apiPath+"/", http.StripPrefix(apiPath, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, ok := g.limited()
		if ok {
			a = g.judged(r)
			a = g.conditional(r, a)
		}
		if a.header == nil {
			a.header = http.Header{}
		}
		g.count(a)
		a.write(w)
	})))
	return mux
}

// limited answers a request if the forge is down or a limit is reached; then ok is false.
func (g *GitHub) limited() (a reply, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if time.Now().After(g.reset) {
		g.left, g.reset = hourly, time.Now().Add(time.Hour)
	}
	switch {
	case g.down:
		return refuse(http.StatusServiceUnavailable, "Unicorn!"), false
	case g.left <= 0:
		return refuse(http.StatusForbidden, "API rate limit exceeded for user ID 1."), false
	}
	return reply{}, true
}

// count subtracts an answer from the number of allowed requests, and adds the headers about the
// limit to it.
func (g *GitHub) count(a reply) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.left > 0 && a.code != http.StatusNotModified {
		g.left--
		g.served++
	}
	if a.code != http.StatusServiceUnavailable {
		a.header.Set("X-RateLimit-Limit", strconv.Itoa(hourly))
		a.header.Set("X-RateLimit-Remaining", strconv.Itoa(g.left))
		a.header.Set("X-RateLimit-Reset", strconv.FormatInt(g.reset.Unix(), 10))
	}
}

// judged sends a request through Prism, and fails the test if Prism objects to it.
func (g *GitHub) judged(r *http.Request) reply {
	body, err := io.ReadAll(io.LimitReader(r.Body, 16<<20))
	if err != nil {
		return refuse(http.StatusBadRequest, err.Error())
	}
	g.mu.Lock()
	judge := g.judge
	g.mu.Unlock()
	a := g.ask(r, judge, body)
	for _, v := range a.header.Values("Sl-Violations") {
		var list []struct {
			Location []string
			Severity string
			Message  string
		}
		if err := json.Unmarshal([]byte(v), &list); err != nil {
			list = nil
			if strings.Contains(v, `"request"`) {
				g.complain("%s %s: %s", r.Method, r.URL, v)
			}
		}
		for _, one := range list {
			if len(one.Location) > 0 && one.Location[0] == "request" && one.Severity == "Error" {
				g.complain("%s %s is not as GitHub describes it: %s: %s\n%.2000s", r.Method, r.URL, strings.Join(one.Location, "."), one.Message, body)
			}
		}
	}
	if strings.HasPrefix(a.header.Get("Content-Type"), "application/problem+json") {
		g.complain("%s %s is not in GitHub's description: %s", r.Method, r.URL, a.body)
	}
	a.header.Del("Sl-Violations")
	return a
}

// complain stores an objection, which fails the test at its end.
func (g *GitHub) complain(format string, args ...any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.complaints = append(g.complaints, fmt.Sprintf(format, args...))
}

// Complaints returns the objections to the agent's requests until now, and removes them, so that
// they do not fail the test.
func (g *GitHub) Complaints() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	list := g.complaints
	g.complaints = nil
	return list
}

// ask forwards a request.
func (g *GitHub) ask(r *http.Request, base string, body []byte) reply {
	req, err := http.NewRequestWithContext(r.Context(), r.Method, base+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return refuse(http.StatusBadGateway, err.Error())
	}
	for _, name := range []string{"Accept", "Authorization", "Content-Type", "X-Github-Api-Version", "User-Agent"} {
		if v := r.Header.Get(name); v != "" {
			req.Header.Set(name, v)
		}
	}
	resp, err := g.client.Do(req)
	if err != nil {
		return refuse(http.StatusBadGateway, err.Error())
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return refuse(http.StatusBadGateway, err.Error())
	}
	return reply{resp.StatusCode, resp.Header, text}
}

// conditional adds an ETag to an answer. As with GitHub, the ETag depends on the token. If the
// client sent the same ETag, the answer is 304.
func (g *GitHub) conditional(r *http.Request, a reply) reply {
	if r.Method != http.MethodGet || a.code != http.StatusOK {
		return a
	}
	sum := sha256.Sum256(fmt.Appendf(a.body, "%s", r.Header.Get("Authorization")))
	etag := `W/"` + hex.EncodeToString(sum[:]) + `"`
	a.header.Set("ETag", etag)
	a.header.Set("Cache-Control", "private, max-age=60, s-maxage=60")
	if r.Header.Get("If-None-Match") == etag {
		a.code, a.body = http.StatusNotModified, nil
	}
	return a
}
