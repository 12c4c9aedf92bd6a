package plan

import (
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
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
