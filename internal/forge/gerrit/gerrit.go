// Package gerrit implements [forge.Forge] for a project on Gerrit, with its REST API.
//
// A change is a pull request, its current patch set is the head, and a message is a comment. Nobody
// can edit or delete a message, so a newer message replaces an older one (frames.go). Gerrit has no
// commit statuses. So a status is a message on the patch set, and all statuses together are a vote
// (statuses.go).
package gerrit

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/pattern"
)

// Config says which project to use, and with which account.
type Config struct {
	// URL is the address of the forge, such as https://review.example.com, with the path below
	// which it is served. An address without TLS is allowed on this machine only.
	URL string
	// Project is the name of the project, such as infra/cloud-config.
	Project string
	// User is the name of the account. Password returns its HTTP password.
	User     string
	Password func(ctx context.Context) (string, error)
	// Label is the label with which the agent votes; "" means that it does not vote.
	Label string
	// CAFile holds the certificates to trust besides the system's, as PEM.
	CAFile string
	// RequestsPerHour is the budget; 0 means [forge.DefaultPerHour].
	RequestsPerHour int
	// Observe is called with every request.
	Observe func(forge.Exchange)
	// Fence is called before each request that changes something; see [forge.TransportConfig].
	Fence func() error
}

// Repository is a project on a Gerrit.
type Repository struct {
	site, project, label string
	password             func(context.Context) (string, error)
	transport            *forge.Transport
	client               *http.Client

	mu      sync.Mutex
	account accountInfo
	rights  map[uploader]right
	refused time.Time         // when Gerrit last refused a vote.
	below   map[string]number // by commit: the change of which it is a patch set; 0 for none.
	whole   answered          // whether Gerrit submits all changes of a topic together.
}

// accountInfo is the account of a password.
type accountInfo struct {
	password string
	id       number
	asked    time.Time
}

// Abilities returns the abilities of Gerrit.
func Abilities() forge.Abilities {
	return forge.Abilities{
		forge.PullRequests, forge.ForkHeads, forge.Merges, forge.PersonRights, forge.ForkStatuses, forge.StatusAuthors, forge.ErrorState,
		forge.Dependencies,
	}
}

// Forge returns the roles of the project.
func (r *Repository) Forge() forge.Forge {
	return forge.Forge{
		Can: Abilities(), CommitStatuses: r, Credentials: r,
		Reviews: forge.Reviews{Pulls: r, History: r, Rights: r, Conversations: r},
	}
}

// These patterns match names that need no quotes in a query and that can be sent by HTTP. dots
// matches the project names that are refused nevertheless.
var (
	projectName = pattern.Of(`^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$`)
	dots        = pattern.Of(`\.\.|\.(/|$)`)
	userName    = pattern.Of(`^[A-Za-z0-9][A-Za-z0-9._@-]*$`)
	labelName   = pattern.Of(`^[A-Za-z0-9][A-Za-z0-9-]*$`)
)

// New checks the configuration. It makes no request.
func New(c Config) (*Repository, error) {
	base, err := forge.Site(c.URL, "https://review.example.com")
	switch {
	case err != nil:
		return nil, fmt.Errorf("gerrit: %w", err)
	case !projectName.MatchString(c.Project) || dots.MatchString(c.Project):
		return nil, fmt.Errorf("gerrit: project %q is not the name of a project, such as infra/cloud-config", c.Project)
	case !userName.MatchString(c.User):
		return nil, fmt.Errorf("gerrit: user %q is not the name of an account", c.User)
	case c.Label != "" && !labelName.MatchString(c.Label):
		return nil, fmt.Errorf("gerrit: label %q is not the name of a label, such as Verified", c.Label)
	}
	basic := func(ctx context.Context) (string, error) {
		password, err := c.Password(ctx)
		return base64.StdEncoding.EncodeToString([]byte(c.User + ":" + password)), err
	}
	t := forge.TransportConfig{
		Authorize: forge.Authorize("Basic", basic), PerHour: c.RequestsPerHour, Observe: c.Observe, Words: words, Fence: c.Fence,
	}
	if t.URL, err = url.Parse(base + "/a"); err != nil {
		return nil, err
	}
	if t.Base, err = forge.BaseTrusting(c.CAFile); err != nil {
		return nil, fmt.Errorf("gerrit: %w", err)
	}
	r := &Repository{
		site: base, project: c.Project, label: c.Label, password: c.Password, transport: forge.NewTransport(t), rights: map[uploader]right{}, below: map[string]number{},
	}
	r.client = r.transport.Client()
	return r, nil
}

// words are the words in the paths of Gerrit's API.
var words = strings.Fields("accounts changes comments commits config current messages plugins gitiles projects review revisions self server info check.access +log")

// Budget returns how many requests are left in this hour, and the limit.
func (r *Repository) Budget() (left, of int) { return r.transport.Budget() }

// String names the project in messages.
func (r *Repository) String() string { return r.project }

// myID returns the ID of the account that the password belongs to. Gerrit is asked for it at most once an hour for each password.
func (r *Repository) myID(ctx context.Context) (number, error) {
	password, err := r.password(ctx)
	if err != nil {
		return 0, err
	}
	r.mu.Lock()
	me := r.account
	r.mu.Unlock()
	if me.id > 0 && me.password == password && time.Since(me.asked) < time.Hour {
		return me.id, nil
	}
	var found account
	what := "ask who owns the password"
	if err := r.send(ctx, what, http.MethodGet, "accounts/self", nil, &found); err != nil {
		return 0, err
	}
	if found.ID <= 0 {
		return 0, r.refuse(what, fmt.Errorf("%w: an answer without a number", forge.ErrUnavailable))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.account = accountInfo{password, found.ID, time.Now()}
	return found.ID, nil
}
