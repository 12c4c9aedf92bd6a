package source

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/stackreeve/stackreeve/internal/nearest"
)

const (
	branchPrefix = "refs/heads/"
	tagPrefix    = "refs/tags/"
)

var (
	fullHash    = regexp.MustCompile(`^[0-9a-f]{40}$`)
	shortHash   = regexp.MustCompile(`^[0-9a-f]{7,39}$`)
	pullRequest = regexp.MustCompile(`^(?:pull|merge-requests)/[0-9]+/(?:head|merge)$`)
)

// advertise asks the server for its references: the one request of a poll that
// finds nothing new. An empty repository has none, and is not an error here.
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

// refusal gives a class to what a server says instead of its references.
func refusal(words string) error {
	lower := strings.ToLower(words)
	for _, sign := range []string{"not found", "not appear to be a git repository", "could not be found", "no such repository", "does not exist", "not exported"} {
		if strings.Contains(lower, sign) {
			return fail(ErrNotFound, "the server says there is no such repository, or the login may not read it%s; check source.url and source.auth", said(words))
		}
	}
	for _, sign := range []string{"denied", "not allowed", "unauthorized", "permission"} {
		if strings.Contains(lower, sign) {
			return fail(ErrCredentials, "the server refuses access%s; check source.auth", said(words))
		}
	}
	return fail(ErrUnavailable, "the server sent no references%s; it is tried again at the next poll", said(words))
}

// findBranch returns the tip of a branch; an empty name means the one that
// HEAD points to.
func findBranch(refs *packp.AdvRefs, name string) (string, plumbing.Hash, error) {
	if name == "" {
		name = defaultBranch(refs)
	}
	if len(refs.References) == 0 {
		return "", plumbing.ZeroHash, fail(ErrNotFound, "the repository is empty; push a first commit to the branch %q", firstOf(name, "main"))
	}
	if name == "" {
		return "", plumbing.ZeroHash, fail(ErrNotFound, "the repository's HEAD names no branch; set source.branch%s", nearestHint("branches", "", branches(refs)))
	}
	tip, ok := refs.References[branchPrefix+name]
	if !ok || tip.IsZero() {
		return "", plumbing.ZeroHash, fail(ErrNotFound, "there is no branch %q; set source.branch or push it%s", name, nearestHint("branches", name, branches(refs)))
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

// resolve finds what ref names: a full commit by its number, or a reference.
func resolve(refs *packp.AdvRefs, ref string) (plumbing.Hash, error) {
	if commit := strings.ToLower(ref); fullHash.MatchString(commit) {
		return plumbing.NewHash(commit), nil
	}
	if err := checkRef(ref); err != nil {
		return plumbing.ZeroHash, err
	}
	return findRef(refs, ref)
}

// findRef resolves what a person may type for --ref: a branch, a tag, or a
// full reference such as refs/pull/7/head.
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
		return plumbing.ZeroHash, fail(ErrNotFound, "%q looks like a shortened commit; give all its 40 digits, as `git rev-parse %s` prints them", ref, ref)
	}
	known := append(branches(refs), withPrefix(refs, tagPrefix)...)
	return plumbing.ZeroHash, fail(ErrNotFound, "there is no branch, tag or reference %q%s", ref, nearestHint("branches and tags", ref, known))
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

// checkRef refuses a name that Git does not allow, before it is sent anywhere.
func checkRef(ref string) error {
	if ref == "HEAD" || validRef(ref) && strings.HasPrefix(ref, "refs/") || validRef(branchPrefix+ref) {
		return nil
	}
	return fail(ErrNotFound, "%s is not a branch, tag, reference or full commit", strconv.Quote(clip(ref, 100)))
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

const (
	maxHints     = 5
	maxCompared  = 2000 // names that are compared; a repository can have 100,000 branches
	maxNameShown = 80
)

// nearestHint says which names there are, the most similar ones first.
func nearestHint(what, name string, names []string) string {
	if len(names) == 0 {
		return fmt.Sprintf(" (there are no %s)", what)
	}
	compared := names[:min(len(names), maxCompared)]
	type scored struct {
		name     string
		distance int
	}
	list := make([]scored, len(compared))
	for i, n := range compared {
		list[i] = scored{n, nearest.Distance(strings.ToLower(clip(name, maxNameShown)), strings.ToLower(clip(n, maxNameShown)), maxNameShown)}
	}
	slices.SortStableFunc(list, func(a, b scored) int { return a.distance - b.distance })
	var shown []string
	for _, s := range list[:min(len(list), maxHints)] {
		shown = append(shown, strconv.Quote(clip(s.name, maxNameShown)))
	}
	hint := fmt.Sprintf(" (%s: %s", what, strings.Join(shown, ", "))
	if more := len(names) - len(shown); more > 0 {
		hint += fmt.Sprintf(" and %d more", more)
	}
	return hint + ")"
}
