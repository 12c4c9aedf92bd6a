package source

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/stackreeve/stackreeve/internal/source/failure"
)

// remote opens sessions with a repository. A session sends the references, and then packs: over ssh
// at most one. It ends with ctx at the latest.
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

// query is one request to a server for objects.
type query struct {
	want []plumbing.Hash
	// have lists commits whose objects are all in our store, without their history. The server need
	// not send the objects that the wanted commits share with them.
	have  []plumbing.Hash
	depth int   // number of generations; 1 means only the wanted commits
	bare  bool  // whether the commits come without their files
	limit int64 // maximal number of bytes of the pack
}

// fetchPack requests objects, and passes the server's pack to receive.
func fetchPack(ctx context.Context, s transport.UploadPackSession, refs *packp.AdvRefs, q query, receive func(io.Reader) error) (err error) {
	req, err := q.request(refs.Capabilities)
	if err != nil {
		return err
	}
	resp, err := s.UploadPack(ctx, req)
	if errors.Is(err, transport.ErrEmptyUploadPackRequest) {
		return errNoPack
	}
	if err != nil {
		return err
	}
	defer func() { _ = resp.Close() }() // an error in reading was reported by the read
	// The limit includes progress messages and the framing of the pack.
	raw := &bounded{r: resp, left: q.limit + q.limit/16 + maxPreamble, what: "the server's answer"}
	what := "the pack"
	if q.depth > 1 {
		what = "the history between the two commits and their common start"
	}
	return receive(&bounded{r: demux(req, raw), left: q.limit, what: what})
}

func (q query) request(offered *capability.List) (*packp.UploadPackRequest, error) {
	req := packp.NewUploadPackRequestFromCapabilities(offered)
	req.Wants = slices.Clone(q.want)
	var ask []capability.Capability
	if offered.Supports(capability.Shallow) {
		ask = append(ask, capability.Shallow)
		req.Depth = packp.DepthCommits(q.depth)
		if len(q.have) > 0 {
			req.Shallows, req.Haves = slices.Clone(q.have), slices.Clone(q.have)
			// Git leaves out the objects that a shallow client has only if the client accepts thin
			// packs.
			ask = append(ask, capability.ThinPack)
		}
	}
	if q.bare {
		ask = append(ask, capability.Filter)
		req.Filter = packp.FilterTreeDepth(0)
	}
	if offered.Supports(capability.NoProgress) {
		ask = append(ask, capability.NoProgress)
	}
	for _, c := range ask {
		if err := req.Capabilities.Set(c); err != nil {
			return nil, err
		}
	}
	return req, nil
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

// These are limits on the answers of a server. They are far above the size that manifests need.
const (
	maxRefsBytes   = 64 << 20
	maxPreamble    = 4 << 20 // the part before a pack: at which commits the history is cut off, and which commits are shared
	maxPackBytes   = 1 << 30
	maxAnswerBytes = maxPackBytes + maxPackBytes/8 // a pack and its framing
)

// bounded is a reader that returns an error, and not the end, after left bytes.
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
	b.left -= int64(n)
	if err := b.exceeded(); err != nil {
		return 0, err
	}
	return n, err
}

// exceeded returns an error if too much was read. Callers use it if go-git returns another error
// instead.
func (b *bounded) exceeded() error {
	if b.left < 0 {
		return failure.New(ErrContent, "%s is larger than this program accepts", b.what)
	}
	return nil
}

func (b *bounded) Close() error {
	if c, ok := b.r.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
