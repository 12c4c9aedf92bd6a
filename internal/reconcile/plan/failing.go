package plan

import (
	"fmt"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// If the change of a member fails, the group can go back to the state of its other members. The marks of the other members have the digest
// of that state, and an earlier commit has the manifests with that digest.

// Failing is a group that should go back because a changed member does not serve.
type Failing struct {
	Group, Member manifest.Key
	// Marked is the member whose mark records the failure. It is Member itself. If Member is a spare, which will be deleted, it is the first
	// other member.
	Marked manifest.Key
	// Digest identifies the failed state of Marked, which Marked has or would get. Refused identifies the same state in the mark of Marked.
	Digest, Refused string
	// Recalled is true if the mark of the member says that the group went back in an earlier pass.
	Recalled bool
	// Since is the time since which the member does not serve: when it started, or when it stopped serving. Limit is how long it may fail
	// to serve; 0 if the group sets no limit.
	Since time.Time
	Limit time.Duration
	Why   string

	Serving []*Step // the steps of the objects that do the work of the members that serve and were not changed yet.
	Digests Digests // the digests of the stack.
}

// ContainedIn reports whether the desired objects of a commit contain the state that the serving members have.
func (f Failing) ContainedIn(want []kind.Desired) bool {
	for _, s := range f.Serving {
		at := slices.IndexFunc(want, func(d kind.Desired) bool { return d.Key == s.Key })
		if at < 0 || !f.Digests.Applied(&want[at], s.Have.Mark) {
			return false
		}
	}
	return slices.ContainsFunc(want, func(d kind.Desired) bool { return d.Key == f.Marked })
}

// Fallback is the earlier state that a group has to have instead of its state in the repository.
type Fallback struct {
	Failing
	Commit string
	Want   []kind.Desired // the objects that the group expanded into at Commit, and the imports and data manifests (such as Secrets) to which these referred

	Parts           map[manifest.Key]bool // the objects of Want that the group expanded into
	earlierStrategy rollout.Strategy      // the group's strategy at Commit
	NewMembers      []manifest.Key        // the members that the repository describes now, and that the group did not have at Commit
}

// NewFallback returns the state of a group at a commit. The argument all has the desired objects of that commit.
func NewFallback(f Failing, commit string, all []kind.Desired) Fallback {
	parts, byKey, used := PartsOf(all, f.Group), map[manifest.Key]kind.Desired{}, map[manifest.Key]bool{}
	for _, d := range all {
		byKey[d.Key] = d
	}
	back := Fallback{Failing: f, Commit: commit, Parts: parts}
	back.Serving = nil // the steps would keep a whole plan in memory
	if group := byKey[f.Group]; group.Rollout != nil {
		back.earlierStrategy = *group.Rollout
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

// String says why the group went back, and what that means.
func (f Fallback) String() string {
	text := fmt.Sprintf("changed back to commit %.10s: %s did not serve after the change (%s); correct the template of the group, or undo the change", f.Commit, f.Member, f.Why)
	switch n := len(f.NewMembers); n {
	case 0:
	case 1:
		text += fmt.Sprintf("; until then, %s is not created", f.NewMembers[0])
	default:
		text += fmt.Sprintf("; until then, %s and %d more objects are not created", f.NewMembers[0], n-1)
	}
	return text
}

// Strategy returns the strategy of the group while it is at the earlier state. It is the present strategy with the MaxUnavailable and
// MaxSurge of that commit, so that spares exist only if the earlier strategy allowed them.
func (f Fallback) Strategy(now *rollout.Strategy) *rollout.Strategy {
	if now == nil {
		return nil
	}
	s := *now
	s.MaxUnavailable, s.MaxSurge = f.earlierStrategy.MaxUnavailable, f.earlierStrategy.MaxSurge
	return &s
}

// PartsOf returns the keys of the objects that a group expands into.
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
