package artifact

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/source"
	"github.com/stackreeve/stackreeve/internal/source/failure"
)

// Artifact follows a tag in a registry, or the archive at an address. Its methods may be called from any number
// of goroutines, but only one fetch runs at a time.
type Artifact struct {
	cfg    Config
	at     place
	from   origin
	log    *slog.Logger
	busy   chan struct{} // has an element during a fetch; only that fetch uses broken
	broken broken

	mu   sync.Mutex
	last *source.Revision
}

// origin is a server that has artifacts.
type origin interface {
	// find downloads the artifact that ref names; "" is the artifact that the config names. If known reports that
	// the digest is known, the result has only the digest. The signature of a known artifact is checked again if
	// the keys have changed. If an artifact is not verified, packed.refused says why.
	find(ctx context.Context, ref string, known func(digest string) bool) (packed, error)
	// verify reports who signed an artifact that was found before. If none of the keys did, the error is an [*source.Unverified].
	verify(ctx context.Context, digest string) (source.Signed, error)
}

// packed is an artifact whose digest is right. Its archive is only downloaded if its signature is right, too.
type packed struct {
	// refused is the reason why the artifact is not verified; nil if it is, or if no signatures are needed.
	refused *source.Unverified
	digest  string // sha256: and 64 digits; the name of the revision.
	content string // the digest of the archive, which is the same for the same files.
	archive []byte // nil if the digest was known, and with refused.
	format  format
	tag     string
	made    string // how the maker describes the origin of the artifact
	time    time.Time
}

// broken is the newest artifact whose archive is refused. A digest always names the same bytes, so they are not downloaded
// again.
type broken struct {
	digest string
	err    error
}

const defaultTimeout = 2 * time.Minute

// New checks cfg without a request to the server. It returns all problems together, as one [failure.ErrConfig].
func New(cfg Config, log *slog.Logger) (*Artifact, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	at, problems := cfg.check()
	if len(problems) > 0 {
		return nil, source.ConfigError(problems)
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = defaultTimeout
	}
	cfg.Path = source.CleanPath(cfg.Path)
	a := &Artifact{cfg: cfg, at: at, log: log.With("source", at.text), busy: make(chan struct{}, 1)}
	if at.registry {
		a.from = newRemote(cfg, at)
	} else {
		a.from = newWeb(cfg, at)
	}
	return a, nil
}

// Last returns the newest revision that Fetch has returned; ok is false before the first one.
func (a *Artifact) Last() (source.Revision, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.last == nil {
		return source.Revision{}, false
	}
	return *a.last, true
}

// Close does nothing, because the files are in memory.
func (a *Artifact) Close() error { return nil }

// Fetch returns the present artifact, and whether it differs from the one that Fetch returned before. If nothing has
// changed, it sends one request; for a digest, it sends none. If the keys have changed, the signature is checked again.
//
// An artifact that is not verified is a revision, too. [Artifact.Verify] says why, and its files cannot be read. Each call looks for new signatures of it.
func (a *Artifact) Fetch(ctx context.Context) (rev source.Revision, changed bool, err error) {
	if rev, err = a.fetch(ctx, ""); err != nil {
		return source.Revision{}, false, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	changed = a.last == nil || a.last.Commit != rev.Commit || (refusal(*a.last) == nil) != (refusal(rev) == nil)
	a.last = &rev
	return rev, changed, nil
}

// At returns the artifact of another tag or digest of the same repository. It does not change Last.
func (a *Artifact) At(ctx context.Context, ref string) (source.Revision, error) {
	switch {
	case !a.at.registry:
		return source.Revision{}, a.finish(ctx, nil, failure.New(failure.ErrNotFound, "an archive has no other revision; leave the reference out"))
	case !tagForm.MatchString(ref) && !digestForm.MatchString(ref):
		return source.Revision{}, a.finish(ctx, nil, failure.New(failure.ErrNotFound, "the reference is neither a tag nor sha256: and 64 digits"))
	}
	return a.fetch(ctx, ref)
}

// fetch returns the revision that ref names; "" is the one that the config names.
func (a *Artifact) fetch(parent context.Context, ref string) (rev source.Revision, err error) {
	ctx, done, err := a.begin(parent)
	if err != nil {
		return rev, err
	}
	defer done()
	last, ok := a.Last()
	ok = ok && refusal(last) == nil
	found, err := a.from.find(ctx, ref, func(digest string) bool {
		return ok && digest == last.Commit || a.broken.err != nil && digest == a.broken.digest
	})
	root := a.cfg.Path
	if root == "." {
		root = ""
	}
	switch {
	case err != nil:
		return rev, a.finish(ctx, parent, err)
	case found.refused != nil:
		return source.Revision{Commit: found.digest, Branch: found.tag, Root: root, Files: sealed{found.refused}}, nil
	case found.archive == nil && ok && found.digest == last.Commit:
		last.Branch = found.tag
		return last, nil
	case found.archive == nil:
		return rev, a.finish(ctx, parent, a.broken.err)
	}
	files, err := unpack(ctx, found.archive, found.format, a.cfg.Path, a.cfg.Folders...)
	if err != nil {
		if ctx.Err() == nil {
			a.broken = broken{found.digest, err}
		}
		return rev, a.finish(ctx, parent, err)
	}
	return source.Revision{
		Commit: found.digest, Branch: found.tag, Subject: found.made, Time: found.time, Tree: found.content,
		Root: root, Files: files,
	}, nil
}

// begin waits for its turn. The time of the fetch begins then, and ends with done.
func (a *Artifact) begin(parent context.Context) (ctx context.Context, done func(), err error) {
	select {
	case a.busy <- struct{}{}:
	case <-parent.Done():
		return nil, nil, a.finish(parent, parent, parent.Err())
	}
	ctx, cancel := context.WithTimeoutCause(parent, a.cfg.Timeout, fmt.Errorf("no answer within %s", a.cfg.Timeout))
	return ctx, func() {
		cancel()
		<-a.busy
	}, nil
}
