// Package gitea is a repository on a Gitea, or on a Forgejo, whose API is the
// same: [forge.Forge] in the words of code.gitea.io/sdk/gitea.
//
// It keeps nothing but who the token belongs to, and asks nothing before it is
// asked: a forge that is down when the agent starts is a forge that is down.
// There are no check runs on these forges.
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

// Config says which repository, and as whom.
type Config struct {
	// URL is the forge's, such as https://git.example.org; without TLS on this
	// machine only.
	URL string
	// Repository is its owner and name, such as acme/cloud-config.
	Repository string
	// Token returns the token to use now. Its user administers the repository,
	// or may not learn who may write there; its scopes are write:repository,
	// write:issue and read:user.
	Token func(ctx context.Context) (string, error)
	// CAFile holds the certificates to trust besides the system's, as PEM.
	CAFile string
	// RequestsPerHour is the budget; 0 is [forge.DefaultPerHour].
	RequestsPerHour int
	// Observe is called with every request.
	Observe func(forge.Exchange)
	// Fence is asked before each request that changes something; see [forge.TransportConfig].
	Fence func() error
}

// Repository is a repository on a Gitea or a Forgejo.
type Repository struct {
	url, owner, name string
	token            func(context.Context) (string, error)
	transport        *forge.Transport
	client           *http.Client

	mu sync.Mutex
	me struct { // who the token belongs to
		token string
		id    int64
	}
}

// Abilities are those of Gitea and Forgejo.
func Abilities() forge.Abilities {
	return forge.Abilities{
		forge.PullRequests, forge.ForkHeads, forge.Merges, forge.PersonRights, forge.EditableComments, forge.CommentReactions,
		forge.ForkStatuses, forge.StatusAuthors, forge.ErrorState,
	}
}

// Forge is the repository, by its roles.
func (r *Repository) Forge() forge.Forge {
	return forge.Forge{
		Can: Abilities(), CommitStatuses: r,
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

// Budget returns how many requests are left in this hour, and of how many.
func (r *Repository) Budget() (left, of int) { return r.transport.Budget() }

// String names the repository in messages.
func (r *Repository) String() string { return r.owner + "/" + r.name }

// words are those of the paths of Gitea's API.
var words = strings.Fields("repos pulls issues comments reactions commits commit pull status statuses collaborators permission git refs user")

// nameOf is what a user or a repository may be called.
var nameOf = pattern.Of(`^[A-Za-z0-9_-][A-Za-z0-9_.-]*$`)

// api is the SDK for one call: it knows a context only as a property of the
// client.
func (r *Repository) api(ctx context.Context) (*sdk.Client, error) {
	// The version is not asked for: every one since 2021 has what is used here.
	return sdk.NewClient(r.url, sdk.SetHTTPClient(r.client), sdk.SetContext(ctx), sdk.SetGiteaVersion(""), sdk.SetUserAgent(agent))
}

// myID is the user whom the token belongs to, asked once for each token.
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
	if err := r.fail("ask whose the token is", resp, err); err != nil {
		return 0, err
	}
	if user.ID <= 0 {
		return 0, r.refused("ask whose the token is", fmt.Errorf("%w: an answer without a number", forge.ErrUnavailable))
	}
	me.token, me.id = token, user.ID
	r.mu.Lock()
	r.me = me
	r.mu.Unlock()
	return me.id, nil
}
