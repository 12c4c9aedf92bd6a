package source

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/source/failure"
)

const (
	branchPrefix = "refs/heads/"
	tagPrefix    = "refs/tags/"
)

var (
	fullHash    = pattern.Of(`^[0-9a-f]{40}$`)
	shortHash   = pattern.Of(`^[0-9a-f]{7,39}$`)
	pullRequest = pattern.Of(`^(?:pull|merge-requests)/[0-9]+/(?:head|merge)$`)
)

// advertise requests the server's references. If nothing is new, a poll needs no other request. An
// empty repository has no references, which is not an error here.
func advertise(ctx context.Context, s transport.UploadPackSession) (*packp.AdvRefs, error) {
	refs, err := s.AdvertisedReferencesContext(ctx)
	var line *pktline.ErrorLine
	switch {
	case errors.Is(err, transport.ErrEmptyRemoteRepository):
		return packp.NewAdvRefs(), nil
	case errors.As(err, &line):
		return nil, refusal(line.Text)
	}
	return refs, err
}

// refusal converts the message that a server sends instead of its references to an error with a
// class.
func refusal(words string) error {
	lower := strings.ToLower(words)
	for _, sign := range []string{"not found", "not appear to be a git repository", "could not be found", "no such repository", "does not exist", "not exported"} {
		if strings.Contains(lower, sign) {
			return failure.New(ErrNotFound, "the server reports that there is no such repository, or that the login may not read it%s; check source.url and source.auth", quoteServer(words))
		}
	}
	for _, sign := range []string{"denied", "not allowed", "unauthorized", "permission"} {
		if strings.Contains(lower, sign) {
			return failure.New(ErrCredentials, "the server refuses access%s; check source.auth", quoteServer(words))
		}
	}
	return failure.New(ErrUnavailable, "the server sent no references%s; the agent tries again at the next poll", quoteServer(words))
}

// findBranch returns the name and the newest commit of a branch. An empty name means the branch to
// which HEAD points.
func findBranch(refs *packp.AdvRefs, name string) (string, plumbing.Hash, error) {
	if name == "" {
		name = defaultBranch(refs)
	}
	if len(refs.References) == 0 {
		return "", plumbing.ZeroHash, failure.New(ErrNotFound, "the repository is empty; push a first commit to the branch %q", cmp.Or(name, "main"))
	}
	if name == "" {
		return "", plumbing.ZeroHash, failure.New(ErrNotFound, "the repository's HEAD names no branch; set source.branch%s", failure.NearestHint("branches", "", branches(refs)))
	}
	tip, ok := refs.References[branchPrefix+name]
	if !ok || tip.IsZero() {
		return "", plumbing.ZeroHash, failure.New(ErrNotFound, "there is no branch %q; set source.branch or push it%s", name, failure.NearestHint("branches", name, branches(refs)))
	}
	return name, tip, nil
}

func defaultBranch(refs *packp.AdvRefs) string {
	for _, pair := range refs.Capabilities.Get(capability.SymRef) {
		if target, ok := strings.CutPrefix(pair, "HEAD:"+branchPrefix); ok && validBranch(target) {
			return target
		}
	}
	return ""
}

// resolve returns the commit of ref, which is a full commit hash or a reference.
func resolve(refs *packp.AdvRefs, ref string) (plumbing.Hash, error) {
	if commit := strings.ToLower(ref); fullHash.MatchString(commit) {
		return plumbing.NewHash(commit), nil
	}
	if err := checkRef(ref); err != nil {
		return plumbing.ZeroHash, err
	}
	return findRef(refs, ref)
}

// findRef returns the commit of a value of --ref, which a person writes: a branch, a tag, or a full
// reference such as refs/pull/7/head.
func findRef(refs *packp.AdvRefs, ref string) (plumbing.Hash, error) {
	if ref == "HEAD" {
		_, tip, err := findBranch(refs, "")
		return tip, err
	}
	for _, full := range candidates(ref) {
		if tip, ok := refs.References[full]; ok && !tip.IsZero() {
			return tip, nil
		}
	}
	if shortHash.MatchString(ref) {
		return plumbing.ZeroHash, failure.New(ErrNotFound, "%q looks like a shortened commit; give all its 40 digits, as `git rev-parse %s` prints them", ref, ref)
	}
	known := append(branches(refs), withPrefix(refs, tagPrefix)...)
	return plumbing.ZeroHash, failure.New(ErrNotFound, "there is no branch, tag or reference %q%s", ref, failure.NearestHint("branches and tags", ref, known))
}

func candidates(ref string) []string {
	switch {
	case strings.HasPrefix(ref, "refs/"):
		return []string{ref}
	case pullRequest.MatchString(ref):
		return []string{"refs/" + ref, branchPrefix + ref, tagPrefix + ref}
	}
	return []string{branchPrefix + ref, tagPrefix + ref}
}

// checkRef returns an error for a name that Git does not allow, so that it is not sent anywhere.
func checkRef(ref string) error {
	if ref == "HEAD" || validRef(ref) && strings.HasPrefix(ref, "refs/") || validRef(branchPrefix+ref) {
		return nil
	}
	return failure.New(ErrNotFound, "%s is not a branch, tag, reference or full commit", strconv.Quote(printable.Clip(ref, 100)))
}

func branches(refs *packp.AdvRefs) []string { return withPrefix(refs, branchPrefix) }

func withPrefix(refs *packp.AdvRefs, prefix string) (names []string) {
	for full := range refs.References {
		if name, ok := strings.CutPrefix(full, prefix); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
