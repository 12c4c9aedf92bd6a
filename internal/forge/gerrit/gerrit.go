// Package gerrit is a project on a Gerrit: the roles of [forge.Forge] by its REST API.
//
// A change is a pull request, and its patch set the head. A message is a comment. Gerrit
// edits and deletes no message, so a newer one takes the place of an older (frames.go).
// It has no statuses: they are messages on the patch set, and a vote (statuses.go).
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

// Config says which project, and as whom.
type Config struct {
	// URL is the forge's, such as https://review.example.com, with the path below which
	// it is served; without TLS on this machine only.
	URL string
	// Project is its name, such as infra/cloud-config.
	Project string
	// User is the account's name, and Password its HTTP password.
	User     string
	Password func(ctx context.Context) (string, error)
	// Label is what the agent votes with; "" for none.
	Label string
	// CAFile holds the certificates to trust besides the system's, as PEM.
	CAFile string
	// RequestsPerHour is the budget; 0 is [forge.DefaultPerHour].
	RequestsPerHour int
	// Observe is called with every request.
	Observe func(forge.Exchange)
	// Fence is asked before each request that changes something; see [forge.TransportConfig].
	Fence func() error
}

// Repository is a project on a Gerrit.
type Repository struct {
	site, project, label string
	password             func(context.Context) (string, error)
	transport            *forge.Transport
	client               *http.Client

	mu      sync.Mutex
	me      known
	rights  map[uploader]right
	refused time.Time         // when a vote was refused last
	below   map[string]number // the changes that commits are patch sets of; 0 for none
	whole   answered          // whether topics are submitted as a whole
}

// known is who a password belongs to.
type known struct {
	password string
	id       number
	asked    time.Time
}

// Abilities are those of Gerrit.
func Abilities() forge.Abilities {
	return forge.Abilities{
		forge.PullRequests, forge.ForkHeads, forge.Merges, forge.PersonRights, forge.ForkStatuses, forge.StatusAuthors, forge.ErrorState,
		forge.Dependencies,
	}
}

// Forge is the project, by its roles.
func (r *Repository) Forge() forge.Forge {
	return forge.Forge{
		Can: Abilities(), CommitStatuses: r, Credentials: r,
		Reviews: forge.Reviews{Pulls: r, History: r, Rights: r, Conversations: r},
	}
}

// These are names that need no quotes in a query, and that HTTP can carry.
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

// words are those of the paths of Gerrit's API.
var words = strings.Fields("accounts changes comments commits config current messages plugins gitiles projects review revisions self server info check.access +log")

// Budget returns how many requests are left in this hour, and of how many.
func (r *Repository) Budget() (left, of int) { return r.transport.Budget() }

// String names the project in messages.
func (r *Repository) String() string { return r.project }

// myID is the account that the password belongs to, asked once for each password and hour.
func (r *Repository) myID(ctx context.Context) (number, error) {
	password, err := r.password(ctx)
	if err != nil {
		return 0, err
	}
	r.mu.Lock()
	me := r.me
	r.mu.Unlock()
	if me.id > 0 && me.password == password && time.Since(me.asked) < time.Hour {
		return me.id, nil
	}
	var found account
	what := "ask whose the password is"
	if err := r.send(ctx, what, http.MethodGet, "accounts/self", nil, &found); err != nil {
		return 0, err
	}
	if found.ID <= 0 {
		return 0, r.refuse(what, fmt.Errorf("%w: an answer without a number", forge.ErrUnavailable))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.me = known{password, found.ID, time.Now()}
	return found.ID, nil
}
