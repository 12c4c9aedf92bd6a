package source

import (
	"context"
	"errors"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/transport"
)

// remote opens conversations with a repository: references, then at most one
// pack. The conversation ends with ctx at the latest.
type remote interface {
	open(ctx context.Context, hidden *secrets) (transport.UploadPackSession, error)
}

func newRemote(addr address, cfg Config) remote {
	switch addr.scheme {
	case "file":
		return &localRemote{path: addr.path}
	case "ssh":
		return &sshRemote{addr: addr, auth: cfg.Auth}
	}
	return &httpRemote{addr: addr, auth: cfg.Auth, caFile: cfg.CAFile}
}

// fetchPack asks for one object without history, and hands what the server
// packs to receive. have, unless zero, is a commit that is complete here, so
// that what it shares with the wanted one need not be sent again.
func fetchPack(ctx context.Context, s transport.UploadPackSession, refs *packp.AdvRefs, want, have plumbing.Hash, receive func(io.Reader) error) (err error) {
	req := packp.NewUploadPackRequestFromCapabilities(refs.Capabilities)
	req.Wants = []plumbing.Hash{want}
	if refs.Capabilities.Supports(capability.Shallow) {
		if err := req.Capabilities.Set(capability.Shallow); err != nil {
			return err
		}
		req.Depth = packp.DepthCommits(1)
		if !have.IsZero() {
			req.Shallows = []plumbing.Hash{have}
			req.Haves = []plumbing.Hash{have}
			// Git leaves out what a shallow client has only from a thin pack.
			if err := req.Capabilities.Set(capability.ThinPack); err != nil {
				return err
			}
		}
	}
	if refs.Capabilities.Supports(capability.NoProgress) {
		if err := req.Capabilities.Set(capability.NoProgress); err != nil {
			return err
		}
	}
	resp, err := s.UploadPack(ctx, req)
	if errors.Is(err, transport.ErrEmptyUploadPackRequest) {
		return errNoPack
	}
	if err != nil {
		return err
	}
	defer func() { _ = resp.Close() }() // what matters is what was read
	return receive(&bounded{r: demux(req, resp), left: maxPackBytes, what: "the pack"})
}

var errNoPack = errors.New("the server sent no pack")

func demux(req *packp.UploadPackRequest, r io.Reader) io.Reader {
	switch {
	case req.Capabilities.Supports(capability.Sideband64k):
		return sideband.NewDemuxer(sideband.Sideband64k, r)
	case req.Capabilities.Supports(capability.Sideband):
		return sideband.NewDemuxer(sideband.Sideband, r)
	}
	return r
}

// Bounds on what a server may send, far above what manifests need.
const (
	maxRefsBytes   = 64 << 20
	maxPackBytes   = 1 << 30
	maxObjectBytes = 256 << 20
	maxInflated    = 4 << 30
	maxObjects     = 2_000_000
)

// bounded is a reader that fails, rather than ends, after left bytes.
type bounded struct {
	r    io.Reader
	left int64
	what string
}

func (b *bounded) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, fail(ErrContent, "%s is larger than this program accepts", b.what)
	}
	return n, err
}

func (b *bounded) Close() error {
	if c, ok := b.r.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
