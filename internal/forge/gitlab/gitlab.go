// Package gitlab implements [forge.Forge] for a project on GitLab, gitlab.com or self-managed, from
// version 15 on, with its REST API.
//
// It remembers the number of the project, the account of the token, and the open merge requests of
// each branch. It uses no reactions: each reaction updates the time of a comment
// (Note#bump_updated_at), so the comment would look edited. It has no notes on lines either.
package gitlab

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/pattern"
)

// Config says which project to use, and with whose token.
type Config struct {
	// URL is the address of the forge, such as https://gitlab.com, with the path below which it is
	// served. An address without TLS is allowed on this machine only.
	URL string
	// Project is the path of the project, including its groups, such as acme/infra/cloud-config.
	Project string
	// Token returns the current token: of a person, a group or a project, with the scope api and
	// the role Developer.
	Token func(ctx context.Context) (string, error)
	// CAFile holds the certificates to trust besides the system's, as PEM.
	CAFile string
	// RequestsPerHour is the budget; 0 means [forge.DefaultPerHour].
	RequestsPerHour int
	// Observe is called with every request.
	Observe func(forge.Exchange)
	// Fence is called before each request that changes something; see [forge.TransportConfig].
	Fence func() error
}

// Repository is a project on a GitLab.
type Repository struct {
	api, path string // the root of the API; the project's path
	token     func(context.Context) (string, error)
	transport *forge.Transport
	client    *http.Client

	mu      sync.Mutex
	project number // 0 until it is known
	account account
	opened  map[string]opened // the known open merge requests, by branch
}

// account is the account of a token.
type account struct {
	token string
	id    number
	asked time.Time
}

// Abilities returns the abilities of GitLab, whatever its tier.
func Abilities() forge.Abilities {
	return forge.Abilities{
		forge.PullRequests, forge.ForkHeads, forge.Merges, forge.PersonRights, forge.BranchStatuses, forge.EditableComments, forge.StatusAuthors, forge.ErrorState,
	}
}

// Forge returns the roles of the project.
func (r *Repository) Forge() forge.Forge {
	return forge.Forge{
		Can: Abilities(), Browser: Browser(strings.TrimSuffix(r.api, "/api/v4/"), r.path), CommitStatuses: r, Credentials: r,
		Reviews: forge.Reviews{Pulls: r, History: r, Rights: r, Conversations: r},
	}
}

// New checks the configuration. It makes no request.
func New(c Config) (*Repository, error) {
	base, err := forge.Site(c.URL, "https://gitlab.com")
	if err != nil {
		return nil, fmt.Errorf("gitlab: %w", err)
	}
	if !projectPath.MatchString(c.Project) || dots.MatchString(c.Project) {
		return nil, fmt.Errorf("gitlab: project %q is not the path of a project, such as acme/infra/cloud-config", c.Project)
	}
	t := forge.TransportConfig{
		Authorize: forge.Authorize("Bearer", c.Token), PerHour: c.RequestsPerHour, Observe: c.Observe, Words: words, Fence: c.Fence,
	}
	if t.URL, err = url.Parse(base + "/api/v4"); err != nil {
		return nil, err
	}
	if t.Base, err = forge.BaseTrusting(c.CAFile); err != nil {
		return nil, fmt.Errorf("gitlab: %w", err)
	}
	r := &Repository{api: base + "/api/v4/", path: c.Project, token: c.Token, transport: forge.NewTransport(t), opened: map[string]opened{}}
	r.client = r.transport.Client()
	return r, nil
}

// Budget returns how many requests are left in this hour, and the limit.
func (r *Repository) Budget() (left, of int) { return r.transport.Budget() }

// String names the project in messages.
func (r *Repository) String() string { return r.path }

// words are the words in the paths of GitLab's API.
var words = strings.Fields("projects merge_requests notes statuses repository commits pipelines members all branches user users personal_access_tokens self")

// projectPath matches the path of a project. dots matches forms in a path that GitLab refuses.
var (
	projectPath = pattern.Of(`^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)+$`)
	dots        = pattern.Of(`\.\.|\.(/|$)`)
)

// root returns the path of the project by its number, which is requested once. The path by its name
// still works after the project was renamed, but then only for GET.
func (r *Repository) root(ctx context.Context) (string, error) {
	r.mu.Lock()
	known := r.project
	r.mu.Unlock()
	if known == 0 {
		var found struct {
			ID number `json:"id"`
		}
		what := "find the project"
		if _, err := r.send(ctx, what, http.MethodGet, "projects/"+url.PathEscape(r.path), nil, &found); err != nil {
			return "", err
		}
		if found.ID <= 0 {
			return "", r.refused(what, fmt.Errorf("%w: the answer does not contain the ID of the project", forge.ErrUnavailable))
		}
		r.mu.Lock()
		r.project = found.ID
		r.mu.Unlock()
		known = found.ID
	}
	return fmt.Sprintf("projects/%d/", known), nil
}

// myID returns the account of the token. It is requested once for each token and hour.
func (r *Repository) myID(ctx context.Context) (number, error) {
	token, err := r.token(ctx)
	if err != nil {
		return 0, err
	}
	r.mu.Lock()
	me := r.account
	r.mu.Unlock()
	if me.token == token && time.Since(me.asked) < time.Hour {
		return me.id, nil
	}
	var found user
	what := "ask who owns the token"
	if _, err := r.send(ctx, what, http.MethodGet, "user", nil, &found); err != nil {
		return 0, err
	}
	if found.ID <= 0 {
		return 0, r.refused(what, fmt.Errorf("%w: the answer does not contain the ID of the account", forge.ErrUnavailable))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.account = account{token, found.ID, time.Now()}
	return found.ID, nil
}
