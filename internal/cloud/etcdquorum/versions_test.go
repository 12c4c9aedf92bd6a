package etcdquorum

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/etcd"
)

// The versions of all members decide whether the first of several machines may have another
// version.
func TestFollows(t *testing.T) {
	for _, c := range []struct {
		running, version string
		want             Rule
		by               string
	}{
		{"3.5.35 3.5.35 3.5.35", "3.6.16", Fits, ""},
		{"3.5.35 3.5.35 3.5.35", "3.5.9", Fits, ""},
		{"3.5.35 3.5.35 3.5.35", "", Fits, ""},
		{"3.5.35 3.6.16 3.6.16", "3.6.16", Fits, ""},
		{"3.5.35 3.6.16 3.6.16", "3.7.3", OneMinorAtATime, "kv-0"},
		{"3.6.16 3.6.16 3.5.35", "3.7.3", OneMinorAtATime, "kv-2"},
		{"3.6.16 3.5.35 3.5.35", "3.5.35", NeverBack, "kv-0"},
		{"3.5.26 3.5.35 3.5.25", "3.6.16", NewEnough, "kv-2"},
		{"3.5.23 3.5.35 3.5.35", "3.6.16", NewEnough, "kv-0"},
		{"3.5.26 3.5.26 3.5.26", "3.6.16", Fits, ""},
		{"3.4.23 3.4.23 3.4.23", "3.5.9", Fits, ""},
		{"3.5.35 - 3.5.35", "3.6.16", AllKnown, "kv-1"},
		{"- 3.5.35 3.5.35", "3.6.16", Fits, ""},
		{"- 3.5.35 3.5.35", "3.7.3", OneMinorAtATime, "kv-1"},
		{"- 3.6.16 3.6.16", "3.5.35", OthersAreNewer, "kv-0"},
		{"- 3.6.16 3.5.35", "3.5.35", Fits, ""},
		{"- - 3.5.35", "3.5.35", Fits, ""},
		{"3.5.35 3.5.35-x 3.5.35", "3.6.16", AllKnown, "kv-1"},
		{"3.5.35 9.9.9 3.5.35", "3.6.16", Fits, ""},
	} {
		var voices []*Answer
		knows := &Answer{}
		for i, version := range strings.Fields(c.running) {
			v := &Answer{Name: fmt.Sprintf("kv-%d", i), Address: fmt.Sprintf("10.0.0.%d", i), Answers: version != "-", Status: etcd.Status{Version: strings.TrimPrefix(version, "-")}}
			voices = append(voices, v)
			knows.Members.List = append(knows.Members.List, etcd.Member{PeerURLs: []string{"http://" + v.Address + ":2380"}})
		}
		if got := voices[0].Follows(c.version, voices, knows); got.Rule != c.want || got.Machine != c.by {
			t.Errorf("%s to %s: %+v, want %v by %q", c.running, c.version, got, c.want, c.by)
		}
		if got := voices[0].Follows(c.version, voices, knows); (got.String() == "") != (c.want == Fits) {
			t.Errorf("%s to %s: %q", c.running, c.version, got)
		}
	}
}
