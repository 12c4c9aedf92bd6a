package decide

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// An import does not give one stack access to an object that another stack has marked: the object is neither attached nor copied.
func TestAttackAnotherStacksObject(t *testing.T) {
	marked := func(stack string) *kind.Mark {
		return &kind.Mark{Owner: ownertext.Of(stack, thingtest.Key("disk")), Applied: "x"}
	}
	rivals := marked("s")
	rivals.Rivals = marked("other").Owner
	for name, tt := range map[string]struct {
		mark             *kind.Mark
		copied           string
		exclusive, allow bool
		want             plan.Action
	}{
		"another stack's":               {marked("other"), "", true, false, plan.Refuse},
		"that several stacks claim":     {rivals, "", true, false, plan.Refuse},
		"that the configuration grants": {marked("other"), "", true, true, plan.Create},
		"that many can use":             {marked("other"), "", false, false, plan.Create},
		"nobody's":                      {nil, "", true, false, plan.Create},
		"with a mark that was copied":   {marked("other"), "was restored", true, false, plan.Create},
	} {
		t.Run(name, func(t *testing.T) {
			w := thingtest.New()
			want, err := w.Wanted("theirs import=disk", "user atop=theirs")
			if err != nil {
				t.Fatal(err)
			}
			w.Put(thingtest.Thing{Name: "disk", Mark: tt.mark, Copied: tt.copied, Mine: true})
			k := w.Kind()
			k.Info.Exclusive = tt.exclusive
			p := Compute(world.Input{Stack: "s", Kinds: []*kind.Kind{k}, Want: want, Have: w.Snapshot(), Rules: world.Rules{UseForeign: tt.allow}})
			for _, s := range p.Steps {
				if s.Key.Name == "user" && s.Action != tt.want {
					t.Errorf("%s (%s), want %s", s.Action, s.FullCause(), tt.want)
				}
				if s.Key.Name == "theirs" && s.Action.Writes() {
					t.Errorf("the import is %s", s.Action)
				}
			}
		})
	}
}

// A step is refused only if it would write a use of another stack's object, and that use is exclusive.
func TestWhatIsNoExclusiveUse(t *testing.T) {
	repo, theirs := []string{"theirs import=disk", "user atop=theirs colour=new"}, "disk other"
	exclusive := func(more func(*world.Input)) func(*world.Input) {
		return func(in *world.Input) {
			in.Kinds[0].Info.Exclusive = true
			if more != nil {
				more(in)
			}
		}
	}
	reference := func(change func(*kind.RefSpec)) func(*world.Input) {
		return exclusive(func(in *world.Input) { change(&desired(in, "user").Refs[0]) })
	}
	decisions(t, map[string]decision{
		"a new user":                {repo: repo, cloud: []string{theirs}, alter: exclusive(nil), want: map[string]string{"theirs": "keep", "user": "refuse error : object-of-another-stack"}},
		"a user that is changed":    {repo: repo, cloud: []string{theirs, "user stale atop=id-001 colour=old"}, alter: exclusive(nil), want: map[string]string{"theirs": "keep", "user": "refuse error : object-of-another-stack changes colour owner-mark"}},
		"a user that is as it is":   {repo: repo, cloud: []string{theirs, "user ours atop=id-001 colour=new"}, alter: exclusive(nil), want: map[string]string{"theirs": "keep", "user": "keep of-this"}},
		"one that only comes after": {repo: repo, cloud: []string{theirs}, alter: reference(func(r *kind.RefSpec) { r.Order = true }), want: map[string]string{"theirs": "keep", "user": "create"}},
		"one that only reads it":    {repo: repo, cloud: []string{theirs}, alter: reference(func(r *kind.RefSpec) { r.Reads = true }), want: map[string]string{"theirs": "keep", "user": "create"}},
		"it is not there":           {repo: repo, alter: exclusive(nil), want: map[string]string{"theirs": "wait error not yet : no-such-name correct-the-name", "user": "create after theirs"}},
	})
}
