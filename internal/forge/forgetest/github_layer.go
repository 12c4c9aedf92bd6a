package forgetest

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// layer returns the handler for the requests of Prism. It forwards them to emulate, or answers
// those that emulate cannot answer.
func (g *GitHub) layer() http.Handler {
	mux := http.NewServeMux()
	repo := "/repos/" + g.Repository
	for pattern, handle := range map[string]func(*http.Request, []byte) reply{
		"/":         g.pass,
		"GET /user": g.user,
		"POST /app/installations/{id}/access_tokens":        g.mint,
		"POST " + repo + "/statuses/{commit}":               g.setStatus,
		"GET " + repo + "/commits/{commit}/statuses":        g.listStatuses,
		"GET " + repo + "/commits/{commit}/pulls":           g.pullsOf,
		"GET " + repo + "/commits":                          g.log,
		"GET " + repo + "/pulls":                            g.listPulls,
		"GET " + repo + "/pulls/{number}":                   g.onePull,
		"GET " + repo + "/collaborators/{login}/permission": g.permission,
		"POST " + repo + "/issues/{number}/comments":        g.comment,
		"PATCH " + repo + "/issues/comments/{id}":           g.comment,
		"POST " + repo + "/issues/comments/{id}/reactions":  g.react,
		"POST " + repo + "/check-runs":                      g.checkRun,
		"PATCH " + repo + "/check-runs/{id}":                g.checkRun,
		"GET " + repo + "/commits/{commit}/check-runs":      g.checkRuns,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				refuse(http.StatusBadRequest, err.Error()).write(w)
				return
			}
			if a, ok := g.authorized(r); !ok {
				a.write(w)
				return
			}
			handle(r, body).write(w)
		})
	}
	mux.HandleFunc("POST "+hookPath, g.hooked)
	return mux
}

// pass forwards a request to emulate.
func (g *GitHub) pass(r *http.Request, body []byte) reply { return g.ask(r, g.hub, body) }

func token(r *http.Request) string {
	_, text, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return text
}

// who returns the login of the account of a token.
func (g *GitHub) who(token string) (login string, ok bool) {
	for login, t := range g.tokens {
		if t == token {
			return login, true
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return AppLogin, g.minted[token]
}

// authorized refuses requests with a token that emulate accepts although GitHub would not.
func (g *GitHub) authorized(r *http.Request) (a reply, ok bool) {
	text := token(r)
	_, known := g.who(text)
	if parts := strings.Split(text, "."); len(parts) == 3 {
		if !strings.HasPrefix(r.URL.Path, "/app") && !strings.HasSuffix(r.URL.Path, "/installation") {
			return refuse(http.StatusUnauthorized, "A JSON web token could not be decoded"), false
		}
		var claims struct{ Iat, Exp int64 }
		payload, err := base64.RawURLEncoding.DecodeString(parts[1])
		if err == nil {
			err = json.Unmarshal(payload, &claims)
		}
		now := time.Now().Unix()
		if err != nil || claims.Exp > now+600 || claims.Exp <= now || claims.Iat > now {
			return refuse(http.StatusUnauthorized, "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires"), false
		}
		return reply{}, true
	}
	if !known {
		return refuse(http.StatusUnauthorized, "Bad credentials"), false
	}
	return reply{}, true
}

const notForApps = "Resource not accessible by integration"

// user refuses the request of an installation, because an installation has no user.
func (g *GitHub) user(r *http.Request, body []byte) reply {
	if login, _ := g.who(token(r)); login == AppLogin {
		return refuse(http.StatusForbidden, notForApps)
	}
	return g.pass(r, body)
}

// mint stores the tokens that emulate makes.
func (g *GitHub) mint(r *http.Request, body []byte) reply {
	a := g.pass(r, body)
	var made struct{ Token string }
	if json.Unmarshal(a.body, &made) == nil && made.Token != "" {
		g.mu.Lock()
		g.minted[made.Token] = true
		g.mu.Unlock()
	}
	return a
}

// Revoke revokes all tokens of the App.
func (g *GitHub) Revoke() {
	g.mu.Lock()
	defer g.mu.Unlock()
	clear(g.minted)
}

// permission converts people's rights to GitHub's older terms. It reports that anybody may read a
// public repository.
func (g *GitHub) permission(r *http.Request, body []byte) reply {
	login := r.PathValue("login")
	a := g.pass(r, body)
	if _, ok := g.tokens[login]; a.code == http.StatusNotFound && ok {
		return say(http.StatusOK, object{"permission": "read", "role_name": "read", "user": object{"login": login}})
	}
	return g.change(a, func(level object) {
		switch level["permission"] {
		case "push", "maintain":
			level["permission"] = "write"
		case "pull", "triage":
			level["permission"] = "read"
		}
	})
}

// change applies the function how to the object in a successful answer.
func (g *GitHub) change(a reply, how func(object)) reply {
	var value object
	if a.code >= 300 || json.Unmarshal(a.body, &value) != nil {
		return a
	}
	how(value)
	out := say(a.code, value)
	out.header = a.header
	return out
}

// comment refuses a comment that is too long, and forwards any other to emulate.
func (g *GitHub) comment(r *http.Request, body []byte) reply {
	var c struct{ Body string }
	if err := json.Unmarshal(body, &c); err != nil {
		return refuse(http.StatusBadRequest, "Problems parsing JSON")
	}
	if utf8.RuneCountInString(c.Body) > 65_536 {
		return refuse(http.StatusUnprocessableEntity, "Validation Failed", object{
			"resource": "IssueComment", "code": "unprocessable", "field": "data", "message": "Body is too long (maximum is 65536 characters)",
		})
	}
	a := g.pass(r, body)
	if number, err := strconv.Atoi(r.PathValue("number")); err == nil && a.code < 300 {
		g.mu.Lock()
		if p := g.pulls[number]; p != nil {
			p.updated = time.Now()
		}
		g.mu.Unlock()
	}
	return a
}

// reaction is the reaction of a person to a comment.
type reaction struct{ login, content string }

func (g *GitHub) react(r *http.Request, body []byte) reply {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return refuse(http.StatusNotFound, "Not Found")
	}
	get := r.Clone(r.Context())
	get.Method, get.URL.Path = http.MethodGet, strings.TrimSuffix(r.URL.Path, "/reactions")
	if a := g.pass(get, nil); a.code != http.StatusOK {
		return a
	}
	var asked struct{ Content string }
	if err := json.Unmarshal(body, &asked); err != nil {
		return refuse(http.StatusBadRequest, "Problems parsing JSON")
	}
	login, _ := g.who(token(r))
	made := reaction{login, asked.Content}
	g.mu.Lock()
	defer g.mu.Unlock()
	code := http.StatusCreated
	for _, one := range g.reacted[id] {
		if one == made {
			code = http.StatusOK
		}
	}
	if code == http.StatusCreated {
		g.reacted[id] = append(g.reacted[id], made)
	}
	return say(code, object{"id": 1, "node_id": "", "user": object{"login": login}, "content": asked.Content, "created_at": stamp(time.Now())})
}

// stamp formats a time as GitHub does, in seconds.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
