// Package cloud talks to OpenStack's services: credentials and clients, requests, paging, and the classes of errors,
// which say what the caller does next.
//
// It knows no kind and no owner mark. Package mark knows what marks are and where objects carry them. Package table
// derives code from the declaration of a field. Package define makes kinds from such tables; the kinds use it.
package cloud

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"

	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/printable"
)

// Config says which cloud to use, how, and who observes the requests.
type Config struct {
	// Cloud is an entry of clouds.yaml; "" means $OS_CLOUD, or OS_* variables.
	Cloud string
	// Project is the ID or name of the project that the credentials must belong to; "" for any.
	Project string
	// ProjectBy is the setting that names the project, as messages show it; "" for spec.project.
	ProjectBy string
	// File is the clouds.yaml to read; "" means the places where OpenStack clients look.
	File string
	// Version goes into the User-Agent.
	Version string
	Log     *slog.Logger
	// Observe is called after every request; nil is allowed.
	Observe func(Request)
	// Wrap inserts a layer between the client and the network; nil is allowed.
	Wrap func(http.RoundTripper) http.RoundTripper
	// Fence is called right before each write, to the cloud and to its machines. Its error says why nothing may be
	// written any more. The write is sent in the context that Fence returns, which ends when writes become forbidden. nil means no fence.
	Fence func(context.Context) (context.Context, error)
	// MarksInDescriptions puts the marks of Neutron's objects at the end of their descriptions, if the request that
	// creates the object does not accept tags.
	MarksInDescriptions bool
	// Beside is the stack's client for its main entry of clouds.yaml, if this is the client for a further entry; nil for
	// the main entry.
	Beside *Client
	// Machines sends requests to services that run on machines of the cloud.
	Machines outbound.Machines
	// Sharing is shared with other clients of the process; nil if nothing is shared.
	Sharing *Sharing
	// Limits bound the client's requests to the cloud; zero fields mean the defaults.
	Limits Limits
}

// Client is an authenticated connection to one project of one cloud. Its requests are in call.go. It is safe for concurrent use.
type Client struct {
	// Region and ProjectID say where the stack works.
	Region, ProjectID string
	// MarksInDescriptions is the value from [Config].
	MarksInDescriptions bool
	// Machines is the value from [Config].
	Machines outbound.Machines

	config      Config
	with        *group // shared with other clients; nil if there is none
	provider    *gophercloud.ProviderClient
	user        tokens.User
	credentials []string // secrets of its login
	known       *origins
	home        string // auth_url
	peers       *peers
	endpoint    gophercloud.EndpointOpts
	mu          sync.Mutex
	services    map[string]*gophercloud.ServiceClient
	features    *features
	once        sync.Once // of features
	patching    sync.Mutex
}

// Open reads the credentials and authenticates. It costs one or two requests; service clients and capabilities are looked
// up on first use. Only [private.Text] of its error contains the cloud's address and configuration.
func Open(ctx context.Context, cfg Config) (*Client, error) {
	creds, err := readCredentials(cfg.Cloud, cfg.File)
	if err != nil {
		return nil, unusable(err)
	}
	provider, err := openstack.NewClient(creds.auth.IdentityEndpoint)
	if err != nil {
		return nil, unusable(fmt.Errorf("cloud %s: %w", creds.name, err))
	}
	known := originsOf(creds.home)
	provider.UserAgent.Prepend("stackreeve/" + cfg.Version)
	var with *group
	if cfg.Sharing != nil {
		with = cfg.Sharing.groupFor(cfg.File, creds)
	}
	provider.HTTPClient = *outbound.Client(guarded{way(creds, cfg, with), known}, 0) // each request has its own timeout
	login, err := logIn(ctx, provider, creds, with.decodedLogins())
	if err != nil {
		return nil, err
	}
	if creds.endpoint.Region, err = login.regionOf(creds.endpoint.Region); err != nil {
		return nil, unusable(fmt.Errorf("cloud %s: %w", creds.name, err))
	}
	c := &Client{
		Region: creds.endpoint.Region, config: cfg, with: with, provider: provider, user: login.user, credentials: creds.secrets(), known: known, home: creds.home.String(), endpoint: creds.endpoint,
		services: map[string]*gophercloud.ServiceClient{}, MarksInDescriptions: cfg.MarksInDescriptions, Machines: cfg.Machines, features: with.featuresAt(time.Now()),
	}
	if c.ProjectID, err = login.projectOf(cfg.Project, cmp.Or(cfg.ProjectBy, "spec.project")); err != nil {
		return nil, unusable(fmt.Errorf("cloud %s: %w", creds.name, err))
	}
	for _, u := range creds.overrides {
		known.allow(u)
	}
	known.learn(creds.home, login.catalog, creds.endpoint)
	locate(provider, creds.home, creds.overrides, c.ProjectID)
	c.Machines.Fence = cfg.Fence
	c.join(cfg.Beside)
	return c, nil
}

// projectOf returns the ID of the project that the credentials belong to. It must have the ID or name wanted; "" allows
// any project.
func (l *loggedIn) projectOf(wanted, by string) (string, error) {
	switch project := l.project; {
	case project.ID == "":
		return "", errors.New("the credentials are not scoped to a project; set project_name or project_id in the clouds.yaml entry")
	case wanted != "" && wanted != project.ID && wanted != project.Name:
		return "", fmt.Errorf("the credentials belong to project %s (%s), but %s names %s, so the agent does not use them; correct the credentials or the entry, or %s",
			printable.Name(project.Name), printable.Name(project.ID), by, printable.Name(wanted), by)
	default:
		return project.ID, nil
	}
}
