package decide

import (
	"errors"
	"testing"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// A missing object is drift if the previous commit had the same manifest, and the stack owns any object.
func TestMissingSinceTheCommitBefore(t *testing.T) {
	before := func(same bool, more func(*world.Input)) func(*world.Input) {
		return func(in *world.Input) {
			sum := desired(in, "a").Sum
			if !same {
				sum = checksum.Sum{}
			}
			in.PreviousSums = map[manifest.Key]checksum.Sum{thingtest.Key("a"): sum}
			if more != nil {
				more(in)
			}
		}
	}
	repo, owned := []string{"a", "b"}, []string{"b ours"}
	decisions(t, map[string]decision{
		"wanted in the same form":  {repo: repo, cloud: owned, alter: before(true, nil), want: map[string]string{"a": "create drift", "b": "keep of-this"}},
		"wanted in another form":   {repo: repo, cloud: owned, alter: before(false, nil), want: map[string]string{"a": "create", "b": "keep of-this"}},
		"not known":                {repo: repo, cloud: owned, want: map[string]string{"a": "create", "b": "keep of-this"}},
		"of a stack without any":   {repo: repo[:1], alter: before(true, nil), want: map[string]string{"a": "create"}},
		"the stack has begun it":   {repo: repo, cloud: owned, alter: before(true, func(in *world.Input) { in.Begun[thingtest.Key("a")] = true }), want: map[string]string{"a": "create", "b": "keep of-this"}},
		"a member that was scaled": {repo: repo, cloud: owned, alter: before(true, func(in *world.Input) { desired(in, "a").Scaled = true }), want: map[string]string{"b": "keep of-this"}},
	})
}

// Objects wait for an object that they refer to and that has no manifest. If the stack created that
// object, it is kept.
func TestObjectsWithoutAManifest(t *testing.T) {
	user := []string{"user atop=base"}
	decisions(t, map[string]decision{
		"not there":           {repo: user, want: map[string]string{"base": "wait error not yet : not-in-the-repository", "user": "create after base"}},
		"being deleted":       {repo: user, cloud: []string{"base stale leaving=1"}, want: map[string]string{"base": "wait error not yet : not-in-the-repository", "user": "create after base"}},
		"the stack's":         {repo: user, cloud: []string{"base stale"}, want: map[string]string{"base": "refuse error in-use : gone-and gone still-referred-to", "user": "create"}},
		"somebody else's":     {repo: user, cloud: []string{"base nobody"}, want: map[string]string{"base": "wait error not yet : not-in-the-repository", "user": "create after base"}},
		"of several owners":   {repo: user, cloud: []string{"base stale rival=other"}, want: map[string]string{"base": "refuse error not yet : several-owners unmark-by", "user": "create after base"}},
		"the list has failed": {repo: user, alter: func(in *world.Input) { in.Have["Thing"] = kind.Collection{Err: errors.New("503")} }, want: map[string]string{"base": "wait error not yet : unlisted", "user": "wait error : unlisted"}},
	})
}
