package loadbalancer

import (
	"slices"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// A listener that is left to others keeps its pool, whoever else has it, and nobody gets one that only it has.
func TestPoolsOfListenersThatAreLeft(t *testing.T) {
	for name, c := range map[string]struct {
		left   []string
		change func(*Spec, *State)
		want   []string
	}{
		"its own pool": {[]string{"spec.ports[l53]"}, func(w *Spec, _ *State) { w.Ports = w.Ports[:1] }, nil},
		"nothing left": {nil, func(w *Spec, _ *State) { w.Ports = w.Ports[:1] }, []string{"UDP 10.0.0.9:53", "pool lb-53-udp"}},
		"the pool of a listener that goes, too": {[]string{"spec.ports[l53]"}, func(w *Spec, s *State) {
			w.Ports, s.More.Listeners[1].PoolID = w.Ports[1:2], "p80"
			s.More.Pools = s.More.Pools[:1]
			s.More.Listeners[1].Port = 54
		}, []string{"HTTP 10.0.0.9:80"}},
		"a pool without a listener": {[]string{"spec.ports[spare]"}, func(_ *Spec, s *State) {
			s.More.Pools = append(s.More.Pools, &Pool{child: child{ID: "spare"}, Name: "lb-80", Protocol: "HTTP"})
		}, nil},
		"a socket that the manifest has": {[]string{"spec.ports[l53]"}, func(w *Spec, _ *State) { w.Ports[1].RealServers.Addresses = []string{"2001:db8::2"} }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := webAndName()
			s := made(w)
			c.change(w.Spec, s)
			d := kind.Desired{Key: w.Key, Options: kind.Options{Ignore: c.left}}
			changes := Kind(nil, defaults.Defaults{}).Diff(kind.NewWant(&d, w.Spec, w.Mark, kind.Surroundings{}), s)
			var gone []string
			for _, change := range changes.List() {
				if text, ok := change.Have.(string); ok && change.Field == portList {
					gone = append(gone, text)
				}
			}
			if !slices.Equal(gone, c.want) {
				t.Errorf("%q are removed, want %q: %v", gone, c.want, changes.List())
			}
		})
	}
}
