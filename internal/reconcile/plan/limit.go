package plan

import (
	"path"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Target names the objects to which a plan is limited. Kind may be in upper or lower case. In Namespace and Name, * stands for any text.
type Target struct{ Kind, Namespace, Name string }

// String returns the target as Kind/name or Kind/namespace/name.
func (t Target) String() string {
	return manifest.Key{Kind: t.Kind, Namespace: t.Namespace, Name: t.Name}.String()
}

// Names reports whether the key is one of the named objects.
func (t Target) Names(key manifest.Key) bool {
	return strings.EqualFold(t.Kind, key.Kind) && matches(t.Namespace, key.Namespace) && matches(t.Name, key.Name)
}

func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// Limit says to which objects a plan is limited.
type Limit struct {
	Targets []string // the names of the objects, as people wrote them, sorted
	// Missing are the targets that name no object. The plan writes nothing if there are any.
	Missing []string
}

// Leaving returns the step of an object that a limited plan leaves out. Nothing is done about the object, and nothing waits for it.
func (s Step) Leaving() Step {
	s.FollowsReference, s.Upkeep, s.Settles = false, nil, nil
	if s.Silent() {
		return s
	}
	s.Left, s.Uncounted = s.Action, s.Changes
	s.Action, s.Changes, s.Causes, s.Order = Keep, nil, s.CauseList(), Order{}
	s.Drift, s.Error, s.Adopts, s.Healing, s.Bound = false, false, false, false, nil
	return s
}
