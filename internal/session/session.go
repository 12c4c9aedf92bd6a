// Package session opens the parts of configured stacks: their repositories and libraries, their clouds and forges. Parts that several stacks
// use are opened once.
//
//	Stack ─▶ Repo ─▶ Contents ─▶ Previewer ─▶ Plan
//	     ─▶ Cloud ────────────────────┘
//
// The package reads and plans, but it does not decide when. The long-running service is internal/service.
package session

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/kustomize"
	"github.com/stackreeve/stackreeve/internal/progress"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/source"
)

// Opener opens stacks. Its fields are read-only after the first use. To change a field, copy the Opener.
type Opener struct {
	Log         *slog.Logger
	DataDir     string // folder for data; "" if there is none
	Parallelism int
	Version     string
	Observe     func(cloud.Request)
	Watchers    []engine.Watcher // watchers of every pass
	// Reported is [engine.Engine.Reported]; nil if the cloud's services report no changes.
	Reported func(id string) (kind.Trace, bool)
	UserName func(id string) string // [engine.Engine.UserName]
	Looks    bool                   // [engine.Engine.Looks]
	Progress *progress.Teller       // nil if nobody watches the terminal
	Shared   *Shared

	// Sealed is true if no file is decrypted, and no store of secrets is read. It is used for the files of strangers, and where there
	// are no keys. WithoutStores is true if files are decrypted, but no store of secrets is read.
	Sealed, WithoutStores bool
	plans                 bool // the opener reads for plans, and not for the branch

	// Kustomize runs kustomize for stacks with a kustomization; nil if it cannot be run.
	Kustomize kustomize.Build

	// Targets limit the previews and passes of branches to some objects; nil if there is none. They do not limit the plans of pull requests.
	Targets []plan.Target
	// Recreate is true if a person has requested that the targets are recreated.
	Recreate bool

	// Fence is called before each write to the cloud; nil if there is none. Grace is the time for which running steps may continue after a pass was
	// told to stop; 0 for the default. Former is the time for which the cloud may still carry out requests of a killed process.
	// AloneSince is the latest time at which that process ended; the beginning of the first pass if it is zero.
	Fence         func(context.Context) (context.Context, error)
	Grace, Former time.Duration
	AloneSince    time.Time
	// Wrap inserts a layer between the clients of clouds and the network; nil if there is none.
	Wrap func(http.RoundTripper) http.RoundTripper
}

// Shared contains the objects that several stacks use. The zero value is ready to use.
type Shared struct {
	clones    clones
	libraries libraries
	clouds    cloud.Sharing
	rules     rules
	stores    stores
}

func (s *Shared) sharing() *cloud.Sharing {
	if s == nil {
		return nil
	}
	return &s.clouds
}

func (s *Shared) kinds() *rules {
	if s == nil {
		return nil
	}
	return &s.rules
}

// Repo returns the Git repository of a stack. use is ForBranch or ForPulls, and each has a clone of its own. Stacks that were made from one document share
// the clones.
func (o Opener) Repo(s *config.Stack, use string) (*source.Repo, error) {
	if s.Of() == "" {
		return o.newRepo(s)
	}
	root, err := o.root(s, s.Of(), use)
	if err != nil {
		return nil, err
	}
	return root.In(s.Root(), s.Layers()...), nil
}

func (o Opener) newRepo(s *config.Stack) (*source.Repo, error) {
	return source.New(withApp(s.Repo(o.DataDir, nil), s.Spec.Source.Auth), o.Log.With("stack", s.Name))
}

// withApp returns a source that is fetched with tokens of the GitHub App in its credentials, if they name one.
func withApp(c source.Config, auth config.Auth) source.Config {
	if g := auth.GitHubApp; g != nil {
		app := &forge.App{AppID: g.AppID, InstallationID: g.InstallationID, PrivateKeyFile: g.PrivateKeyFile, APIURL: g.APIURL}
		c.Auth.Token, c.Auth.Renew = app.Token, app.Forget
	}
	return c
}

// These are the uses of clones. Pull requests have a separate clone, so that the branch never waits for them.
const (
	ForBranch = "branch"
	ForPulls  = "pull requests"
)

// clones are the clones of repositories that all stacks made from one configuration document share.
type clones struct {
	mu sync.Mutex
	of map[[2]string]*source.Repo // by the name of the document, and the use
}

// root returns the clone that all stacks made from one configuration document share for one use. The first call
// makes it.
func (o Opener) root(s *config.Stack, document, use string) (*source.Repo, error) {
	o.Shared.clones.mu.Lock()
	defer o.Shared.clones.mu.Unlock()
	key := [2]string{document, use}
	if root := o.Shared.clones.of[key]; root != nil {
		return root, nil
	}
	root, err := o.newRepo(s)
	if err == nil {
		if o.Shared.clones.of == nil {
			o.Shared.clones.of = map[[2]string]*source.Repo{}
		}
		o.Shared.clones.of[key] = root
	}
	return root, err
}
