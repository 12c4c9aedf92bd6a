package member

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// The name of a machine belongs to the cluster if it ends with a number, whether or not the machine
// has a port.
func TestNamed(t *testing.T) {
	key := func(name string) manifest.Key {
		return manifest.Key{Kind: "EtcdMember", Namespace: "n", Name: name}
	}
	there, spare := &Machine[struct{}]{Key: key("kv-0"), PortID: "a", Wanted: true}, &Machine[struct{}]{Key: key("kv-3"), PortID: "b"}
	c := &Cluster[struct{}]{Key: key("kv-0"), Name: "kv", Machines: []*Machine[struct{}]{there}, Spare: []*Machine[struct{}]{spare}, wanted: map[manifest.Key]bool{key("kv-0"): true, key("kv-1"): true}}
	if c.Named("kv-0") != there || c.Named("kv-3") != spare {
		t.Error("a machine with a port is not found")
	}
	if m := c.Named("kv-1"); m == nil || !m.Wanted || m.PortID != "" {
		t.Errorf("one that is wanted, and has no port: %+v", m)
	}
	if m := c.Named("kv-7"); m == nil || m.Wanted || m.Key != key("kv-7") {
		t.Errorf("one that nobody wants: %+v", m)
	}
	for _, name := range []string{"", "kv", "kv-", "kv-x", "kv-1x", "web-1", "kv-1-2"} {
		if m := c.Named(name); m != nil {
			t.Errorf("%q is %+v", name, m)
		}
	}
}

// Members that are not wanted any more go one after the other.
func TestQueue(t *testing.T) {
	var q Queue
	if uses := q.Join("first", []string{"port"}); len(uses) != 1 {
		t.Errorf("the first one uses %v", uses)
	}
	if uses := q.Join("second", nil); len(uses) != 1 || uses[0] != "first" {
		t.Errorf("the second one uses %v", uses)
	}
}
