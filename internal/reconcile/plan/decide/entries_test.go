package decide

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
)

// shown sets the parts of the collection of Things: the part that the main entry shows, and the part that an
// entry with the name "other" shows.
func shown(main, other kind.Shown) func(*world.Input) {
	return func(in *world.Input) {
		c := in.Have["Thing"]
		other.Entry = "other"
		c.Parts = []kind.Shown{main, other}
		in.Have["Thing"] = c
	}
}

// seenBy makes each of the entries show an object.
func seenBy(name string, entries ...string) func(*world.Input) {
	return func(in *world.Input) {
		l := item(in, name)
		plain := *l
		l.Entry = entries[0]
		for _, entry := range entries {
			plain.Entry = entry
			l.OtherViews = append(l.OtherViews, plain)
		}
	}
}

// An object is created through the entry that its manifest names, but only if it is certain that no other entry
// shows it.
func TestEntriesThatObjectsAreMadeThrough(t *testing.T) {
	down, none := errors.New("503"), fmt.Errorf("%w: volume", kind.ErrNoService)
	decisions(t, map[string]decision{
		"another one shows it":                       {repo: []string{"a cloud=other"}, cloud: []string{"a ours"}, alter: shown(kind.Shown{}, kind.Shown{}), want: map[string]string{"a": "replace of-this : fixed-field changes spec.cloudCredentialsRef.cloudName"}},
		"both show it":                               {repo: []string{"a cloud=other"}, cloud: []string{"a ours"}, alter: all(shown(kind.Shown{}, kind.Shown{}), seenBy("a", "", "other")), want: map[string]string{"a": "keep of-this"}},
		"its own list failed":                        {repo: []string{"a cloud=other"}, alter: shown(kind.Shown{}, kind.Shown{Err: down}), want: map[string]string{"a": "wait error : unlisted"}},
		"none shows it":                              {repo: []string{"a"}, alter: shown(kind.Shown{}, kind.Shown{}), want: map[string]string{"a": "create"}},
		"another list failed":                        {repo: []string{"a"}, alter: shown(kind.Shown{}, kind.Shown{Err: down}), want: map[string]string{"a": "wait error : perhaps-through-another-entry"}},
		"another one has no such service":            {repo: []string{"a"}, alter: shown(kind.Shown{}, kind.Shown{Err: none}), want: map[string]string{"a": "create"}},
		"another one cannot log in":                  {repo: []string{"a"}, alter: shown(kind.Shown{}, kind.Shown{Err: down, Closed: true}), want: map[string]string{"a": "create"}},
		"another one cannot log in, and it was seen": {repo: []string{"a"}, alter: all(shown(kind.Shown{}, kind.Shown{Err: down, Closed: true}), lostAs("a", "id-009")), want: map[string]string{"a": "wait error : perhaps-through-another-entry"}},
		"somebody has its name there":                {repo: []string{"a cloud=other"}, cloud: []string{"a nobody"}, alter: all(shown(kind.Shown{}, kind.Shown{}), seenBy("a", "other")), want: map[string]string{"a": "refuse error : name-adoptable"}},
		"somebody has its name elsewhere":            {repo: []string{"a"}, cloud: []string{"a nobody"}, alter: all(shown(kind.Shown{}, kind.Shown{}), seenBy("a", "other")), want: map[string]string{"a": "create"}},
		"it would be adopted from elsewhere":         {repo: []string{"a adopt=id-001"}, cloud: []string{"a nobody"}, alter: all(shown(kind.Shown{}, kind.Shown{}), seenBy("a", "other")), want: map[string]string{"a": "refuse error : unadoptable-id"}},
		"an import is shown elsewhere":               {repo: []string{"a import=x"}, cloud: []string{"x nobody"}, alter: all(shown(kind.Shown{}, kind.Shown{}), seenBy("x", "other")), want: map[string]string{"a": "wait error not yet : no-such-name nearest-names"}},
		"what refers to it goes on":                  {repo: []string{"a cloud=other", "b near=a"}, cloud: []string{"b ours near=id-009"}, alter: shown(kind.Shown{}, kind.Shown{Err: down}), want: map[string]string{"a": "wait error : unlisted", "b": "update of-this changes near after a"}},
	})
}

// A plan reports which collections could not be listed, and which entries could not log in.
func TestUnknownListsAreTold(t *testing.T) {
	down, none := errors.New("503"), fmt.Errorf("%w: volume", kind.ErrNoService)
	for name, c := range map[string]struct {
		have             map[string]kind.Collection
		unlisted, closed int
	}{
		"all is known":                  {map[string]kind.Collection{"Thing": {Parts: []kind.Shown{{}, {Entry: "b"}}}}, 0, 0},
		"a list failed":                 {map[string]kind.Collection{"Thing": {Err: down}}, 1, 0},
		"there is no such service":      {map[string]kind.Collection{"Thing": {Err: none}}, 0, 0},
		"a part failed":                 {map[string]kind.Collection{"Thing": {Parts: []kind.Shown{{}, {Entry: "b", Err: down}}}}, 1, 0},
		"a part without such a service": {map[string]kind.Collection{"Thing": {Parts: []kind.Shown{{}, {Entry: "b", Err: none}}}}, 0, 0},
		"a part that is refused":        {map[string]kind.Collection{"Thing": {Parts: []kind.Shown{{}, {Entry: "b", Err: down, Refused: true}}}}, 0, 0},
		"an entry that cannot log in":   {map[string]kind.Collection{"Thing": {Parts: []kind.Shown{{}, {Entry: "b", Err: down, Closed: true}}}}, 1, 1},
		"the same one for two kinds": {map[string]kind.Collection{"Thing": {Parts: []kind.Shown{{}, {Entry: "b", Err: down, Closed: true}}},
			"Flock": {Parts: []kind.Shown{{}, {Entry: "b", Err: down, Closed: true}}}}, 1, 1},
		"two entries":              {map[string]kind.Collection{"Thing": {Parts: []kind.Shown{{Entry: "a", Err: down, Closed: true}, {Entry: "b", Err: down, Closed: true}}}}, 2, 2},
		"the main one and another": {map[string]kind.Collection{"Thing": {Parts: []kind.Shown{{Entry: "a", Err: down, Closed: true}, {Err: down}}}}, 2, 1},
	} {
		in := (decision{}).input(t)
		in.Have = c.have
		if p := Compute(in); len(p.Unlisted) != c.unlisted || p.Closed != c.closed {
			t.Errorf("%s: %q, %d closed", name, p.Unlisted, p.Closed)
		}
	}
}

// If the list of an entry failed, objects that it would show may use an object that is to be deleted.
func TestWhoHidesUsers(t *testing.T) {
	down, forbidden := errors.New("503"), fmt.Errorf("%w: 403", kind.ErrForbidden)
	decisions(t, map[string]decision{
		"nobody":                                                {cloud: []string{"a stale"}, alter: shown(kind.Shown{}, kind.Shown{}), want: map[string]string{"a": "delete : gone"}},
		"an entry that shows it":                                {cloud: []string{"a stale"}, alter: all(shown(kind.Shown{}, kind.Shown{Err: down}), seenBy("a", "", "other")), want: map[string]string{"a": "delete : gone after "}},
		"an entry that does not":                                {cloud: []string{"a stale"}, alter: shown(kind.Shown{}, kind.Shown{Err: down}), want: map[string]string{"a": "delete : gone"}},
		"an entry that may not list":                            {cloud: []string{"a stale"}, alter: all(shown(kind.Shown{}, kind.Shown{Err: forbidden}), seenBy("a", "", "other")), want: map[string]string{"a": "delete : gone"}},
		"an entry that a manifest names":                        {repo: []string{"b cloud=other"}, cloud: []string{"a stale"}, alter: all(shown(kind.Shown{}, kind.Shown{Err: forbidden}), seenBy("a", "", "other")), want: map[string]string{"a": "delete : gone after b", "b": "wait error : unlisted"}},
		"an entry that another manifest does not name":          {repo: []string{"b"}, cloud: []string{"a stale", "b ours"}, alter: all(shown(kind.Shown{}, kind.Shown{Err: forbidden}), seenBy("a", "", "other")), want: map[string]string{"a": "delete : gone", "b": "keep of-this"}},
		"an entry that cannot log in":                           {cloud: []string{"a stale"}, alter: all(shown(kind.Shown{}, kind.Shown{Err: down, Closed: true}), seenBy("a", "", "other")), want: map[string]string{"a": "delete : gone"}},
		"what is replaced, and others may refer to it for good": {repo: []string{"a shape=new"}, cloud: []string{"a stale shape=old"}, alter: all(shown(kind.Shown{}, kind.Shown{Err: down}), seenBy("a", "", "other")), want: map[string]string{"a": "replace : fixed-field changes shape owner-mark after "}},
		"what waits for its turn":                               {repo: []string{"flock f count=2 shape=new"}, cloud: []string{"f-0 stale shape=old", "f-1 stale shape=old"}, alter: all(shown(kind.Shown{}, kind.Shown{Err: down}), seenBy("f-0", "", "other"), seenBy("f-1", "", "other")), want: map[string]string{"f-0": "replace : fixed-field changes shape owner-mark after ", "f-1": "replace : fixed-field changes shape owner-mark after f-0"}},
	})
}
