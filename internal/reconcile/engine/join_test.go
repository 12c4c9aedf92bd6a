package engine

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// An object that two entries show is one object. It has the fields that the entry of its manifest
// shows.
func TestJoinTakesTheEntryOfTheManifest(t *testing.T) {
	const id = "0f0e0d0c-0b0a-4908-8706-050403020100"
	parts := []kind.Shown{
		{Entry: "", Items: []*kind.Live{{ID: id, State: "as the main entry sees it", InOwnProject: true, Mark: &kind.Mark{Owner: "x"}}, {ID: "small", State: "a"}}},
		{Entry: "admin", Items: []*kind.Live{{ID: id, State: "as the administrator sees it"}, {ID: "small", State: "b"}}},
		{Entry: "closed", Err: kind.ErrForbidden},
	}
	for _, test := range []struct {
		named  string
		state  string
		prefer bool
	}{
		{"admin", "as the administrator sees it", true},
		{"", "as the main entry sees it", true},
		{"closed", "as the main entry sees it", true},
		{"admin", "as the main entry sees it", false},
	} {
		c := mergeLists(parts, func(*kind.Live) (string, bool) { return test.named, test.prefer })
		if len(c.Items) != 2 {
			t.Fatalf("%d objects, want 2", len(c.Items))
		}
		both := c.Items[0]
		if both.State != test.state || !both.InOwnProject || both.Mark == nil {
			t.Errorf("named %q: %v, ours %t, marked %t; want %s, ours and marked", test.named, both.State, both.InOwnProject, both.Mark != nil, test.state)
		}
		if seen := both.SeenBy("admin"); seen == nil || seen.InOwnProject {
			t.Error("the administrator's project has it, too")
		}
	}
	if c := mergeLists(parts, asFound); c.Unlisted("closed") == nil || c.Unlisted("admin") != nil || c.Lists("closed") {
		t.Error("it is not known which entries say what they have")
	}
}

func asFound(*kind.Live) (string, bool) { return "", false }

// If an ID is no UUID, such as the ID of a flavor, the same ID in another realm (another cloud) is
// another object.
func TestJoinKeepsRealmsApart(t *testing.T) {
	parts := func(realm string) []kind.Shown {
		return []kind.Shown{{Realm: "one", Items: []*kind.Live{{ID: "m1"}}}, {Entry: "other", Realm: realm, Items: []*kind.Live{{ID: "m1"}}}}
	}
	if n := len(mergeLists(parts("two"), asFound).Items); n != 2 {
		t.Errorf("%d objects of two clouds, want 2", n)
	}
	if n := len(mergeLists(parts("one"), asFound).Items); n != 1 {
		t.Errorf("%d objects of one cloud, want 1", n)
	}
}
