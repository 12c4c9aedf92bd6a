package decide

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// sends is the spec of a Front, which sends traffic to Things.
type sends struct {
	Near  []string `json:"near,omitempty" ref:"Thing"`
	Reads []string `json:"reads,omitempty" ref:"Other,reads"`
	After []string `json:"after,omitempty" ref:"Another,order"`
}

func fronts() *kind.Kind {
	k := define("Front")
	k.Body = manifest.TypeFor[sends]()
	return k
}

// define returns a kind of Things with another name.
func define(name string) *kind.Kind {
	return thingtest.Of(kind.Info{Group: "test", Version: "v1", Kind: name}, thingtest.New())
}

// Objects that cannot be listed may use an object that is to be deleted. Then the deletion of that object
// waits, and no other deletion does.
func TestWhatHiddenObjectsMayUseIsNotDeleted(t *testing.T) {
	down, forbidden := errors.New("503"), fmt.Errorf("%w: 403", kind.ErrForbidden)
	item := func(name string, mark kind.Mark) kind.Collection {
		mark.Owner = ownertext.Of("s", manifest.Key{Kind: name, Name: "a"})
		return kind.Collection{Items: []*kind.Live{{ID: "id-" + name, Name: "a", InOwnProject: true, Phase: kind.Ready, State: &thingtest.Thing{}, Mark: &mark}}}
	}
	for name, c := range map[string]struct {
		of    string // the kind of the object that is to be deleted
		front kind.Collection
		mark  kind.Mark
		lost  map[string]string
		want  string
	}{
		"its users are known":             {of: "Thing", front: kind.Collection{}, want: "delete gone []"},
		"they are not":                    {of: "Thing", front: kind.Collection{Err: down}, want: "delete gone all-seen [Front]"},
		"nor whose mark it would be":      {of: "Thing", front: kind.Collection{Err: down}, mark: kind.Mark{Keep: true, Detach: true}, want: "detach let-go all-seen [Front]"},
		"those of other projects are not": {of: "Thing", front: kind.Collection{Parts: []kind.Shown{{}, {Entry: "b", Err: down}}}, want: "delete gone []"},
		"a part of them is not":           {of: "Thing", front: kind.Collection{Parts: []kind.Shown{{Err: down}, {Entry: "b"}}}, want: "delete gone all-seen [Front]"},
		"there is no such service":        {of: "Thing", front: kind.Collection{Err: kind.ErrNoService}, want: "delete gone []"},
		"nobody asks for what is closed":  {of: "Thing", front: kind.Collection{Err: forbidden}, want: "delete gone []"},
		"there was one that is closed":    {of: "Thing", front: kind.Collection{Err: forbidden}, lost: map[string]string{"Front/f": "id"}, want: "delete gone all-seen [Front]"},
		"they only read its address":      {of: "Other", front: kind.Collection{Err: down}, want: "delete gone []"},
		"they are only later":             {of: "Another", front: kind.Collection{Err: down}, want: "delete gone []"},
	} {
		p := Compute(world.Input{Stack: "s", Kinds: []*kind.Kind{define(c.of), fronts()}, Have: kind.Snapshot{c.of: item(c.of, c.mark), "Front": c.front}, Past: world.Past{KnownIDs: c.lost}})
		s := p.Steps[0]
		if got := fmt.Sprintf("%s %s %v", s.Action, strings.Join(codesOf(s.Causes.And(s.Turn)), " "), s.Awaits); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
