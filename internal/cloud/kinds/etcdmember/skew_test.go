package etcdmember

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Whether the first of several machines may have another version is said by the versions of all.
func TestStays(t *testing.T) {
	for _, c := range []struct{ running, version, want string }{
		{"3.5.35 3.5.35 3.5.35", "3.6.16", ""},
		{"3.5.35 3.5.35 3.5.35", "3.5.9", ""},
		{"3.5.35 3.5.35 3.5.35", "", ""},
		{"3.5.35 3.6.16 3.6.16", "3.6.16", ""},
		{"3.5.35 3.6.16 3.6.16", "3.7.3", "kv-0 runs 3.5.35"},
		{"3.6.16 3.6.16 3.5.35", "3.7.3", "kv-2 runs 3.5.35"},
		{"3.6.16 3.5.35 3.5.35", "3.5.35", "never goes back"},
		{"3.5.26 3.5.35 3.5.25", "3.6.16", "kv-2 runs 3.5.25"},
		{"3.5.23 3.5.35 3.5.35", "3.6.16", "follows 3.5.26"},
		{"3.5.26 3.5.26 3.5.26", "3.6.16", ""},
		{"3.4.23 3.4.23 3.4.23", "3.5.9", ""},
		{"3.5.35 - 3.5.35", "3.6.16", "kv-1 does not answer"},
		{"- 3.5.35 3.5.35", "3.6.16", ""},
		{"- 3.5.35 3.5.35", "3.7.3", "kv-1 runs 3.5.35"},
		{"- 3.6.16 3.6.16", "3.5.35", "never goes back"},
		{"- 3.6.16 3.5.35", "3.5.35", ""},
		{"- - 3.5.35", "3.5.35", ""},
		{"3.5.35 3.5.35-x 3.5.35", "3.6.16", "kv-1 does not answer"},
		{"3.5.35 9.9.9 3.5.35", "3.6.16", ""},
	} {
		var machines []*machine
		for i, version := range strings.Fields(c.running) {
			m := machineAt(&State{}, fmt.Sprintf("10.0.0.%d", i))
			m.Key, m.Spec, m.Wanted, m.answers = manifest.Key{Name: fmt.Sprintf("kv-%d", i)}, &Spec{Version: c.version}, true, version != "-"
			m.status.Version = strings.TrimPrefix(version, "-")
			machines = append(machines, m)
		}
		knows := &machine{}
		for _, m := range machines {
			knows.members.List = append(knows.members.List, etcd.Member{PeerURLs: []string{m.peerURL()}})
		}
		if got := machines[0].stays(machines, knows); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s to %s: %q, want %q", c.running, c.version, got, c.want)
		}
	}
}
