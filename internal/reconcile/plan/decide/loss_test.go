package decide

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
)

// holding makes Things contain data that is lost when they are deleted.
func holding(more func(*world.Input)) func(*world.Input) {
	return func(in *world.Input) {
		in.Kinds[0].Info.HoldsData, in.Kinds[0].Info.Loss = true, []string{"its data"}
		if more != nil {
			more(in)
		}
	}
}

// DataAtStake of a step says that it would lose data. The manifest or the mark says whether that is allowed.
func TestDataAtStake(t *testing.T) {
	gone := []string{"a stale"}
	decisions(t, map[string]decision{
		"the manifest is gone":         {cloud: gone, alter: holding(nil), want: map[string]string{"a": "delete at-stake loses : gone"}},
		"of a kind without data":       {cloud: gone, want: map[string]string{"a": "delete : gone"}},
		"it is empty":                  {cloud: gone, alter: holding(func(in *world.Input) { item(in, "a").Empty = true }), want: map[string]string{"a": "delete loses : gone"}},
		"its last manifest allowed it": {cloud: []string{"a loses"}, alter: holding(nil), want: map[string]string{"a": "delete at-stake loses loss-allowed=true : gone"}},
		"it is replaced":               {repo: []string{"a shape=new"}, cloud: []string{"a stale shape=old"}, alter: holding(nil), want: map[string]string{"a": "replace at-stake loses : fixed-field changes shape owner-mark"}},
		"replaced, which is allowed":   {repo: []string{"a shape=new data-loss=allow"}, cloud: []string{"a stale shape=old"}, alter: holding(nil), want: map[string]string{"a": "replace at-stake loses loss-allowed=true : fixed-field changes shape owner-mark"}},
		"replaced, which is refused":   {repo: []string{"a shape=new data-loss=refuse"}, cloud: []string{"a loses shape=old"}, alter: holding(nil), want: map[string]string{"a": "replace at-stake loses loss-allowed=false : fixed-field changes shape owner-mark"}},
		"changed in place":             {repo: []string{"a colour=new"}, cloud: []string{"a stale colour=old"}, alter: holding(nil), want: map[string]string{"a": "update changes colour owner-mark"}},
		"a half-made copy goes":        {repo: []string{"a"}, cloud: []string{"a ours created=10", "x half as=a created=11"}, alter: holding(nil), want: map[string]string{"a": "delete surplus : half-made; keep of-this"}},
	})
}

// The mark records that data may be lost, but not if the object stays after its manifest is removed, or if marks
// of its kind cannot be rewritten.
func TestMarksRememberAllowedLoss(t *testing.T) {
	for name, c := range map[string]struct {
		line string
		info func(*kind.Info)
		want bool
	}{
		"allowed":                     {line: "a data-loss=allow", want: true},
		"not said":                    {line: "a"},
		"refused":                     {line: "a data-loss=refuse"},
		"kept when its manifest goes": {line: "a data-loss=allow prune=false"},
		"detached":                    {line: "a data-loss=allow on-delete=detach"},
		"of a kind without data":      {line: "a data-loss=allow", info: func(i *kind.Info) { i.HoldsData = false }},
		"of a kind of fixed marks":    {line: "a data-loss=allow", info: func(i *kind.Info) { i.FixedMark = true }},
	} {
		d := decision{repo: []string{c.line}, alter: holding(func(in *world.Input) {
			if c.info != nil {
				c.info(&in.Kinds[0].Info)
			}
		})}
		s := Compute(d.input(t)).Steps[0]
		if s.Viewed.Mark.Loses != c.want {
			t.Errorf("%s: the mark remembers: %t", name, s.Viewed.Mark.Loses)
		}
	}
}
