package loadbalancer

import (
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// If a listener is left to others, its pool is not removed, even if another listener also uses the pool. A pool that
// only such a listener uses is not used for a port of the manifest.
func TestPoolsOfListenersThatAreLeft(t *testing.T) {
	for name, c := range map[string]struct {
		left   []string
		change func(*Spec, *State)
		want   []string
	}{
		"its own pool": {[]string{"spec.ports[l53]"}, func(w *Spec, _ *State) { w.Ports = w.Ports[:1] }, nil},
		"nothing left": {nil, func(w *Spec, _ *State) { w.Ports = w.Ports[:1] }, []string{"UDP 10.0.0.9:53", "pool lb-53-udp"}},
		"the pool of a deleted listener": {[]string{"spec.ports[l53]"}, func(w *Spec, s *State) {
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
			if gone := removed(w, s, c.left); !slices.Equal(gone, c.want) {
				t.Errorf("%q are removed, want %q", gone, c.want)
			}
		})
	}
}

// An unfinished object that is left to others is not removed, and neither is the pool that it uses. An unfinished object
// of the stack is removed.
func TestStuckAndLeft(t *testing.T) {
	for name, c := range map[string]struct {
		left []string
		id   string // the ID of the unfinished object
		want []string
	}{
		"a listener of the stack's":          {nil, "l53", []string{"UDP 53, which the cloud left unfinished", "pool lb-53-udp"}},
		"a listener that is left":            {[]string{"spec.ports[l53]"}, "l53", nil},
		"the pool of an unfinished listener": {[]string{"spec.ports[l53]"}, "p53", nil},
		"a pool that is left":                {[]string{"spec.ports[l53]", "spec.ports[p53]"}, "p53", nil},
		"a listener whose pool is left":      {[]string{"spec.ports[p53]"}, "l53", []string{"UDP 53, which the cloud left unfinished"}},
		"an unfinished pool only":            {nil, "p53", []string{"pool lb-53-udp, which the cloud left unfinished", "UDP 10.0.0.9:53"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := webAndName()
			s := made(w)
			w.Spec.Ports = w.Spec.Ports[:1]
			before := slices.Clone(s.More.AllTags)
			s.More.removeStuck(func(x *child) bool { return x.ID == c.id })
			if got := removed(w, s, c.left); !slices.Equal(got, c.want) {
				t.Errorf("%q are removed, want %q", got, c.want)
			}
			if !slices.Equal(s.More.AllTags, before) {
				t.Errorf("the mark says %v now, and nobody knows yet whose that is", s.More.AllTags)
			}
		})
	}
}

// removed returns the listeners and pools that the edits remove.
func removed(w typed.Want[Spec], s *State, left []string) (gone []string) {
	changes := diffLeaving(w, s, left)
	for _, change := range changes.List() {
		if text, ok := change.Have.(string); ok && change.Field == portList {
			gone = append(gone, text)
		}
	}
	return gone
}

// diffLeaving returns the differences for a manifest whose annotation leaves the elements in left to others.
func diffLeaving(w typed.Want[Spec], s *State, left []string) kind.Changes {
	d := kind.Desired{Key: w.Key, Options: kind.Options{Ignore: left}}
	return Kind(nil, defaults.Defaults{}).Diff(kind.NewWant(&d, w.Spec, w.Mark, kind.Lookups{}), s)
}

// If a pool is removed with members that are left to others, the plan reports these members.
func TestMembersThatAreLeftGoWithTheirPool(t *testing.T) {
	const member = "spec.ports.realServers.members[m9]"
	add := func(p *Pool, address string) {
		p.Members = append(p.Members, &Member{child: child{ID: "m9"}, Name: "theirs", Address: address, Port: 8080, Weight: 1, AdminStateUp: true})
	}
	for name, c := range map[string]struct {
		left   []string
		change func(*Spec, *State)
		want   string
	}{
		"it stays with its pool":  {[]string{member}, func(_ *Spec, s *State) { add(s.More.Pools[0], "10.0.0.7") }, ""},
		"the pool speaks another": {[]string{member}, func(w *Spec, s *State) { add(s.More.Pools[0], "10.0.0.7"); w.Ports[0].Protocol = "tcp" }, "member 10.0.0.7:8080 (m9) of pool lb-80"},
		"the machines speak another": {[]string{member}, func(w *Spec, s *State) {
			add(s.More.Pools[0], "10.0.0.7")
			w.Ports[0].RealServers.Protocol = ptr("proxy")
		}, "member 10.0.0.7:8080 (m9) of pool lb-80"},
		"the port goes":               {[]string{member}, func(w *Spec, s *State) { add(s.More.Pools[0], "10.0.0.7"); w.Ports = w.Ports[1:] }, "member 10.0.0.7:8080 (m9) of pool lb-80"},
		"nobody leaves it":            {nil, func(w *Spec, s *State) { add(s.More.Pools[0], "10.0.0.7"); w.Ports[0].Protocol = "tcp" }, ""},
		"the manifest has its socket": {[]string{member}, func(w *Spec, s *State) { add(s.More.Pools[0], "10.0.0.1"); w.Ports[0].Protocol = "tcp" }, ""},
		"only the listener is exchanged": {[]string{member}, func(w *Spec, s *State) {
			add(s.More.Pools[0], "10.0.0.7")
			w.Ports[0].Protocol, w.Ports[0].RealServers.Protocol = "tcp", ptr("http")
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := webAndName()
			s := made(w)
			c.change(w.Spec, s)
			changes := diffLeaving(w, s, c.left)
			var takes []string
			for _, change := range changes.List() {
				takes = append(takes, change.LostElements...)
			}
			if got := strings.Join(takes, ", "); got != c.want {
				t.Errorf("%q would go, want %q: %v", got, c.want, changes.List())
			}
			if stay := len(c.left) > 0 && name != "the manifest has its socket"; stay != (len(changes.Foreign()) > 0) {
				t.Errorf("%q are left to others", changes.Foreign())
			}
		})
	}
}

// If a pool that a policy redirects to is removed with members that are left to others, the plan reports them, too.
func TestMembersOfRedirectsThatAreLeft(t *testing.T) {
	w := asking()
	s := made(w)
	q := s.More.Pools[0]
	q.Members = append(q.Members, &Member{child: child{ID: "m9"}, Address: "10.0.0.7", Port: 80, Weight: 1, AdminStateUp: true})
	left := []string{"spec.ports.l7Policies.redirectPool.realServers.members[m9]"}
	w.Spec.Ports[0].L7Policies[1].RedirectPool.RealServers.Protocol = ptr("proxy")
	changes := diffLeaving(w, s, left)
	if !slices.ContainsFunc(changes.List(), func(c kind.Change) bool { return len(c.LostElements) == 1 && c.Field == "spec.ports[0].l7Policies" }) {
		t.Errorf("nothing is said of the member: %v", changes.List())
	}
}
