package kind

import (
	"reflect"
	"testing"
	"time"
)

// What a driver says of an object reaches the planner, and comes back to it. By which entries it
// was found is not the driver's to know.
func TestErasureKeepsEveryField(t *testing.T) {
	state := 7
	full := Live[*int]{ID: "id", Name: "n", Mark: &Mark{Owner: "o"}, Copied: "c", InOwnProject: true, Project: "p", Guarded: true, AlsoListedAs: "s", Phase: Failed, Role: "r", ServesID: "f", Remade: true, Empty: true, Down: "d", Locked: "l", Message: "m", Uses: []string{"u"}, Tokens: []string{"t"},
		AutoDetached: []string{"l"}, Unwell: []string{"w"}, Lag: time.Second, Interruptible: Interruptible{Stay: "t"}, Drained: map[string]time.Time{"d": time.Unix(4, 0)}, Facts: Facts{Name: "n"}, InUse: true, Unmade: true, HostID: "h", WantedReplicas: "3", Created: time.Unix(1, 0), Updated: time.Unix(2, 0), Since: time.Unix(3, 0), State: &state}
	for i := range reflect.TypeOf(full).NumField() {
		if name := reflect.TypeOf(full).Field(i).Name; name != "Through" && name != "Also" && reflect.ValueOf(full).Field(i).IsZero() {
			t.Fatalf("%s is not set by this test", reflect.TypeOf(full).Field(i).Name)
		}
	}
	if back := unerase[*int](erase(full)); !reflect.DeepEqual(back, full) {
		t.Errorf("got %+v\nwant %+v", back, full)
	}
}
