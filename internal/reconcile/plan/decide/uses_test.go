package decide

import (
	"errors"
	"slices"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// held makes Things a kind whose objects the cloud does not delete while they are in use.
func held(in *world.Input) { in.Kinds[0].Info.KeptWhileUsed = true }

// loosely makes the cloud detach an object from every object that it uses, when the used object is deleted.
func loosely(name string) func(*world.Input) {
	return func(in *world.Input) { l := item(in, name); l.AutoDetached = slices.Clone(l.Uses) }
}

// An object that stays in use is neither deleted nor replaced, and steps that would have followed are not
// planned.
func TestWhatStaysInUse(t *testing.T) {
	decisions(t, map[string]decision{
		"what is deleted is used by what stays":                  {repo: []string{"a suspend=true"}, cloud: []string{"b stale", "a ours atop=id-001"}, want: map[string]string{"a": "keep of-this : suspended aside atop", "b": "refuse error in-use : gone-and gone cannot-be-deleted user-because suspended"}},
		"by what is kept without a manifest":                     {cloud: []string{"b stale", "a keep atop=id-001"}, want: map[string]string{"a": "keep : gone left-as-asked", "b": "refuse error in-use : gone-and gone cannot-be-deleted user-because gone left-as-asked"}},
		"by what is detached":                                    {cloud: []string{"b stale", "a detach atop=id-001"}, want: map[string]string{"a": "keep : gone mark-held holds-back", "b": "refuse error in-use : gone-and gone cannot-be-deleted user-let-go"}},
		"by what is deleted":                                     {cloud: []string{"b stale", "a stale atop=id-001"}, want: map[string]string{"a": "delete : gone", "b": "delete : gone used by Thing/a"}},
		"by what is changed to use it no more":                   {cloud: []string{"b stale", "a ours near=id-001"}, repo: []string{"a"}, want: map[string]string{"a": "update drift of-this changes near", "b": "delete : gone used by Thing/a"}},
		"by what is disputed":                                    {repo: []string{"a suspend=true"}, cloud: []string{"b stale", "a ours rival=other near=id-001"}, want: map[string]string{"a": "keep : suspended several-owners unmark-by", "b": "delete : gone used by Thing/a"}},
		"by what is changed, and is refused itself":              {repo: []string{"a near=c shape=new", "c shape=new replace=refuse"}, cloud: []string{"b stale", "c stale shape=old", "a stale near=id-001 shape=old"}, want: map[string]string{"a": "replace : fixed-field changes shape near owner-mark", "b": "delete : gone used by Thing/a", "c": "refuse : barred changes shape owner-mark"}},
		"by its token":                                           {repo: []string{"a near=c", "c"}, cloud: []string{"b stale", "c ours", "a keep near=address"}, alter: func(in *world.Input) { item(in, "b").Tokens = []string{"address"} }, want: map[string]string{"a": "update changes near owner-mark", "b": "delete : gone used by Thing/a", "c": "keep of-this"}},
		"by itself":                                              {cloud: []string{"b stale beside=id-001"}, want: map[string]string{"b": "delete : gone"}},
		"what is replaced is used by a fixed reference":          {repo: []string{"b shape=new", "a atop=b replace=refuse"}, cloud: []string{"b stale shape=old", "a ours atop=id-001"}, want: map[string]string{"a": "keep of-this", "b": "refuse error : cannot-be-replaced fixed-field user-because barred replace-together changes shape owner-mark"}},
		"by a changeable one":                                    {repo: []string{"b shape=new", "a near=b"}, cloud: []string{"b stale shape=old", "a ours near=id-001"}, want: map[string]string{"a": "keep of-this follows", "b": "replace : fixed-field changes shape owner-mark"}},
		"by a changeable one, of what is suspended":              {repo: []string{"b shape=new", "a near=b suspend=true"}, cloud: []string{"b stale shape=old", "a ours near=id-001"}, want: map[string]string{"a": "keep of-this follows : suspended", "b": "replace : fixed-field changes shape owner-mark"}},
		"by a fixed one, of what is suspended":                   {repo: []string{"b shape=new", "a atop=b suspend=true"}, cloud: []string{"b stale shape=old", "a ours atop=id-001"}, want: map[string]string{"a": "keep of-this : suspended", "b": "refuse error : cannot-be-replaced fixed-field user-because suspended replace-together changes shape owner-mark"}},
		"by a changeable one, and the cloud deletes none in use": {repo: []string{"b shape=new", "a near=b suspend=true"}, cloud: []string{"b stale shape=old", "a ours near=id-001"}, alter: held, want: map[string]string{"a": "keep of-this : suspended", "b": "refuse error : cannot-be-replaced fixed-field user-because suspended use-another changes shape owner-mark"}},
		"and the cloud takes it off":                             {repo: []string{"b shape=new", "a near=b suspend=true"}, cloud: []string{"b stale shape=old", "a ours near=id-001"}, alter: all(held, loosely("a")), want: map[string]string{"a": "keep of-this follows : suspended", "b": "replace : fixed-field changes shape owner-mark"}},
		"and it has only to come first":                          {repo: []string{"b shape=new", "a suspend=true"}, cloud: []string{"b stale shape=old", "a ours near=id-001"}, alter: all(held, alsoRefers("a", kind.RefSpec{Key: thingtest.Key("b"), Order: true})), want: map[string]string{"a": "keep of-this follows : suspended aside near", "b": "replace : fixed-field changes shape owner-mark"}},
		"it keeps its ID":                                        {repo: []string{"b shape=new", "a atop=b suspend=true"}, cloud: []string{"b stale shape=old", "a ours atop=id-001"}, alter: func(in *world.Input) { in.Kinds[0].Info.IDIsName = true }, want: map[string]string{"a": "keep of-this follows : suspended", "b": "replace : fixed-field changes shape owner-mark"}},
		"by what has no manifest and stays":                      {repo: []string{"b shape=new"}, cloud: []string{"b stale shape=old", "a keep near=id-001"}, want: map[string]string{"a": "keep : gone left-as-asked", "b": "refuse error : cannot-be-replaced fixed-field user-because gone left-as-asked replace-together changes shape owner-mark"}},
		"by what its group freezes":                              {repo: []string{"flock f count=1 from=1 shape=new"}, cloud: []string{"b stale", "f-0 stale shape=old near=id-001"}, want: map[string]string{"b": "keep frozen : gone kept-for-group", "f-0": "keep frozen : left-partition aside shape near"}},
		"replaced, by what its group freezes":                    {repo: []string{"b shape=new", "flock f count=1 from=1 shape=new atop=b"}, cloud: []string{"b stale shape=old", "f-0 stale shape=old atop=id-001"}, want: map[string]string{"b": "refuse error : cannot-be-replaced fixed-field user-because left-partition replace-together changes shape owner-mark", "f-0": "keep frozen : left-partition aside shape"}},
		"by what is used by what its group freezes":              {repo: []string{"flock f count=1 from=1 shape=new"}, cloud: []string{"c stale", "b stale near=id-001", "f-0 stale shape=old near=id-002"}, want: map[string]string{"b": "keep frozen : gone kept-for-group", "c": "keep frozen : gone kept-for-user", "f-0": "keep frozen : left-partition aside shape near"}},
	})
}

// A deletion waits for users that are deleted, too. In a circle, it does not wait for users that the cloud
// itself detaches.
func TestWhoHasToGoFirst(t *testing.T) {
	decisions(t, map[string]decision{
		"two of one name":                          {cloud: []string{"b stale", "a stale near=id-001", "a stale as=c near=id-001"}, want: map[string]string{"a": "delete : gone", "b": "delete : gone used by Thing/a", "c": "delete : gone"}},
		"in the order of numbers":                  {cloud: []string{"b stale", "a-10 stale near=id-001", "a-9 stale near=id-001"}, want: map[string]string{"a-10": "delete : gone", "a-9": "delete : gone", "b": "delete : gone used by Thing/a-9 Thing/a-10"}},
		"without a name":                           {cloud: []string{"b stale", "a stale near=id-001"}, alter: func(in *world.Input) { item(in, "a").Name = "" }, want: map[string]string{"a": "delete : gone", "b": "delete : gone used by Thing/id-002"}},
		"both use each other":                      {cloud: []string{"b stale near=id-002", "a stale near=id-001"}, want: map[string]string{"a": "delete : gone used by Thing/b", "b": "delete : gone used by Thing/a"}},
		"both use each other loosely":              {cloud: []string{"b stale beside=id-002", "a stale beside=id-001"}, want: map[string]string{"a": "delete : gone", "b": "delete : gone"}},
		"both are detached":                        {cloud: []string{"b detach near=id-002", "a detach near=id-001"}, want: map[string]string{"a": "detach : let-go", "b": "detach : let-go"}},
		"one is detached, and its user goes":       {cloud: []string{"b detach", "a stale near=id-001"}, want: map[string]string{"a": "delete : gone", "b": "detach : let-go used by Thing/a"}},
		"one is detached, and so is its user":      {cloud: []string{"b detach", "a detach near=id-001"}, want: map[string]string{"a": "detach : let-go", "b": "detach : let-go used by Thing/a"}},
		"one is detached, and its user stays":      {repo: []string{"a near=c", "c"}, cloud: []string{"b detach", "c ours", "a ours near=id-001"}, want: map[string]string{"a": "update drift of-this changes near", "b": "detach : let-go", "c": "keep of-this"}},
		"it uses itself":                           {cloud: []string{"b stale near=id-001"}, want: map[string]string{"b": "delete : gone"}},
		"both are replaced":                        {repo: []string{"b shape=new", "a atop=b shape=new"}, cloud: []string{"b stale shape=old", "a stale shape=old atop=id-001"}, want: map[string]string{"a": "replace follows : fixed-field changes shape owner-mark atop[0]", "b": "replace : fixed-field changes shape owner-mark used by Thing/a"}},
		"one is replaced, and its user is changed": {repo: []string{"b shape=new", "a near=b"}, cloud: []string{"b stale shape=old", "a stale near=id-001"}, want: map[string]string{"a": "update follows changes owner-mark", "b": "replace : fixed-field changes shape owner-mark"}},
		"members of a group are":                   {repo: []string{"b shape=new", "flock f count=2 atop=b shape=new"}, cloud: []string{"b stale shape=old", "f-0 stale shape=old atop=id-001", "f-1 stale shape=old atop=id-001"}, want: map[string]string{"b": "replace : fixed-field changes shape owner-mark used by Thing/f-0 Thing/f-1", "f-0": "replace follows : fixed-field changes shape owner-mark atop[0]", "f-1": "replace follows : fixed-field changes shape owner-mark atop[0]"}},
		"members that use it loosely":              {repo: []string{"b shape=new", "flock f count=2 atop=b shape=new"}, cloud: []string{"b stale shape=old", "f-0 stale shape=old atop=id-001", "f-1 stale shape=old atop=id-001"}, alter: all(loosely("f-0"), loosely("f-1")), want: map[string]string{"b": "replace : fixed-field changes shape owner-mark", "f-0": "replace follows : fixed-field changes shape owner-mark atop[0] after b", "f-1": "replace follows : fixed-field changes shape owner-mark atop[0] after b"}},
		"a single object uses it loosely":          {repo: []string{"b shape=new", "a atop=b shape=new"}, cloud: []string{"b stale shape=old", "a stale shape=old atop=id-001"}, alter: loosely("a"), want: map[string]string{"a": "replace follows : fixed-field changes shape owner-mark atop[0]", "b": "replace : fixed-field changes shape owner-mark used by Thing/a"}},
	})
}

// An object waits for the objects that it refers to, unless such an object exists and stays, or the
// reference can be written later.
func TestWhatStepsWaitFor(t *testing.T) {
	decisions(t, map[string]decision{
		"a new one for a new one":                             {repo: []string{"b", "a near=b"}, want: map[string]string{"a": "create after b", "b": "create"}},
		"twice for one":                                       {repo: []string{"b", "a near=b atop=b"}, want: map[string]string{"a": "create after b", "b": "create"}},
		"a new one for what is there":                         {repo: []string{"b", "a near=b"}, cloud: []string{"b ours"}, want: map[string]string{"a": "create", "b": "keep of-this"}},
		"a new one for what is built":                         {repo: []string{"b", "a near=b"}, cloud: []string{"b ours building=1"}, want: map[string]string{"a": "create after b", "b": "wait of-this : reported"}},
		"a new one for what is replaced":                      {repo: []string{"b shape=new", "a near=b"}, cloud: []string{"b stale shape=old"}, want: map[string]string{"a": "create follows after b", "b": "replace : fixed-field changes shape owner-mark"}},
		"a change for what is replaced":                       {repo: []string{"b shape=new", "a near=b colour=new"}, cloud: []string{"b stale shape=old", "a stale near=id-001 colour=old"}, want: map[string]string{"a": "update follows changes colour owner-mark", "b": "replace : fixed-field changes shape owner-mark"}},
		"a new one for a late one":                            {repo: []string{"b", "a beside=b"}, want: map[string]string{"a": "create after b", "b": "create"}},
		"a new one for a late one and for one like any other": {repo: []string{"b", "a beside=b near=b"}, want: map[string]string{"a": "create after b", "b": "create"}},
		"a new one for itself":                                {repo: []string{"a beside=a"}, want: map[string]string{"a": "create"}},
		"two that are beside each other":                      {repo: []string{"b beside=a", "a beside=b"}, want: map[string]string{"a": "create : without-late", "b": "create : without-late"}},
		"one of them is there":                                {repo: []string{"b beside=a", "a beside=b"}, cloud: []string{"b ours"}, want: map[string]string{"a": "create", "b": "update of-this changes beside after a"}},
		"one of them is on its way out":                       {repo: []string{"b beside=a", "a beside=b"}, cloud: []string{"b ours", "a ours leaving=1"}, want: map[string]string{"a": "wait drift of-this : being-deleted recreated-when-gone", "b": "update of-this changes beside after a"}},
		"one of them is only used":                            {repo: []string{"a beside=b", "b import=b"}, cloud: []string{"b nobody"}, want: map[string]string{"a": "create", "b": "keep"}},
		"a change for a late one":                             {repo: []string{"b", "a beside=b"}, cloud: []string{"a ours"}, want: map[string]string{"a": "update of-this changes beside after b", "b": "create"}},
		"a group is waited for by nobody": {repo: []string{"flock b count=0", "a"}, want: map[string]string{"a": "create"}, alter: func(in *world.Input) {
			for _, d := range in.Want {
				if d.Virtual {
					alsoRefers("a", kind.RefSpec{Key: d.Key})(in)
				}
			}
		}},
		"what nobody knows is waited for by nobody": {repo: []string{"a"}, alter: alsoRefers("a", kind.RefSpec{Key: thingtest.Key("z")}), want: map[string]string{"a": "create"}},
	})
}

// Marked returns the facts of an object only if no other object has the mark for the same key.
func TestFactsOfMarkedObjects(t *testing.T) {
	a := func(rivals string) *kind.Live {
		return &kind.Live{ID: "id", Phase: kind.Ready, InOwnProject: true, Facts: kind.Facts{Address: "here"}, Mark: &kind.Mark{Owner: ownertext.Of("s", thingtest.Key("a")), Rivals: rivals}}
	}
	other := a("")
	other.ID = "other"
	down := errors.New("503")
	for name, c := range map[string]struct {
		have kind.Snapshot
		gone bool // no object has the mark
		ok   bool
	}{
		"one":                       {kind.Snapshot{"Thing": {Items: []*kind.Live{a("")}}}, false, true},
		"none":                      {kind.Snapshot{"Thing": {}}, true, false},
		"two":                       {kind.Snapshot{"Thing": {Items: []*kind.Live{a(""), other}}}, false, false},
		"one with other owners":     {kind.Snapshot{"Thing": {Items: []*kind.Live{a("stackreeve:t:Thing/a")}}}, false, false},
		"not asked for":             {kind.Snapshot{}, false, false},
		"the list failed":           {kind.Snapshot{"Thing": {Err: down}}, false, false},
		"a part of the list failed": {kind.Snapshot{"Thing": {Items: []*kind.Live{a("")}, Parts: []kind.Shown{{}, {Entry: "b", Err: down}}}}, false, false},
	} {
		p := newPlanner(world.Input{Stack: "s", Kinds: []*kind.Kind{thingtest.New().Kind()}, Have: c.have})
		facts, err := p.markedFacts(thingtest.Key("a"))
		if (err == nil) != c.ok || errors.Is(err, kind.ErrGone) != c.gone || (facts.Address == "here") != c.ok {
			t.Errorf("%s: %+v, %v", name, facts, err)
		}
	}
}
