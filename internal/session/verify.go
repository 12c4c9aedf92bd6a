package session

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/private"
	"github.com/stackreeve/stackreeve/internal/source"
	"github.com/stackreeve/stackreeve/internal/source/artifact"
)

// Verify returns a function that reports who signed a commit of the stack's branch, or an artifact. It returns nil if the stack needs no
// signatures. The files with the keys are read again for each call, so that a key can be withdrawn without a restart.
func Verify(s *config.Stack, from Source) func(ctx context.Context, commit, last string) (source.Signed, error) {
	if s.Spec.Source.Verify == nil {
		return nil
	}
	if of, ok := from.(*artifact.Artifact); ok {
		return func(ctx context.Context, digest, _ string) (source.Signed, error) {
			signed, err := of.Verify(ctx, digest)
			return signed, source.Public(err)
		}
	}
	repo, ok := Git(from)
	if !ok {
		return func(context.Context, string, string) (source.Signed, error) { return source.Signed{}, errNoSignatures }
	}
	return func(ctx context.Context, commit, last string) (source.Signed, error) {
		trust, err := s.Trust()
		if err != nil {
			return source.Signed{}, private.Hide("the keys of spec.source.verify cannot be read; the agent's log has the details", err)
		}
		if strings.HasPrefix(last, "sha256:") {
			last = "" // the stack followed an artifact before, and no commit descends from that
		}
		signed, err := repo.Verify(ctx, commit, last, *trust, time.Now())
		return signed, source.Public(err)
	}
}

// errNoSignatures is the error of a source whose revisions nobody can sign.
var errNoSignatures = errors.New("revisions of this source have no signatures; remove spec.source.verify")

// checkSigned refuses the newest commit of the branch if it is not verified, because an agent would refuse it. For another commit, and for
// a work tree, it only warns. Another artifact is refused, too, because its files cannot be read.
func (o Opener) checkSigned(ctx context.Context, s *config.Stack, verify func(ctx context.Context, commit, last string) (source.Signed, error), v *Previewed, ref string) (err error) {
	switch {
	case s.Spec.Source.Verify == nil:
		return nil
	case verify == nil:
		o.Log.Warn("signatures are not checked, because a work tree has none", "stack", s.Name)
		return nil
	}
	v.Rev.Signed, err = verify(ctx, v.Rev.Commit, "")
	var refused *source.Unverified
	if ref != "" && !s.Spec.Source.IsArtifact() && errors.As(err, &refused) {
		o.Log.Warn("the commit is not verified, and would be refused on the branch", "stack", s.Name, "commit", v.Rev.Commit, "reason", refused.Error())
		return nil
	}
	return PublicError(err)
}

// Unsigned returns a function that says why the own signature of a pull request's newest commit does not count; "" if it does. It returns
// nil if the stack needs no signatures of commits. The answer only informs people: signatures are required on the branch.
func Unsigned(s *config.Stack, repo *source.Repo) func(ctx context.Context, commit string) string {
	if v := s.Spec.Source.Verify; v == nil || v.Mode == string(source.ByTag) {
		return nil
	}
	return func(ctx context.Context, commit string) string {
		trust, err := s.Trust()
		if err != nil {
			return ""
		}
		own := source.Trust{Mode: source.ByHead, Keys: trust.Keys.With(trust.Forge)}
		var refused *source.Unverified
		if _, err := repo.Verify(ctx, commit, "", own, time.Now()); errors.As(err, &refused) {
			what, _ := refused.Doubts[0].Words()
			return what
		}
		return ""
	}
}
