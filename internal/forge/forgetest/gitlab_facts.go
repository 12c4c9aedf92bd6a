package forgetest

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
)

// fact is a path in the description of GitLab's API, with its parameters in the query or in the
// body, and the code of a successful answer.
type fact struct {
	method, path string // with a * for each number or name
	required     []string
	optional     []string
	answers      int
}

var paging = []string{"page", "per_page"}

// facts are the paths that the agent uses (doc/api/openapi/openapi_v3.yaml of GitLab).
var facts = []fact{
	{method: "GET", path: "user", answers: 200},
	{method: "GET", path: "personal_access_tokens/self", answers: 200},
	{method: "GET", path: "users", optional: append([]string{"username"}, paging...), answers: 200},
	{method: "GET", path: "projects/*", answers: 200},
	{method: "GET", path: "projects/*/merge_requests", optional: append([]string{"state", "target_branch", "order_by", "sort", "updated_after", "view"}, paging...), answers: 200},
	{method: "GET", path: "projects/*/merge_requests/*", optional: []string{"include_diverged_commits_count", "include_rebase_in_progress", "render_html"}, answers: 200},
	{method: "GET", path: "projects/*/merge_requests/*/notes", optional: append([]string{"order_by", "sort"}, paging...), answers: 200},
	{method: "POST", path: "projects/*/merge_requests/*/notes", required: []string{"body"}, answers: 201},
	{method: "PUT", path: "projects/*/merge_requests/*/notes/*", required: []string{"body"}, answers: 200},
	{method: "DELETE", path: "projects/*/merge_requests/*/notes/*", answers: 204},
	{method: "POST", path: "projects/*/statuses/*", required: []string{"state"}, optional: []string{"ref", "target_url", "description", "name", "pipeline_id"}, answers: 201},
	{method: "GET", path: "projects/*/pipelines", optional: append([]string{"sha", "ref", "order_by", "sort"}, paging...), answers: 200},
	{method: "GET", path: "projects/*/members/all/*", answers: 200},
	{method: "GET", path: "projects/*/repository/branches/*", answers: 200},
	{method: "GET", path: "projects/*/repository/commits", optional: append([]string{"ref_name", "path"}, paging...), answers: 200},
	{method: "GET", path: "projects/*/repository/commits/*/statuses", optional: append([]string{"all", "order_by", "sort"}, paging...), answers: 200},
	{method: "GET", path: "projects/*/repository/commits/*/merge_requests", optional: paging, answers: 200},
}

// values match the valid values of parameters.
var values = map[string]*regexp.Regexp{
	"page": regexp.MustCompile(`^[1-9][0-9]*$`), "per_page": regexp.MustCompile(`^([1-9][0-9]?|100)$`),
	"order_by": regexp.MustCompile(`^(created_at|updated_at|id)$`), "sort": regexp.MustCompile(`^(asc|desc)$`), "all": regexp.MustCompile(`^(true|false)$`),
	"pipeline_id": regexp.MustCompile(`^[0-9]+$`), "sha": regexp.MustCompile(`^[0-9a-f]{40}$`), "target_url": regexp.MustCompile(`^(https?://.{1,250})?$`),
	"updated_after": regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$`),
	"description":   regexp.MustCompile(`^(?s:.{0,255})$`), "name": regexp.MustCompile(`^(?s:.{1,255})$`), "body": regexp.MustCompile(`^(?s:.+)$`),
}

// labStates are the valid values of the parameter state: of a status (POST), and of a list of merge
// requests (GET).
var labStates = map[string][]string{
	"POST": {"pending", "running", "success", "failed", "canceled", "skipped"},
	"GET":  {"opened", "closed", "locked", "merged", "all"},
}

// objection says what is wrong with a request; "" for a valid request.
func objection(method, path string, given fields) (f fact, wrong string) {
	all := slices.Concat(facts, otherFacts)
	i := slices.IndexFunc(all, func(f fact) bool { return f.method == method && f.path == path })
	if i < 0 {
		return f, "the description of GitLab's API has no such path; if GitLab has it, add it to facts or otherFacts"
	}
	f = all[i]
	for _, name := range f.required {
		if given[name] == "" {
			return f, "without " + name
		}
	}
	for name, value := range given {
		switch {
		case !slices.Contains(f.required, name) && !slices.Contains(f.optional, name):
			return f, "there is no parameter " + name
		case name == "state" && !slices.Contains(labStates[method], value),
			values[name] != nil && !values[name].MatchString(value):
			return f, fmt.Sprintf("%s cannot be %.80q", name, value)
		}
	}
	return f, ""
}

// scopesOf returns the scopes of an account's token.
func (g *GitLab) scopesOf(login string) []string {
	if scopes, ok := g.scopes[login]; ok {
		return scopes
	}
	return []string{"api"}
}

// allows reports whether scopes are enough for a request. With any token, a client may request the
// data of that token.
func allows(scopes []string, r *http.Request) bool {
	read := slices.Contains(scopes, "read_api") && r.Method == http.MethodGet
	me := slices.Contains(scopes, "read_user") && r.URL.Path == "/api/v4/user"
	return slices.Contains(scopes, "api") || read || me || r.URL.Path == "/api/v4/personal_access_tokens/self"
}
