package cloud

import (
	"context"
	"fmt"
	"sync"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"
)

// loggedIn is the decoded answer to a login. It takes tens of kilobytes, and longer to read than a list of a few objects. So all clients with
// the same token have the same one, and nobody may change it.
type loggedIn struct {
	holder  *gophercloud.ProviderClient // has the token and the answer, and sends no requests
	catalog *tokens.ServiceCatalog      // nil if the answer is none of Keystone's version 3; user and project are empty then
	user    tokens.User
	project tokens.Project // empty if the token is not scoped to a project
}

// decodedLogins keeps the newest answer to a login for further clients.
type decodedLogins struct {
	mu   sync.Mutex
	last *loggedIn
}

// of returns the answer to the last login of p. If an earlier client got the same token, both share that client's answer. d may be nil.
func (d *decodedLogins) of(p *gophercloud.ProviderClient) (*loggedIn, error) {
	if d == nil {
		return readLogin(p)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.last != nil && d.last.holder.TokenID == p.Token() {
		p.CopyTokenFrom(d.last.holder)
		return d.last, nil
	}
	l, err := readLogin(p)
	if err == nil {
		d.last = l
	}
	return l, err
}

func readLogin(p *gophercloud.ProviderClient) (*loggedIn, error) {
	l := &loggedIn{holder: &gophercloud.ProviderClient{}}
	l.holder.CopyTokenFrom(p)
	auth, ok := p.GetAuthResult().(tokens.CreateResult)
	if !ok {
		return l, nil
	}
	catalog, err := auth.ExtractServiceCatalog()
	if err != nil {
		return nil, fmt.Errorf("the catalog cannot be read: %w", err)
	}
	l.catalog = catalog
	if user, err := auth.ExtractUser(); err == nil && user != nil {
		l.user = *user
	}
	if project, err := auth.ExtractProject(); err == nil && project != nil {
		l.project = *project
	}
	return l, nil
}

// logIn authenticates a client, now and whenever its token has expired.
func logIn(ctx context.Context, p *gophercloud.ProviderClient, creds credentials, shared *decodedLogins) (*loggedIn, error) {
	creds.auth.AllowReauth = true
	if err := openstack.Authenticate(ctx, p, creds.auth); err != nil {
		return nil, authError(creds, err)
	}
	l, err := shared.of(p)
	if err != nil {
		return nil, unusable(fmt.Errorf("cloud %s: %w", creds.name, err))
	}
	if l.catalog != nil { // gophercloud's own function would keep a catalog for each client
		p.EndpointLocator = func(opts gophercloud.EndpointOpts) (string, error) {
			return openstack.V3Endpoint(context.TODO(), p, l.catalog, opts)
		}
	}
	creds.auth.AllowReauth = false
	p.ReauthFunc = func(ctx context.Context) error { // gophercloud's own function would keep an answer for each client
		fresh, err := openstack.NewClient(creds.auth.IdentityEndpoint)
		if err != nil {
			return err
		}
		fresh.HTTPClient, fresh.UserAgent = p.HTTPClient, p.UserAgent
		if err := openstack.Authenticate(ctx, fresh, creds.auth); err != nil {
			return err
		}
		if _, err := shared.of(fresh); err != nil {
			return err
		}
		p.CopyTokenFrom(fresh)
		return nil
	}
	return l, nil
}
