package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/private"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/secretstore"
)

// barbican is the store of the stack's own cloud. A place is the ID or the name of a secret. Payloads never change in Barbican. So a secret
// has another value only if it was deleted and made again, or if it got its payload after it was made.
type barbican struct {
	open   func(context.Context) (*cloud.Client, error)
	prefix string

	login  chan struct{} // has an element while a goroutine reads or opens client
	client *cloud.Client // nil until it is opened
}

func newBarbican(prefix string, open func(context.Context) (*cloud.Client, error)) *barbican {
	return &barbican{open: open, prefix: prefix, login: make(chan struct{}, 1)}
}

var (
	uuid = pattern.Of(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

	errSeveral = errors.New("several secrets have that name; give the ID of one, or delete the others")
	errOutside = errors.New("the name of the secret does not begin with the prefix in the agent's configuration")
)

// Read implements [secretstore.Store].
func (b *barbican) Read(ctx context.Context, at secretstore.Place, known *secretstore.Secret) (*secretstore.Secret, error) {
	client, err := b.session(ctx)
	if err != nil {
		return nil, secretstore.Down("the agent cannot log in to the cloud", err)
	}
	found, err := b.find(ctx, client, at.Path)
	if err != nil {
		return nil, err
	}
	version := found.ID() + " " + found.Updated
	if known != nil && known.Version == version {
		return known, nil
	}
	text, err := client.Payload(ctx, found, secretstore.MaxValue)
	switch {
	case errors.Is(err, kind.ErrGone):
		return nil, private.Hide("the secret has no payload", fmt.Errorf("%w: %w", secretstore.ErrMissing, err))
	case err != nil:
		return nil, private.Hide("its payload cannot be read; the agent's log has the details", err)
	}
	return &secretstore.Secret{Version: version, Fields: map[string]string{"": string(text)}}, nil
}

// session returns a client of the cloud. The first call logs in.
func (b *barbican) session(ctx context.Context) (*cloud.Client, error) {
	select {
	case b.login <- struct{}{}:
		defer func() { <-b.login }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if b.client != nil {
		return b.client, nil
	}
	client, err := b.open(ctx)
	if err == nil {
		b.client = client
	}
	return client, err
}

// find returns the secret at a place.
func (b *barbican) find(ctx context.Context, client *cloud.Client, place string) (found cloud.StoredSecret, err error) {
	if uuid.MatchString(place) {
		found, err = client.StoredSecretByID(ctx, place)
	} else {
		var all []cloud.StoredSecret
		all, err = client.StoredSecretsByName(ctx, b.prefix+place)
		switch {
		case err == nil && len(all) == 0:
			return found, secretstore.ErrMissing
		case len(all) > 1:
			return found, errSeveral
		case len(all) == 1:
			found = all[0]
		}
	}
	switch {
	case errors.Is(err, kind.ErrGone):
		return found, private.Hide(secretstore.ErrMissing.Error(), fmt.Errorf("%w: %w", secretstore.ErrMissing, err))
	case errors.Is(err, kind.ErrForbidden):
		return found, private.Hide("reading it is not allowed", err)
	case err != nil:
		return found, secretstore.Down("the key manager of the cloud cannot be asked", err)
	case !strings.HasPrefix(found.Name, b.prefix):
		return found, errOutside
	}
	return found, nil
}
