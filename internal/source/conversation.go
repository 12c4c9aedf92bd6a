package source

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/stackreeve/stackreeve/internal/source/failure"
	"github.com/stackreeve/stackreeve/internal/source/store"
)

// conversation is a series of requests to a server. It gets the references, and then any number of packs.
type conversation struct {
	remote  remote
	hidden  *secrets
	refs    *packp.AdvRefs
	session transport.UploadPackSession
	spent   bool // whether the server sends no more packs in this session
}

// inConversation runs one conversation with a time limit. It calls do once the conversation has the references; do may fetch
// packs. If the store is broken, inConversation starts an empty store and calls do again. If a token is refused before it
// expires, it renews the token and calls do again. An error that remains after that is not caused by the cache.
func (r *Repo) inConversation(parent context.Context, do func(context.Context, *conversation) error) error {
	asked := r.began.Load()
	select {
	case r.busy <- struct{}{}:
		defer func() { <-r.busy }()
	case <-parent.Done():
		return finish(parent, r.addr, nil, parent.Err())
	}
	ctx, cancel := context.WithTimeoutCause(parent, r.cfg.Timeout,
		fmt.Errorf("no answer within %s", r.cfg.Timeout))
	defer cancel()
	r.cache.Open(ctx)
	var hidden secrets
	var err error
	renewed := false // whether the token was renewed already
	for range 3 {
		err = r.converse(ctx, &hidden, asked, do)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return r.explain(ctx, parent, hidden, err)
		case errors.Is(err, ErrCredentials) && !renewed && r.cfg.Auth.renew(ctx):
			renewed = true
			continue
		case errors.Is(err, store.ErrCache):
			r.cache.UseMemory(err)
		case errors.Is(err, store.ErrIncomplete):
			r.log.Warn("the local copy of the repository is damaged; fetching it again", "dir", r.cache.Dir(), "error", err)
		default:
			return r.explain(ctx, parent, hidden, err)
		}
		r.renew()
	}
	return r.explain(ctx, parent, hidden, err)
}

// converse opens a conversation, requests the references and calls do. The argument asked is the number of the newest conversation at the
// time of the caller's request. If a later conversation has requested the references already, converse uses those.
func (r *Repo) converse(ctx context.Context, hidden *secrets, asked int64, do func(context.Context, *conversation) error) error {
	conv := &conversation{remote: r.remote, hidden: hidden}
	defer conv.close()
	if r.refs != nil && r.refsOf > asked {
		conv.refs, conv.spent = r.refs, true
		return do(ctx, conv)
	}
	number := r.began.Add(1)
	if err := conv.open(ctx); err != nil {
		return err
	}
	r.refs, r.refsOf = conv.refs, number
	return do(ctx, conv)
}

func (r *Repo) explain(ctx, parent context.Context, hidden secrets, err error) error {
	if ctx.Err() != nil && parent.Err() == nil {
		err = failure.New(ErrUnavailable, "%s; the agent tries again at the next poll", context.Cause(ctx))
	}
	return finish(parent, r.addr, hidden, err)
}

func (c *conversation) open(ctx context.Context) (err error) {
	if c.session, err = c.remote.open(ctx, c.hidden); err != nil {
		return err
	}
	c.spent = false
	c.refs, err = advertise(ctx, c.session)
	return err
}

func (c *conversation) close() {
	if c.session != nil {
		_ = c.session.Close() // an error in reading was reported by the read
		c.session = nil
	}
}

func (c *conversation) can(what capability.Capability) bool {
	return c.refs.Capabilities.Supports(what)
}

// fetch requests objects and adds them to a store. Over ssh, each pack needs a new connection.
func (c *conversation) fetch(ctx context.Context, q query, to *store.Store) error {
	if c.spent {
		c.close()
		if err := c.open(ctx); err != nil {
			return err
		}
	}
	_, c.spent = c.session.(*sshSession)
	return fetchPack(ctx, c.session, c.refs, q, func(pack io.Reader) error { return to.Receive(ctx, pack) })
}
