// Package cloud is how OpenStack's services are reached: credentials and clients,
// requests, paging, and what an error means for what happens next.
//
// It knows no kind and no owner mark. Below it are package mark, what marks are and where
// objects carry them; package table, what follows from the declaration of a field;
// package define, which makes kinds of such tables; and the kinds.
package cloud

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"

	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/printable"
)

// Config says which cloud, and who watches.
type Config struct {
	// Cloud is an entry of clouds.yaml; "" means $OS_CLOUD, or OS_* variables.
	Cloud string
	// Project is the ID or name of the project that the credentials have to be of; "" for any.
	Project string
	// ProjectBy is what names it, for people; "" for spec.project.
	ProjectBy string
	// File is the clouds.yaml to read; "" means where OpenStack clients look.
	File string
	// Version goes into the User-Agent.
	Version string
	Log     *slog.Logger
	// Observe is called after every request; nil is allowed.
	Observe func(Request)
	// Wrap puts something between the client and the network; nil is allowed.
	Wrap func(http.RoundTripper) http.RoundTripper
	// Fence is asked right before each write, to the cloud and to its machines; its error says why nothing may be written
	// any more, and its context, in which the write is sent, ends when that becomes so.
	// nil is for no fence.
	Fence func(context.Context) (context.Context, error)
	// MarksInDescriptions has the mark of Neutron's objects stand at the end of their
	// description where tags cannot be given in the request that makes them.
	MarksInDescriptions bool
	// Beside is a client of the same stack, through its main entry; nil for that itself.
	Beside *Client
	// Machines asks what runs on machines of the cloud.
	Machines outbound.Machines
	// Sharing is what the client has in common with others of the process; nil for nothing.
	Sharing *Sharing
	// Limits bound what the client asks of the cloud; zero fields mean the
	// defaults.
	Limits Limits
}

// Client is an authenticated connection to one project of one cloud. It is
// safe for concurrent use.
type Client struct {
	// Region and ProjectID are where the stack works.
	Region, ProjectID string
	// MarksInDescriptions is that of [Config].
	MarksInDescriptions bool
	// Machines is that of [Config].
	Machines outbound.Machines

	config      Config
	with        *group // what it has in common with others; nil for nothing
	provider    *gophercloud.ProviderClient
	credentials []string // secrets that it logs in with
	known       *origins
	home        string // auth_url
	peers       *peers
	endpoint    gophercloud.EndpointOpts
	mu          sync.Mutex
	services    map[string]*gophercloud.ServiceClient
	features    features
	patching    sync.Mutex
}

// Open reads the credentials and authenticates. It costs one or two requests;
// service clients and capabilities are found when first needed. Its error says
// where the cloud is and how it is configured only in [private.Text].
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
		with = cfg.Sharing.of(cfg.File, creds)
	}
	provider.HTTPClient = *outbound.Client(guarded{way(creds, cfg, with), known}, 0) // each request has its own time
	creds.auth.AllowReauth = true
	if err := openstack.Authenticate(ctx, provider, creds.auth); err != nil {
		return nil, authError(creds, err)
	}
	if creds.endpoint.Region, err = regionOf(provider, creds.endpoint.Region); err != nil {
		return nil, unusable(fmt.Errorf("cloud %s: %w", creds.name, err))
	}
	c := &Client{
		Region: creds.endpoint.Region, config: cfg, with: with, provider: provider, credentials: creds.secrets(), known: known, home: creds.home.String(), endpoint: creds.endpoint,
		services: map[string]*gophercloud.ServiceClient{}, MarksInDescriptions: cfg.MarksInDescriptions, Machines: cfg.Machines,
	}
	if c.ProjectID, err = projectOf(provider, cfg.Project, cmp.Or(cfg.ProjectBy, "spec.project")); err != nil {
		return nil, unusable(fmt.Errorf("cloud %s: %w", creds.name, err))
	}
	for _, u := range creds.overrides {
		known.allow(u)
	}
	if err := known.learn(creds.home, provider, creds.endpoint); err != nil {
		return nil, unusable(fmt.Errorf("cloud %s: %w", creds.name, err))
	}
	locate(provider, creds.home, creds.overrides, c.ProjectID)
	c.Machines.Fence = cfg.Fence
	c.join(cfg.Beside)
	return c, nil
}

// projectOf is the ID of the project that the credentials are of, which has to be the one of that ID or name; "" for any.
func projectOf(p *gophercloud.ProviderClient, wanted, by string) (string, error) {
	auth, ok := p.GetAuthResult().(tokens.CreateResult)
	if ok {
		project, err := auth.ExtractProject()
		switch {
		case err != nil || project == nil:
		case wanted != "" && wanted != project.ID && wanted != project.Name:
			return "", fmt.Errorf("the credentials are of the project %s (%s), and %s names %s: nothing is done with them; correct the credentials or the entry, or %s",
				printable.Name(project.Name), printable.Name(project.ID), by, printable.Name(wanted), by)
		default:
			return project.ID, nil
		}
	}
	return "", errors.New("the credentials are not scoped to a project; set project_name or project_id in the clouds.yaml entry")
}
