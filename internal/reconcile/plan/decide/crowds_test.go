package decide

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// keepsApart makes Things of the weight "hard" or "soft" keepers: each host may have only one of the objects that
// refer to such a Thing.
func keepsApart(in *world.Input) {
	by := func(weight string) (int, bool) {
		if weight == "hard" || weight == "soft" {
			return 1, weight == "hard"
		}
		return 0, true
	}
	in.Kinds[0].PerHost = func(w kind.Want) (int, bool) { return by(w.Spec.(*thingtest.Spec).Weight) }
	in.Kinds[0].PerHostOf = func(have any) (int, bool) { return by(have.(*thingtest.Thing).Weight) }
}

// on places things on hosts. pairs alternates the name of a thing and its host.
func on(pairs ...string) func(*world.Input) {
	return func(in *world.Input) {
		keepsApart(in)
		for i := 0; i < len(pairs); i += 2 {
			item(in, pairs[i]).HostID = pairs[i+1]
		}
	}
}

// If objects share a host although a keeper forbids that, their steps are reported as crowded, and do not change.
func TestCrowdedObjectsAreTold(t *testing.T) {
	repo := []string{"hub weight=hard", "a near=hub", "b near=hub", "c"}
	cloud := []string{"hub ours weight=hard", "a ours near=id-001", "b ours near=id-001", "c ours"}
	soft := []string{"hub weight=soft", "a near=hub", "b near=hub"}
	decisions(t, map[string]decision{
		"on one host":                        {repo: repo, cloud: cloud, alter: on("a", "h", "b", "h", "c", "h"), want: map[string]string{"a": "keep of-this crowded", "b": "keep of-this crowded", "c": "keep of-this", "hub": "keep of-this"}},
		"on two":                             {repo: repo, cloud: cloud, alter: on("a", "h", "b", "i"), want: map[string]string{"a": "keep of-this", "b": "keep of-this", "c": "keep of-this", "hub": "keep of-this"}},
		"nothing keeps them apart":           {repo: []string{"hub", "a near=hub", "b near=hub"}, cloud: []string{"hub ours", "a ours near=id-001", "b ours near=id-001"}, alter: on("a", "h", "b", "h"), want: map[string]string{"a": "keep of-this", "b": "keep of-this", "hub": "keep of-this"}},
		"one refers to it twice":             {repo: []string{"hub weight=hard", "a near=hub atop=hub"}, cloud: []string{"hub ours weight=hard", "a ours near=id-001 atop=id-001"}, alter: on("a", "h"), want: map[string]string{"a": "keep of-this", "hub": "keep of-this"}},
		"one is about to be replaced":        {repo: []string{"hub weight=hard", "a near=hub shape=new", "b near=hub"}, cloud: []string{"hub ours weight=hard", "a stale near=id-001 shape=old", "b ours near=id-001"}, alter: on("a", "h", "b", "h"), want: map[string]string{"a": "replace : fixed-field changes shape owner-mark", "b": "keep of-this", "hub": "keep of-this"}},
		"one is changed in place":            {repo: []string{"hub weight=hard", "a near=hub colour=new", "b near=hub"}, cloud: []string{"hub ours weight=hard", "a stale near=id-001 colour=old", "b ours near=id-001"}, alter: on("a", "h", "b", "h"), want: map[string]string{"a": "update crowded changes colour owner-mark", "b": "keep of-this crowded", "hub": "keep of-this"}},
		"one has no manifest any more":       {repo: repo[:2], cloud: cloud[:3], alter: on("a", "h", "b", "h"), want: map[string]string{"a": "keep of-this", "b": "delete : gone", "hub": "keep of-this"}},
		"one is a half-made copy":            {repo: repo[:2], cloud: []string{"hub ours weight=hard", "a ours near=id-001 created=10", "x half as=a created=11"}, alter: on("a", "h", "x", "h"), want: map[string]string{"a": "delete surplus : half-made; keep of-this", "hub": "keep of-this"}},
		"one is left as it is":               {repo: []string{"hub weight=hard", "a near=hub", "flock f count=1 from=1 shape=new atop=hub"}, cloud: []string{"hub ours weight=hard", "a ours near=id-001", "f-0 stale shape=old atop=id-001"}, alter: on("a", "h", "f-0", "h"), want: map[string]string{"a": "keep of-this", "f-0": "keep frozen : left-partition aside shape", "hub": "keep of-this"}},
		"what keeps them apart is not there": {repo: repo, cloud: []string{"x nobody", "a ours", "b ours", "c ours"}, alter: on("a", "h", "b", "h"), want: map[string]string{"a": "update of-this changes near after hub", "b": "update of-this changes near after hub", "c": "keep of-this", "hub": "create"}},
		"what keeps them apart is only used": {repo: []string{"hub import=x", "a near=hub", "b near=hub"}, cloud: []string{"x nobody weight=hard", "a ours near=id-001", "b ours near=id-001"}, alter: on("a", "h", "b", "h"), want: map[string]string{"a": "keep of-this crowded", "b": "keep of-this crowded", "hub": "keep"}},
		"what does not is only used":         {repo: []string{"hub import=x", "a near=hub", "b near=hub"}, cloud: []string{"x nobody", "a ours near=id-001", "b ours near=id-001"}, alter: on("a", "h", "b", "h"), want: map[string]string{"a": "keep of-this", "b": "keep of-this", "hub": "keep"}},
		"only as far as there are hosts":     {repo: soft, cloud: []string{"hub ours weight=soft", "a ours near=id-001", "b ours near=id-001"}, alter: on("a", "h", "b", "h"), want: map[string]string{"a": "keep of-this", "b": "keep of-this", "hub": "keep of-this notes spec.resource.policy"}},
		"what kept others apart goes":        {repo: []string{"a", "b"}, cloud: []string{"hub stale weight=hard", "a ours", "b ours"}, alter: on("a", "h", "b", "h"), want: map[string]string{"a": "keep of-this", "b": "keep of-this", "hub": "delete : gone"}},
	})
}

// A note names the first few of a crowd, and says how many more there are.
func TestCrowdsAreNamed(t *testing.T) {
	for n, want := range map[int]struct {
		named int
		more  string
	}{1: {1, ""}, 4: {4, ""}, 5: {4, " and 1 more"}, 9: {4, " and 5 more"}} {
		var crowd []*plan.Step
		for range n {
			crowd = append(crowd, &plan.Step{Key: manifest.Key{Kind: "Thing", Name: "x"}})
		}
		text := crowdNames(crowd)
		if strings.Count(text, "Thing/x") != want.named || !strings.HasSuffix(text, "Thing/x"+want.more) {
			t.Errorf("%d: %s", n, text)
		}
	}
}
