// Package github implements [forge.Forge] for a repository on github.com or on a GitHub Enterprise
// Server, with a token or as an App.
//
// It knows GitHub's API, its limits and its refusals, and nothing of plans.
package github

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/go-github/v55/github"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/pattern"
)

// Config says which repository to use, and with which account.
type Config struct {
	Repository string // owner/name
	// APIURL is the root of the API, such as https://ghe.acme.example/api/v3; "" is
	// [forge.GitHubAPI].
	APIURL string
	// Either Token, such as [forge.FileToken], or App is set.
	Token func(context.Context) (string, error)
	App   *forge.App
	// Login is the account that comments with the token, for tokens of installations, whose account
	// GitHub does not report. "" then means the account of GitHub Actions.
	Login string
	// RequestsPerHour is the budget; 0 means [forge.DefaultPerHour].
	RequestsPerHour int
	// Observe is called with every request.
	Observe func(forge.Exchange)
	// Fence is called before each request that changes something; see [forge.TransportConfig].
	Fence func() error
	// Base sends the requests; nil means [forge.NewBase].
	Base http.RoundTripper
	// WritesPerMinute and CreatesPerHour limit changes; 0 means GitHub's own limits.
	WritesPerMinute, CreatesPerHour int
}

// These are GitHub's limits on the creation of content (REST API, "Rate limits").
const (
	writesPerMinute = 80
	createsPerHour  = 500
)

// perPage is the largest page of GitHub. maxPages is the number of pages that are read, which is a
// hundred times more than any repository needs.
const (
	perPage  = 100
	maxPages = 100
)

// words are the words in the paths of requests.
var words = []string{
	"access_tokens", "app", "check-runs", "collaborators", "comments", "commits", "installation", "installations", "issues",
	"permission", "pulls", "reactions", "repos", "repositories", "status", "statuses", "user",
}

// Repository is a repository on GitHub.
type Repository struct {
	owner, name string
	config      Config
	transport   *forge.Transport
	client      *github.Client

	mu       sync.Mutex
	account  account   // the account of the agent
	asked    time.Time // when the account was last requested
	noChecks time.Time // when check runs were refused
	full     map[[2]string]bool
}

// Abilities returns the abilities of GitHub with an App.
func Abilities() forge.Abilities {
	return forge.Abilities{
		forge.PullRequests, forge.ForkHeads, forge.Merges, forge.PersonRights, forge.BranchStatuses, forge.EditableComments, forge.CommentReactions,
		forge.ForkStatuses, forge.StatusAuthors, forge.ErrorState, forge.LineNotes,
	}
}

// Forge returns the roles of the repository.
func (r *Repository) Forge() forge.Forge {
	return forge.Forge{
		Can: Abilities(), Browser: Browser(cmp.Or(r.config.APIURL, forge.GitHubAPI), r.config.Repository), CommitStatuses: r, Credentials: r, Checks: r,
		Reviews: forge.Reviews{Pulls: r, History: r, Rights: r, Conversations: r, Reactions: r},
	}
}

var fullName = pattern.Of(`^[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+$`)

// New checks the configuration. It makes no request.
func New(c Config) (*Repository, error) {
	owner, name, _ := strings.Cut(c.Repository, "/")
	if !fullName.MatchString(c.Repository) || name == "." || name == ".." {
		return nil, fmt.Errorf("github: %q is not the name of a repository; it looks like acme/cloud-config", c.Repository)
	}
	if (c.Token == nil) == (c.App == nil) {
		return nil, fmt.Errorf("github: %s: set either a token or an App", c.Repository)
	}
	api, err := forge.ParseAPI(cmp.Or(c.APIURL, forge.GitHubAPI))
	if err != nil {
		return nil, fmt.Errorf("github: %w", err)
	}
	r := &Repository{owner: owner, name: name, config: c, full: map[[2]string]bool{}}
	t := forge.TransportConfig{
		URL: api, Base: c.Base, PerHour: c.RequestsPerHour, Words: words, Observe: c.Observe, Fence: c.Fence,
		WritesPerMinute: cmp.Or(c.WritesPerMinute, writesPerMinute), CreatesPerHour: cmp.Or(c.CreatesPerHour, createsPerHour),
		Authorize: forge.Authorize("Bearer", c.Token),
	}
	if c.App != nil {
		t.Authorize = forge.Authorize("Bearer", c.App.Token)
		t.Renew = func(refused string) { c.App.Forget(strings.TrimPrefix(refused, "Bearer ")) }
	}
	r.transport = forge.NewTransport(t)
	r.client = github.NewClient(r.transport.Client())
	r.client.BaseURL = api
	r.client.UserAgent = "stackreeve"
	return r, nil
}

// Budget returns how many requests are left in this hour, and the limit.
func (r *Repository) Budget() (left, of int) { return r.transport.Budget() }

// String names the repository in messages.
func (r *Repository) String() string { return r.owner + "/" + r.name }

// account identifies a user or an App. If a user gives up a name and another user takes it, their
// numbers still differ. Only an App can have a name that ends in [bot].
type account struct {
	login string
	id    int64 // 0 when unknown
}

func accountOf(u *github.User) account { return account{u.GetLogin(), u.GetID()} }

// is reports whether a user is this account.
func (a account) is(u *github.User) bool {
	if a.id != 0 {
		return u.GetID() == a.id
	}
	return a.login != "" && strings.EqualFold(u.GetLogin(), a.login)
}

// ownAccount returns the account that writes our comments and statuses. It is requested again after an
// hour, because tokens can be replaced.
func (r *Repository) ownAccount(ctx context.Context) (account, error) {
	if r.config.App != nil {
		login, err := r.config.App.Login(ctx)
		return account{login: login}, r.fail(err, "find the account of the credentials")
	}
	r.mu.Lock()
	me, at := r.account, r.asked
	r.mu.Unlock()
	if me.login != "" && time.Since(at) < time.Hour {
		return me, nil
	}
	user, _, err := r.client.Users.Get(ctx, "")
	switch {
	case code(err) == http.StatusForbidden:
		// The token of an installation, such as GITHUB_TOKEN, has no user.
		me = account{login: cmp.Or(r.config.Login, "github-actions[bot]")}
	case err != nil:
		return account{}, r.fail(err, "find the account of the credentials")
	default:
		me = accountOf(user)
	}
	r.setAccount(me)
	return me, nil
}

// setAccount stores the account of the agent.
func (r *Repository) setAccount(me account) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.account, r.asked = me, time.Now()
}

// pages reads all pages of a list, up to a limit. ask requests one page. Elements that are null are
// left out.
func pages[T any](r *Repository, what string, ask func(github.ListOptions) ([]*T, *github.Response, error)) ([]*T, error) {
	var all []*T
	page := github.ListOptions{PerPage: perPage}
	for range maxPages {
		list, resp, err := ask(page)
		list = slices.DeleteFunc(list, func(one *T) bool { return one == nil })
		if errors.Is(err, forge.ErrTooMany) {
			return append(all, list...), fmt.Errorf("github: %s: %s: %w", r, what, err)
		}
		if err != nil {
			return nil, r.fail(err, what)
		}
		all = append(all, list...)
		if resp.NextPage <= page.Page {
			return all, nil
		}
		page.Page = resp.NextPage
	}
	return all, fmt.Errorf("github: %s: %s: %w: more than %d pages", r, what, forge.ErrTooMany, maxPages)
}
