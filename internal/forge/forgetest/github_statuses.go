package forgetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

func invalid(field, message string) reply {
	return refuse(http.StatusUnprocessableEntity, "Validation Failed", object{"resource": "Status", "code": "custom", "field": field, "message": message})
}

var fullSHA = regexp.MustCompile(`^[0-9a-f]{40}$`)

// newStatus is the data that a client sends to make a status.
type newStatus struct {
	State, Context, Description string
	TargetURL                   string `json:"target_url"`
}

// refusal returns GitHub's answer to an invalid status. These rules are missing in GitHub's
// description of its API.
func (s newStatus) refusal() (answer reply, refused bool) {
	target, err := url.Parse(s.TargetURL)
	switch {
	case s.State != "error" && s.State != "failure" && s.State != "pending" && s.State != "success":
		return invalid("state", "state is not included in the list"), true
	case utf8.RuneCountInString(s.Description) > 140:
		return invalid("description", "description is too long (maximum is 140 characters)"), true
	case utf8.RuneCountInString(s.Context) > 255:
		return invalid("context", "context is too long (maximum is 255 characters)"), true
	case strings.ContainsFunc(s.Description+s.Context, func(c rune) bool { return c > 0xffff }):
		return refuse(http.StatusInternalServerError, "Server Error"), true
	case err != nil || s.TargetURL != "" && target.Scheme != "http" && target.Scheme != "https":
		return invalid("target_url", "target_url must use http(s) scheme"), true
	}
	return reply{}, false
}

func (g *GitHub) setStatus(r *http.Request, body []byte) reply {
	commit := r.PathValue("commit")
	var s newStatus
	if err := json.Unmarshal(body, &s); err != nil {
		return refuse(http.StatusBadRequest, "Problems parsing JSON")
	}
	if s.Context == "" {
		s.Context = "default"
	}
	if !fullSHA.MatchString(commit) || !g.has(commit) {
		return refuse(http.StatusUnprocessableEntity, "No commit found for SHA: "+commit)
	}
	if answer, refused := s.refusal(); refused {
		return answer
	}
	made := object{
		"state": s.State, "context": s.Context, "description": nil, "target_url": nil,
		"creator": g.creator(r), "created_at": stamp(time.Now()), "updated_at": stamp(time.Now()),
		"url": g.front.URL + apiPath + "/repos/" + g.Repository + "/statuses/" + commit,
	}
	if s.Description != "" {
		made["description"] = s.Description
	}
	if s.TargetURL != "" {
		made["target_url"] = s.TargetURL
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	same := 0
	for _, one := range g.statuses[commit] {
		if one["context"] == s.Context {
			same++
		}
	}
	if same >= 1000 {
		return refuse(http.StatusUnprocessableEntity, "Validation Failed", object{
			"resource": "Status", "code": "custom", "message": "This SHA and context has reached the maximum number of statuses.",
		})
	}
	made["id"] = len(g.statuses[commit]) + 1
	g.statuses[commit] = append(g.statuses[commit], made)
	return say(http.StatusCreated, made)
}

// listStatuses lists all statuses of a commit, newest first.
func (g *GitHub) listStatuses(r *http.Request, _ []byte) reply {
	commit := r.PathValue("commit")
	if !g.has(commit) {
		return refuse(http.StatusUnprocessableEntity, "No commit found for SHA: "+commit)
	}
	g.mu.Lock()
	all := slices.Clone(g.statuses[commit])
	g.mu.Unlock()
	slices.Reverse(all)
	page, link := paged(r, all)
	a := say(http.StatusOK, page)
	if link != "" {
		a.header.Set("Link", link)
	}
	return a
}

// creator returns the account that sent the request, in the same form as the authors of comments.
func (g *GitHub) creator(r *http.Request) any {
	if login, _ := g.who(token(r)); login == AppLogin {
		return object{"login": login, "type": "Bot"}
	}
	get := r.Clone(r.Context())
	get.Method, get.URL.Path = http.MethodGet, "/user"
	var who object
	if json.Unmarshal(g.pass(get, nil).body, &who) != nil {
		return nil
	}
	return who
}

// paged returns a page of a list, and the Link header for the next page.
func paged[T any](r *http.Request, list []T) (page []T, link string) {
	query := r.URL.Query()
	number, err := strconv.Atoi(query.Get("page"))
	if err != nil || number < 1 {
		number = 1
	}
	size, err := strconv.Atoi(query.Get("per_page"))
	if err != nil || size < 1 {
		size = 30
	}
	size = min(size, 100)
	if number*size < len(list) {
		query.Set("page", strconv.Itoa(number+1))
		link = fmt.Sprintf(`<http://%s%s?%s>; rel="next"`, r.Host, r.URL.Path, query.Encode())
	}
	return list[min((number-1)*size, len(list)):min(number*size, len(list))], link
}

// Status returns the newest status of a context. count is the number of statuses of that context.
func (g *GitHub) Status(commit, name string) (state, description string, count int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.statuses[commit] {
		if s["context"] == name {
			count++
			state, _ = s["state"].(string)
			description, _ = s["description"].(string)
		}
	}
	return state, description, count
}
