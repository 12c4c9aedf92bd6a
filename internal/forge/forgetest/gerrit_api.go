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
	"unicode/utf16"
)

// gerritFacts are the paths that are used, with their parameters (Documentation/rest-api-*.txt of
// Gerrit).
var gerritFacts = map[string][]string{
	"GET config/server/info": nil,
	"GET accounts/self":      nil, "GET accounts/": {"q", "o", "n"},
	"GET changes/": {"q", "o", "n", "S"}, "GET changes/*": {"o"},
	"GET changes/*/messages": nil, "GET changes/*/comments": nil,
	"POST changes/*/revisions/*/review": {"message", "tag", "labels", "notify", "ignore_automatic_attention_set_rules"},
	"GET projects/*":                    nil,
	"GET projects/*/check.access":       {"account", "ref", "perm"},
	"GET projects/*/commits/*":          nil,
	"GET plugins/gitiles":               {"format", "n"},
}

// gerritOptions are the options of changes and accounts that are used.
var gerritOptions = []string{"CURRENT_REVISION", "CURRENT_COMMIT", "DETAILED_ACCOUNTS", "MESSAGES", "DETAILS", "DETAILED_LABELS"}

// serve returns a handler that answers as Gerrit does. It serves Git and the API.
func (g *Gerrit) serve() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, ".git/") {
			g.serveGit(w, r)
			return
		}
		if r.URL.Path == "/tools/hooks/commit-msg" {
			_, _ = w.Write([]byte(gerritHook))
			return
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		g.served++
		if g.weather != nil && g.weather(w, r) {
			return
		}
		path, ok := strings.CutPrefix(r.URL.EscapedPath(), "/a/")
		me := g.who(r)
		if !ok && r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/changes/") { // anybody may read changes
			path, ok, me = r.URL.EscapedPath()[1:], true, &gerritAccount{}
		}
		if !ok || me == nil {
			http.Error(w, "Unauthorized", http.StatusUnauthorized)
			return
		}
		code, said := g.answer(me, r, path)
		if g.lose != nil && g.lose(r) {
			panic(http.ErrAbortHandler)
		}
		if text, ok := said.(string); ok {
			http.Error(w, text, code)
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=UTF-8")
		w.WriteHeader(code)
		_, _ = w.Write([]byte(")]}'\n"))
		_ = json.NewEncoder(w).Encode(said) // the client may have closed the connection
	})
}

// who returns the account whose password is in a request.
func (g *Gerrit) who(r *http.Request) *gerritAccount {
	login, password, _ := r.BasicAuth()
	for _, a := range g.accounts {
		if a.login == login && password == g.Password(login) {
			return a
		}
	}
	return nil
}

// gerritReview is ReviewInput.
type gerritReview struct {
	Message string         `json:"message"`
	Tag     string         `json:"tag"`
	Labels  map[string]int `json:"labels"`
	Notify  string         `json:"notify"`
	Ignore  bool           `json:"ignore_automatic_attention_set_rules"`
}

const notThere = "Not found"

// answer returns Gerrit's answer to a request.
func (g *Gerrit) answer(me *gerritAccount, r *http.Request, path string) (int, any) {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		part, err := url.PathUnescape(part)
		if err != nil {
			return http.StatusBadRequest, "Bad path"
		}
		parts[i] = part
	}
	shape := r.Method + " " + gerritShape(parts)
	allowed, ok := gerritFacts[shape]
	if !ok {
		g.t.Errorf("%s %s is not among the known paths of Gerrit's API", r.Method, r.URL)
		return http.StatusNotFound, notThere
	}
	query := r.URL.Query()
	for name := range query {
		if !slices.Contains(allowed, name) {
			g.t.Errorf("%s has no parameter %s", shape, name)
		}
	}
	for _, option := range query["o"] {
		if !slices.Contains(gerritOptions, option) {
			g.t.Errorf("%s has no option %s", shape, option)
		}
	}
	switch shape {
	case "GET accounts/self":
		return 200, me.shown()
	case "GET accounts/":
		return 200, g.accountsOf(query.Get("q"))
	case "GET changes/":
		return 200, g.changesOf(query)
	case "GET config/server/info":
		return 200, object{"change": object{"submit_whole_topic": g.whole}}
	case "GET plugins/gitiles":
		return g.log(parts)
	case "GET projects/*":
		if parts[1] != g.Project {
			return http.StatusNotFound, notThere + ": " + parts[1]
		}
		return 200, object{"id": url.PathEscape(g.Project), "name": g.Project, "state": "ACTIVE"}
	case "GET projects/*/check.access":
		return g.checkAccess(me, query)
	case "GET projects/*/commits/*":
		return g.commitOf(parts[3])
	}
	return g.answerChange(me, r, shape, parts)
}

// gerritShape returns a path with a * for each part that varies.
func gerritShape(parts []string) string {
	out := slices.Clone(parts)
	if path := strings.Join(out, "/"); path == "config/server/info" {
		return path
	}
	if out[0] == "plugins" && len(out) > 1 {
		return strings.Join(out[:2], "/")
	}
	for i := 1; i < len(out); i += 2 {
		if out[i] != "" && out[i] != "self" {
			out[i] = "*"
		}
	}
	return strings.Join(out, "/")
}

func (g *Gerrit) accountsOf(q string) list {
	found := list{}
	for _, a := range g.accounts {
		if q == "username:"+a.login {
			found = append(found, a.shown())
		}
	}
	return found
}

func (g *Gerrit) checkAccess(me *gerritAccount, query url.Values) (int, any) {
	if !me.sees {
		return http.StatusForbidden, "view access not permitted"
	}
	if perm := query.Get("perm"); perm != "submit" && perm != "push" || !strings.HasPrefix(query.Get("ref"), "refs/heads/") {
		g.t.Errorf("there is no permission %s for %s", perm, query.Get("ref"))
	}
	for _, a := range g.accounts {
		if fmt.Sprint(a.id) == query.Get("account") {
			if a.submits && query.Get("perm") == "submit" {
				return 200, object{"status": 200}
			}
			return 200, object{"status": 403, "message": "user lacks the permission"}
		}
	}
	return http.StatusUnprocessableEntity, "Account not found"
}

func (g *Gerrit) commitOf(commit string) (int, any) {
	said, err := g.repo.tryGit(nil, "rev-list", "--parents", "-n", "1", commit)
	if err != nil {
		return http.StatusNotFound, notThere
	}
	parents := list{}
	for _, parent := range strings.Fields(said)[1:] {
		parents = append(parents, object{"commit": parent})
	}
	return 200, object{"commit": commit, "parents": parents}
}

// log answers as the plugin Gitiles does for PROJECT/+log/REF/FILE.
func (g *Gerrit) log(parts []string) (int, any) {
	project, rest, _ := strings.Cut(strings.Join(parts[2:], "/"), "/+log/")
	branch, file, _ := strings.Cut(strings.TrimPrefix(rest, "refs/heads/"), "/")
	commit, err := g.repo.tryGit(nil, "log", "-n", "1", "--format=%H", "refs/heads/"+branch, "--", file)
	if project != g.Project || err != nil || commit == "" {
		return http.StatusNotFound, "NOT_FOUND"
	}
	return 200, object{"log": list{object{"commit": commit}}}
}

var gerritTerm = regexp.MustCompile(`^([0-9]+|status:open|project:[\w./-]+|branch:"[^"]+"|commit:[0-9a-f]{40})$`)

// changesOf returns a page of the changes that match a query. The change that was updated last is the
// first one.
func (g *Gerrit) changesOf(query url.Values) list {
	chosen := slices.Clone(g.changes)
	for term := range strings.FieldsSeq(query.Get("q")) {
		if !gerritTerm.MatchString(term) {
			g.t.Errorf("a query has no %s", term)
		}
		name, value, _ := strings.Cut(term, ":")
		chosen = slices.DeleteFunc(chosen, func(c *gerritChange) bool {
			switch name {
			case "status":
				return c.state != "NEW"
			case "project":
				return value != g.Project
			case "branch":
				return `"`+c.branch+`"` != value
			case "commit":
				return !slices.ContainsFunc(c.sets, func(s gerritSet) bool { return s.commit == value })
			}
			return name != itoa(c.number)
		})
	}
	slices.SortStableFunc(chosen, func(a, b *gerritChange) int { return b.updated.Compare(a.updated) })
	skip, _ := strconv.Atoi(query.Get("S"))
	most, err := strconv.Atoi(query.Get("n"))
	if err != nil {
		most = 500
	}
	chosen = chosen[min(skip, len(chosen)):]
	found := list{}
	for i, c := range chosen[:min(most, len(chosen))] {
		shown := c.shown(g, query["o"])
		if i == most-1 && len(chosen) > most {
			shown["_more_changes"] = true
		}
		found = append(found, shown)
	}
	return found
}

// answerChange answers requests about one change.
func (g *Gerrit) answerChange(me *gerritAccount, r *http.Request, shape string, parts []string) (int, any) {
	name, digits, _ := strings.Cut(parts[1], "~")
	number, _ := strconv.Atoi(digits)
	c := g.change(number)
	if c == nil || name != g.Project {
		return http.StatusNotFound, notThere + ": " + parts[1]
	}
	switch shape {
	case "GET changes/*":
		shown := c.shown(g, r.URL.Query()["o"])
		if slices.Contains(r.URL.Query()["o"], "DETAILED_LABELS") {
			shown["permitted_labels"] = g.permitted(me)
		}
		return 200, shown
	case "GET changes/*/messages":
		return 200, c.messagesShown()
	case "GET changes/*/comments":
		remarks := list{}
		for _, m := range c.messages {
			if m.remark != "" {
				remarks = append(remarks, object{"change_message_id": m.id, "author": m.author.shown(), "message": m.remark, "patch_set": m.set})
			}
		}
		return 200, object{"/PATCHSET_LEVEL": remarks, "a.yaml": list{object{"change_message_id": "x", "line": 1, "message": "on a line"}}}
	}
	if revision := parts[3]; revision != "current" && revision != c.head().commit {
		return http.StatusNotFound, notThere + ": " + revision
	}
	var sent gerritReview
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&sent); err != nil {
		g.t.Errorf("Gerrit cannot read a review: %v", err)
	}
	return g.review(me, c, sent)
}

// review writes a message, with a vote if the request has one.
func (g *Gerrit) review(me *gerritAccount, c *gerritChange, sent gerritReview) (int, any) {
	if len(utf16.Encode([]rune(sent.Message))) > 16<<10 {
		return http.StatusBadRequest, "Comment size exceeds limit"
	}
	votes := ""
	for label, value := range sent.Labels {
		switch {
		case label != g.Label:
			return http.StatusBadRequest, "label \"" + label + "\" is not a configured label"
		case value < -1 || value > 1 || !g.voters[me.login]:
			return http.StatusForbidden, "Applying label \"" + label + "\" is restricted"
		}
		c.votes[fmt.Sprint(me.login, len(c.sets))] = value
		votes += fmt.Sprintf(" %s%+d", label, value)
	}
	g.write(c, &gerritMessage{author: me, tag: sent.Tag, text: strings.TrimSpace(fmt.Sprintf("Patch Set %d:%s\n\n%s", len(c.sets), votes, strings.TrimSpace(sent.Message)))})
	return 200, object{"labels": sent.Labels}
}

// permitted returns the votes that an account may give.
func (g *Gerrit) permitted(me *gerritAccount) object {
	votes := object{"Code-Review": list{"-1", " 0", "+1"}}
	switch {
	case !g.voters[me.login]:
	case g.votes != nil:
		votes[g.Label] = g.votes
	default:
		votes[g.Label] = list{"-1", " 0", "+1"}
	}
	return votes
}

func gerritTime(at time.Time) string { return at.Format("2006-01-02 15:04:05.000000000") }

func (a *gerritAccount) shown() object {
	shown := object{"_account_id": a.id, "name": "Anybody", "username": a.login}
	if a.robots {
		shown["tags"] = []string{"SERVICE_USER"}
	}
	return shown
}

func (c *gerritChange) shown(g *Gerrit, options []string) object {
	head := c.head()
	shown := object{
		"id": url.PathEscape(g.Project) + "~" + itoa(c.number), "_number": c.number, "project": g.Project, "branch": c.branch, "subject": c.title,
		"status": c.state, "owner": c.owner.shown(), "updated": gerritTime(c.updated), "change_id": c.id(g.Project),
	}
	if c.topic != "" {
		shown["topic"] = c.topic
	}
	if c.private {
		shown["is_private"] = true
	}
	if slices.Contains(options, "CURRENT_REVISION") {
		set := object{"_number": len(c.sets), "ref": c.ref(), "uploader": head.uploader.shown(), "fetch": object{"http": object{"url": g.Remote(), "ref": c.ref()}}}
		if head.real != nil {
			set["real_uploader"] = head.real.shown()
		}
		if slices.Contains(options, "CURRENT_COMMIT") {
			parents := list{}
			for _, parent := range head.parents {
				parents = append(parents, object{"commit": parent})
			}
			set["commit"] = object{"parents": parents, "message": head.message}
		}
		shown["current_revision"], shown["revisions"] = head.commit, object{head.commit: set}
	}
	if slices.Contains(options, "MESSAGES") {
		shown["messages"] = c.messagesShown()
	}
	return shown
}

func (c *gerritChange) messagesShown() list {
	found := list{}
	for _, m := range c.messages {
		shown := object{"id": m.id, "author": m.author.shown(), "date": gerritTime(m.date), "message": m.text, "_revision_number": m.set}
		if m.tag != "" {
			shown["tag"] = m.tag
		}
		if m.real != nil {
			shown["real_author"] = m.real.shown()
		}
		found = append(found, shown)
	}
	return found
}
