package plan

import (
	"fmt"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// A group whose change does not work can go back to what its other members still are. Their marks say what that
// is, by a digest, and the repository's history has the manifests of which that is the digest.

// Failing is a group that shall go back because a member that was changed does not serve.
type Failing struct {
	Group, Member manifest.Key
	// Noted is the member whose mark remembers it: the same one, or the first one for a spare, which goes.
	Noted manifest.Key
	// Digest stands for what that was or would be changed to, Refused for the same in its mark.
	Digest, Refused string
	// Recalled is true of a group that went back before, as the mark of the member says.
	Recalled bool
	// Since is when the member began to work, Limit how long it may not serve; 0 where the group does not say.
	Since time.Time
	Limit time.Duration
	Why   string

	Serving []*Step // the work of those members that serve and were not changed yet
	Digests Digests // of its stack
}

// MadeBy reports whether what a commit wanted is what the members are that serve.
func (f Failing) MadeBy(want []kind.Desired) bool {
	for _, s := range f.Serving {
		at := slices.IndexFunc(want, func(d kind.Desired) bool { return d.Key == s.Key })
		if at < 0 || !f.Digests.Applied(&want[at], s.Have.Mark) {
			return false
		}
	}
	return slices.ContainsFunc(want, func(d kind.Desired) bool { return d.Key == f.Noted })
}

// Fallback is what a group is kept at instead of what the repository wants of it.
type Fallback struct {
	Failing
	Commit string
	Want   []kind.Desired // what the group stood for, and what that used and was not managed

	Parts map[manifest.Key]bool // of Want, those that the group stood for
	then  rollout.Strategy      // how it changed them
	Lacks []manifest.Key        // the members that the repository wants of it and that it did not have
}

// NewFallback is what a group was at a commit, which wanted all this.
func NewFallback(f Failing, commit string, all []kind.Desired) Fallback {
	parts, byKey, used := PartsOf(all, f.Group), map[manifest.Key]kind.Desired{}, map[manifest.Key]bool{}
	for _, d := range all {
		byKey[d.Key] = d
	}
	back := Fallback{Failing: f, Commit: commit, Parts: parts}
	back.Serving = nil // which keeps a whole plan alive
	if group := byKey[f.Group]; group.Rollout != nil {
		back.then = *group.Rollout
	}
	for _, d := range all {
		if !parts[d.Key] {
			continue
		}
		for _, ref := range d.Refs {
			if on, ok := byKey[ref.Key]; ok && !parts[ref.Key] && !used[ref.Key] && (on.Unmanaged || on.Data != nil) {
				used[ref.Key], back.Want = true, append(back.Want, on)
			}
		}
		back.Want = append(back.Want, d)
	}
	return back
}

// String says why, and what becomes of it.
func (f Fallback) String() string {
	text := fmt.Sprintf("went back to what it was at commit %.10s: %s did not serve after it was changed (%s); correct its template, or undo the change", f.Commit, f.Member, f.Why)
	switch n := len(f.Lacks); n {
	case 0:
	case 1:
		text += fmt.Sprintf("; %s is not made before that", f.Lacks[0])
	default:
		text += fmt.Sprintf("; %s and %d more are not made before that", f.Lacks[0], n-1)
	}
	return text
}

// Strategy is how the group changes its members meanwhile: as the repository says now, and as many at a time as it said then. Further
// members that are new in the strategy are not there to stand in for others.
func (f Fallback) Strategy(now *rollout.Strategy) *rollout.Strategy {
	if now == nil {
		return nil
	}
	s := *now
	s.MaxUnavailable, s.MaxSurge = f.then.MaxUnavailable, f.then.MaxSurge
	return &s
}

// PartsOf are the objects that a group stands for.
func PartsOf(want []kind.Desired, group manifest.Key) map[manifest.Key]bool {
	parents, parts := map[manifest.Key]manifest.Key{}, map[manifest.Key]bool{}
	for _, d := range want {
		parents[d.Key] = d.Parent
	}
	for _, d := range want {
		for at, depth := d.Parent, 0; at != (manifest.Key{}) && depth < len(parents); at, depth = parents[at], depth+1 {
			if at == group {
				parts[d.Key] = true
				break
			}
		}
	}
	return parts
}
