package decide

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

func synced(in *world.Input) { in.Synced = true }

// A difference is drift if neither a commit nor an action of the stack itself explains it.
func TestDifferencesThatAreDrift(t *testing.T) {
	decisions(t, map[string]decision{
		"the same manifest was applied":                     {repo: []string{"a colour=new"}, cloud: []string{"a ours colour=old"}, want: map[string]string{"a": "update drift of-this changes colour"}},
		"another one was":                                   {repo: []string{"a colour=new"}, cloud: []string{"a stale colour=old"}, want: map[string]string{"a": "update changes colour owner-mark"}},
		"another one was, and all is in sync":               {repo: []string{"a colour=new"}, cloud: []string{"a stale colour=old"}, alter: synced, want: map[string]string{"a": "update drift changes colour owner-mark"}},
		"the agent has begun to change it":                  {repo: []string{"a colour=new"}, cloud: []string{"a ours colour=old"}, alter: all(synced, begunFor("a")), want: map[string]string{"a": "update of-this changes colour"}},
		"its mark was copied":                               {repo: []string{"a adopt=id-001 colour=new"}, cloud: []string{"a ours colour=old copied=b"}, want: map[string]string{"a": "update adopts of-this changes colour owner-mark"}},
		"it was called otherwise":                           {repo: []string{"a moved-from=Thing/x colour=new"}, cloud: []string{"x stale colour=old"}, alter: synced, want: map[string]string{"a": "update from=x : was changes colour owner-mark"}},
		"only its mark is of before":                        {repo: []string{"a colour=new"}, cloud: []string{"a stale colour=new"}, alter: synced, want: map[string]string{"a": "update drift changes owner-mark"}},
		"only its mark is of an earlier version":            {repo: []string{"a on-delete=detach"}, cloud: []string{"a ours"}, alter: all(synced, func(in *world.Input) { item(in, "a").Mark.Detach = false }), want: map[string]string{"a": "update of-this changes owner-mark"}},
		"its mark is of an earlier version, and it differs": {repo: []string{"a on-delete=detach colour=new"}, cloud: []string{"a ours colour=old"}, alter: func(in *world.Input) { item(in, "a").Mark.Detach = false }, want: map[string]string{"a": "update drift of-this changes colour owner-mark"}},
		"it is being deleted":                               {repo: []string{"a"}, cloud: []string{"a ours leaving=1"}, want: map[string]string{"a": "wait drift of-this : being-deleted recreated-when-gone"}},
		"it is being deleted, of another commit":            {repo: []string{"a"}, cloud: []string{"a stale leaving=1"}, want: map[string]string{"a": "wait : being-deleted recreated-when-gone"}},
		"it is being deleted, and all is in sync":           {repo: []string{"a"}, cloud: []string{"a stale leaving=1"}, alter: synced, want: map[string]string{"a": "wait drift : being-deleted recreated-when-gone"}},
		"it is being deleted, and the agent does that":      {repo: []string{"a"}, cloud: []string{"a ours leaving=1"}, alter: begunFor("a"), want: map[string]string{"a": "wait of-this : being-deleted recreated-when-gone"}},
		"it has failed":                                     {repo: []string{"a"}, cloud: []string{"a ours failed=yes"}, want: map[string]string{"a": "replace drift of-this : failed changes health"}},
		"it has failed, of another commit":                  {repo: []string{"a"}, cloud: []string{"a stale failed=yes"}, want: map[string]string{"a": "replace : failed changes health"}},
		"it has failed, and was begun":                      {repo: []string{"a"}, cloud: []string{"a ours failed=yes"}, alter: begunFor("a"), want: map[string]string{"a": "replace of-this : failed changes health"}},
		"it has failed, and only an entry is left":          {repo: []string{"a"}, cloud: []string{"a ours failed=yes"}, alter: all(replaceRefused, func(in *world.Input) { item(in, "a").Empty = true }), want: map[string]string{"a": "replace unused of-this : failed"}},
		"it has failed before anybody used it":              {repo: []string{"a"}, cloud: []string{"a ours failed=yes"}, alter: all(replaceRefused, madeAs("a", "id-001")), want: map[string]string{"a": "replace unused of-this : failed"}},
		"another one was made, and it has failed":           {repo: []string{"a"}, cloud: []string{"a ours failed=yes"}, alter: all(replaceRefused, madeAs("a", "id-009")), want: map[string]string{"a": "refuse error of-this : failed maybe-used changes health"}},
		"it has failed, and is in use":                      {repo: []string{"a"}, cloud: []string{"a ours failed=yes used=yes"}, alter: all(replaceRefused, madeAs("a", "id-001")), want: map[string]string{"a": "refuse error of-this : failed maybe-used changes health"}},
		"it has failed, and outlives its manifest":          {repo: []string{"a prune=false"}, cloud: []string{"a ours failed=yes"}, want: map[string]string{"a": "refuse error of-this : failed maybe-used changes health"}},
		"it has failed, and is detached then":               {repo: []string{"a on-delete=detach"}, cloud: []string{"a ours failed=yes"}, want: map[string]string{"a": "refuse error of-this : failed maybe-used changes health"}},
		"it has failed, and may be replaced all the same":   {repo: []string{"a on-delete=detach replace=allow"}, cloud: []string{"a ours failed=yes"}, want: map[string]string{"a": "replace drift of-this : failed changes health"}},
		"it has failed, and must not be replaced":           {repo: []string{"a replace=refuse"}, cloud: []string{"a ours failed=yes"}, want: map[string]string{"a": "refuse error of-this : failed maybe-used changes health"}},
		"it is being built":                                 {repo: []string{"a colour=new"}, cloud: []string{"a ours building=1"}, want: map[string]string{"a": "wait of-this : reported"}},
		"it is unwell":                                      {repo: []string{"a"}, cloud: []string{"a ours down=stopped"}, want: map[string]string{"a": "keep of-this : reported"}},
		"it is suspended":                                   {repo: []string{"a suspend=true colour=new"}, cloud: []string{"a stale colour=old"}, want: map[string]string{"a": "keep : suspended aside colour"}},
		"it is suspended and being built":                   {repo: []string{"a suspend=true colour=new"}, cloud: []string{"a stale colour=old building=1"}, want: map[string]string{"a": "keep : suspended"}},
		"it is suspended, and its mark is disputed":         {repo: []string{"a suspend=true"}, cloud: []string{"a ours rival=other"}, want: map[string]string{"a": "keep : suspended several-owners unmark-by"}},
	})
}

// madeAs records an object that this process has created and not seen usable.
func madeAs(name, id string) func(*world.Input) {
	return func(in *world.Input) { in.Made[thingtest.Key(name).String()] = id }
}

// A difference is no drift if the target of the field's reference has changed.
func TestDifferencesThatFollow(t *testing.T) {
	decisions(t, map[string]decision{
		"its target is not there":                               {repo: []string{"b", "a near=b"}, cloud: []string{"a ours near=id-009"}, want: map[string]string{"a": "update of-this changes near after b", "b": "create"}},
		"its target is replaced":                                {repo: []string{"b shape=new", "a near=b"}, cloud: []string{"x nobody", "b stale shape=old", "a ours near=id-001"}, want: map[string]string{"a": "update of-this follows changes near", "b": "replace : fixed-field changes shape owner-mark"}},
		"its target is there":                                   {repo: []string{"b", "a near=b"}, cloud: []string{"x nobody", "b ours created=10", "a ours near=id-001 updated=11"}, want: map[string]string{"a": "update drift of-this changes near", "b": "keep of-this"}},
		"its target was made after it changed":                  {repo: []string{"b", "a near=b"}, cloud: []string{"x nobody", "b ours created=12", "a ours near=id-001 updated=11"}, want: map[string]string{"a": "update of-this changes near", "b": "keep of-this"}},
		"its target was made, and nobody knows when it changed": {repo: []string{"b", "a near=b"}, cloud: []string{"x nobody", "b ours created=12", "a ours near=id-001"}, want: map[string]string{"a": "update drift of-this changes near", "b": "keep of-this"}},
		"an import was made after it changed":                   {repo: []string{"b import=b", "a near=b"}, cloud: []string{"x nobody", "b nobody created=12", "a ours near=id-001 updated=11"}, want: map[string]string{"a": "update drift of-this changes near", "b": "keep"}},
		"another field differs":                                 {repo: []string{"b", "a near=b colour=new"}, cloud: []string{"b ours created=12", "a ours near=id-001 colour=old updated=11"}, want: map[string]string{"a": "update drift of-this changes colour", "b": "keep of-this"}},
		"it only comes after its target":                        {repo: []string{"b", "a colour=new"}, cloud: []string{"b ours created=12", "a ours colour=old updated=11"}, alter: alsoRefers("a", kind.RefSpec{Field: "spec.resource.colour", Key: thingtest.Key("b"), Order: true}), want: map[string]string{"a": "update drift of-this changes colour", "b": "keep of-this"}},
		"a part of the field refers to it":                      {repo: []string{"b", "a colour=new"}, cloud: []string{"b ours created=12", "a ours colour=old updated=11"}, alter: alsoRefers("a", kind.RefSpec{Field: "spec.resource.colour[0]", Key: thingtest.Key("b")}), want: map[string]string{"a": "update of-this changes colour", "b": "keep of-this"}},
		"it refers to data": {repo: []string{"flock b count=0", "a colour=new"}, cloud: []string{"a ours colour=old"}, alter: func(in *world.Input) {
			for _, d := range in.Want {
				if d.Virtual {
					alsoRefers("a", kind.RefSpec{Field: "spec.resource.colour", Key: d.Key})(in)
				}
			}
		}, want: map[string]string{"a": "update drift of-this changes colour"}},
		"it refers to nothing that is known": {repo: []string{"a colour=new"}, cloud: []string{"a ours colour=old"}, alter: alsoRefers("a", kind.RefSpec{Field: "spec.resource.colour", Key: thingtest.Key("z")}), want: map[string]string{"a": "update drift of-this changes colour"}},
	})
}

// If a target is gone, and the cloud has removed the reference to it, the difference is no drift.
func TestWhatIsBereftHasNotDrifted(t *testing.T) {
	repo, cloud := []string{"b", "a near=b colour=new"}, "a ours colour=old"
	decisions(t, map[string]decision{
		"its target is gone":             {repo: repo, cloud: []string{cloud}, want: map[string]string{"a": "update of-this changes colour near after b", "b": "create"}},
		"its target is there":            {repo: repo, cloud: []string{"b ours", cloud}, want: map[string]string{"a": "update drift of-this changes colour near", "b": "keep of-this"}},
		"its target is disputed":         {repo: repo, cloud: []string{"b ours rival=other", cloud}, want: map[string]string{"a": "update drift of-this changes colour near after b", "b": "refuse error : several-owners unmark-by"}},
		"its target is only used":        {repo: []string{"b import=b", "a near=b colour=new"}, cloud: []string{cloud}, want: map[string]string{"a": "update drift of-this changes colour near after b", "b": "wait error not yet : no-such-name nearest-names"}},
		"it only comes after its target": {repo: []string{"b", "a colour=new"}, cloud: []string{cloud}, alter: alsoRefers("a", kind.RefSpec{Key: thingtest.Key("b"), Order: true}), want: map[string]string{"a": "update drift of-this changes colour after b", "b": "create"}},
		"its target is another kind, which is unknown": {repo: []string{"b", "a colour=new"}, cloud: []string{cloud}, alter: func(in *world.Input) {
			other := *desired(in, "b")
			other.Key.Kind = "Other"
			in.Kinds = append(in.Kinds, define("Other"))
			in.Want = append([]kind.Desired{other}, in.Want...)
			alsoRefers("a", kind.RefSpec{Key: other.Key})(in)
		}, want: map[string]string{"a": "update drift of-this changes colour after b", "b": "wait : not-looked-up; create"}},
		"its target is another kind, whose list failed": {repo: []string{"b", "a colour=new"}, cloud: []string{cloud}, alter: func(in *world.Input) {
			other := *desired(in, "b")
			other.Key.Kind = "Other"
			in.Kinds = append(in.Kinds, define("Other"))
			in.Have["Other"] = kind.Collection{Err: kind.ErrForbidden}
			in.Want = append([]kind.Desired{other}, in.Want...)
			alsoRefers("a", kind.RefSpec{Key: other.Key})(in)
		}, want: map[string]string{"a": "update drift of-this changes colour after b", "b": "wait error : unlisted; create"}},
		"it refers to nothing that is known": {repo: []string{"a colour=new"}, cloud: []string{cloud}, alter: alsoRefers("a", kind.RefSpec{Key: thingtest.Key("z")}), want: map[string]string{"a": "update drift of-this changes colour"}},
		"its target is a group": {repo: []string{"flock b count=0", "a colour=new"}, cloud: []string{cloud}, alter: func(in *world.Input) {
			for _, d := range in.Want {
				if d.Virtual {
					alsoRefers("a", kind.RefSpec{Key: d.Key})(in)
				}
			}
		}, want: map[string]string{"a": "update drift of-this changes colour"}},
	})
}
