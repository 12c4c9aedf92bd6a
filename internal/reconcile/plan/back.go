package plan

import (
	"fmt"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// A group whose change does not work can go back to the state of its other members. Their marks have the digest of that state, and the history of the
// repository has the manifests with that digest.

// Failing is a group that should go back because a changed member does not serve.
type Failing struct {
	Group, Member manifest.Key
	// Noted is the member whose mark remembers this. It is Member itself, or the first other member if that is a spare, which will go.
	Noted manifest.Key
	// Digest stands for the state that Noted was changed to, or would be. Refused stands for the same in its mark.
	Digest, Refused string
	// Recalled is true of a group that went back before, as the mark of the member says.
	Recalled bool
	// Since is when the time without service begins: when the member began to work, or ceased to serve. Limit is how long it may last; 0 where the
	// group does not say.
	Since time.Time
	Limit time.Duration
	Why   string

	Serving []*Step // the objects that do the work of those members that serve and were not changed yet
	Digests Digests // of the stack
}

// MadeBy reports whether a commit wanted the state that the serving members have.
func (f Failing) MadeBy(want []kind.Desired) bool {
	for _, s := range f.Serving {
		at := slices.IndexFunc(want, func(d kind.Desired) bool { return d.Key == s.Key })
		if at < 0 || !f.Digests.Applied(&want[at], s.Have.Mark) {
			return false
		}
	}
	return slices.ContainsFunc(want, func(d kind.Desired) bool { return d.Key == f.Noted })
}

// Fallback is the state that a group is kept at instead of the one in the repository.
type Fallback struct {
	Failing
	Commit string
	Want   []kind.Desired // the objects that the group stood for, and the unmanaged objects and data that these used

	Parts map[manifest.Key]bool // those of Want that the group stood for
	then  rollout.Strategy      // how the group changed them
	Lacks []manifest.Key        // the members that the repository wants now and the group did not have then
}

// NewFallback is the state of a group at a commit. all are the desired objects of that commit.
func NewFallback(f Failing, commit string, all []kind.Desired) Fallback {
	parts, byKey, used := PartsOf(all, f.Group), map[manifest.Key]kind.Desired{}, map[manifest.Key]bool{}
	for _, d := range all {
		byKey[d.Key] = d
	}
	back := Fallback{Failing: f, Commit: commit, Parts: parts}
	back.Serving = nil // it would keep a whole plan alive
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

// String says why the group went back, and what that means.
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

// Strategy is how the group changes its members meanwhile: by its present strategy, with the limits of that time on how many are away at once. Spares
// that only the present strategy allows do not exist for it.
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
