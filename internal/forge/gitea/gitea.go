// Package gitea implements [forge.Forge] for a repository on Gitea, or on Forgejo, whose API is the
// same. It uses code.gitea.io/sdk/gitea.
//
// A repository only remembers the user of the token, and makes no request when it is created. So the
// agent can start while the forge is down. These forges have no check runs.
package gitea

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/pattern"
)

// Config says which repository to use, and with whose token.
type Config struct {
	// URL is the address of the forge, such as https://git.example.org. An address without TLS is
	// allowed on this machine only.
	URL string
	// Repository is the owner and name, such as acme/cloud-config.
	Repository string
	// Token returns the current token. Its user must administer the repository, because Gitea
	// lets only administrators ask who may write. Its scopes are write:repository, write:issue and
	// read:user.
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

// Repository is a repository on a Gitea or a Forgejo.
type Repository struct {
	url, owner, name string
	token            func(context.Context) (string, error)
	transport        *forge.Transport
	client           *http.Client

	mu sync.Mutex
	me struct { // the user of the token; it is requested again for another token
		token string
		id    int64
	}
}

// Abilities returns the abilities of Gitea and Forgejo.
func Abilities() forge.Abilities {
	return forge.Abilities{
		forge.PullRequests, forge.ForkHeads, forge.Merges, forge.PersonRights, forge.BranchStatuses, forge.EditableComments, forge.CommentReactions,
		forge.ForkStatuses, forge.StatusAuthors, forge.ErrorState,
	}
}

// Forge returns the roles of the repository.
func (r *Repository) Forge() forge.Forge {
	return forge.Forge{
		Can: Abilities(), Browser: Browser(r.url, r.String()), CommitStatuses: r, Credentials: r,
		Reviews: forge.Reviews{Pulls: r, History: r, Rights: r, Conversations: r, Reactions: r},
	}
}

// New checks the configuration. It makes no request.
func New(c Config) (*Repository, error) {
	base, err := forge.Site(c.URL, "https://git.example.org")
	if err != nil {
		return nil, fmt.Errorf("gitea: %w", err)
	}
	owner, name, ok := strings.Cut(c.Repository, "/")
	if !ok || !nameOf.MatchString(owner) || !nameOf.MatchString(name) {
		return nil, fmt.Errorf("gitea: repository %q is not OWNER/NAME, such as acme/cloud-config", c.Repository)
	}
	t := forge.TransportConfig{
		Authorize: forge.Authorize("token", c.Token), PerHour: c.RequestsPerHour, Observe: c.Observe, Words: words, Fence: c.Fence,
	}
	if t.URL, err = url.Parse(base + "/api/v1"); err != nil {
		return nil, err
	}
	if t.Base, err = forge.BaseTrusting(c.CAFile); err != nil {
		return nil, fmt.Errorf("gitea: %w", err)
	}
	r := &Repository{url: base, owner: owner, name: name, token: c.Token, transport: forge.NewTransport(t)}
	r.client = r.transport.Client()
	return r, nil
}

// Budget returns how many requests are left in this hour, and the limit.
func (r *Repository) Budget() (left, of int) { return r.transport.Budget() }

// String names the repository in messages.
func (r *Repository) String() string { return r.owner + "/" + r.name }

// words are the words in the paths of Gitea's API.
var words = strings.Fields("repos pulls issues comments reactions commits commit pull status statuses collaborators permission git refs user")

// nameOf matches the name of a user or a repository.
var nameOf = pattern.Of(`^[A-Za-z0-9_-][A-Za-z0-9_.-]*$`)

// api returns an SDK client for one call, because the SDK takes a context only as a property of the
// client.
func (r *Repository) api(ctx context.Context) (*sdk.Client, error) {
	// The version is not requested: every version since 2021 has the calls that are used here.
	return sdk.NewClient(r.url, sdk.SetHTTPClient(r.client), sdk.SetContext(ctx), sdk.SetGiteaVersion(""), sdk.SetUserAgent(agent))
}

// myID returns the user of the token. It is requested once for each token.
func (r *Repository) myID(ctx context.Context) (int64, error) {
	token, err := r.token(ctx)
	if err != nil {
		return 0, err
	}
	r.mu.Lock()
	me := r.me
	r.mu.Unlock()
	if me.token == token {
		return me.id, nil
	}
	api, err := r.api(ctx)
	if err != nil {
		return 0, err
	}
	user, resp, err := api.GetMyUserInfo()
	if err := r.fail("ask who owns the token", resp, err); err != nil {
		return 0, err
	}
	if user.ID <= 0 {
		return 0, r.refused("ask who owns the token", fmt.Errorf("%w: an answer without a number", forge.ErrUnavailable))
	}
	me.token, me.id = token, user.ID
	r.mu.Lock()
	r.me = me
	r.mu.Unlock()
	return me.id, nil
}
