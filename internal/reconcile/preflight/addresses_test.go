package preflight

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// lan is a cloud with a network, a repository of subnets on that network, and new and existing ports.
type lan struct {
	refs  map[manifest.Key]kind.Ref
	steps []plan.Step
	have  kind.Snapshot
}

func newLan() *lan {
	l := &lan{refs: map[manifest.Key]kind.Ref{}, have: kind.Snapshot{}}
	l.refs[l.key("Network", "n")] = kind.Ref{Key: l.key("Network", "n"), ID: "net", Managed: true}
	return l
}

func (l *lan) key(kindName, name string) manifest.Key {
	return manifest.Key{Kind: kindName, Name: name}
}

func (l *lan) network(change func(*kind.Ref)) {
	ref := l.refs[l.key("Network", "n")]
	change(&ref)
	l.refs[ref.Key] = ref
}

// subnet adds a subnet with a pool of that many addresses. listed means that it has no manifest.
func (l *lan) subnet(name, cidr string, addresses int, listed bool) {
	prefix := netip.MustParsePrefix(cidr)
	facts := kind.Facts{NetworkID: "net", CIDR: cidr}
	if addresses > 0 {
		last := prefix.Addr()
		for range addresses {
			last = last.Next()
		}
		facts.Pools = []kind.Pool{{First: prefix.Addr().Next(), Last: last}}
	}
	l.network(func(n *kind.Ref) { n.Facts.Subnets = append(n.Facts.Subnets, "id-"+name) })
	l.list("Subnet", kind.Live{ID: "id-" + name, Name: name, Facts: facts})
	if !listed {
		key := l.key("Subnet", name)
		l.refs[key] = kind.Ref{Key: key, ID: "id-" + name, Managed: true, Facts: facts}
		l.step(key, plan.Keep, nil, &kind.Live{ID: "id-" + name})
	}
}

func (l *lan) list(kindName string, live kind.Live) {
	l.have[kindName] = kind.Collection{Items: append(l.have[kindName].Items, &live)}
}

func (l *lan) step(key manifest.Key, action plan.Action, claims []kind.Claim, have *kind.Live) *plan.Step {
	want := &kind.Desired{Key: key}
	viewed := kind.NewWant(want, claims, kind.Mark{}, kind.Lookups{PlanLookups: &kind.PlanLookups{Lookup: func(key manifest.Key) kind.Ref { return l.refs[key] }}})
	s := plan.Step{Key: key, Action: action}
	s.Want, s.Viewed, s.Have = want, &viewed, have
	l.steps = append(l.steps, s)
	return &l.steps[len(l.steps)-1]
}

// port adds a port that needs an address: "s" means any address of the subnet s, "s/10.0.0.1" means that one, and "n" means any address of
// the network.
func (l *lan) port(action plan.Action, asked ...string) {
	for _, text := range asked {
		on, what, _ := strings.Cut(text, "/")
		claim := kind.Claim{Owner: l.refs[l.key("Subnet", on)], Value: what, HolderKind: "Port"}
		if on == "n" {
			claim.Owner, claim.From = l.refs[l.key("Network", "n")], "Subnet"
		}
		l.step(l.key("Port", fmt.Sprint(len(l.steps))), action, []kind.Claim{claim}, nil)
	}
}

// own adds an existing port of the stack.
func (l *lan) own(action plan.Action, token string) {
	id := fmt.Sprint("own-", len(l.steps))
	l.list("Port", kind.Live{ID: id, Tokens: []string{token}})
	if s := l.step(l.key("Port", id), action, nil, &kind.Live{ID: id}); action == plan.Delete {
		s.Want, s.Viewed = nil, nil
	}
}

func (l *lan) scarce() string {
	kinds := []*kind.Kind{{Info: kind.Info{Kind: "Subnet"}}, {Info: kind.Info{Kind: "Port"}, ExclusiveClaims: func(w kind.Want) []kind.Claim { return w.Spec.([]kind.Claim) }}}
	var all []string
	for _, s := range ShortagesOf(plan.Plan{Steps: l.steps}, kinds, l.have) {
		text := fmt.Sprintf("%s has %d, needs %d, others %d", s.Key, s.Has, s.Needs, s.Others)
		if s.Subnets != nil {
			text += " of " + strings.Join(s.Subnets, ", ")
		}
		if s.Origin.File != "" {
			text += " at " + s.Origin.File
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}

// The number of needed addresses is compared with the number of free ones, for a subnet and for all subnets of a network.
func TestAddressesThatAreTooFew(t *testing.T) {
	one := func(l *lan) { l.subnet("s", "10.0.0.0/29", 2, false) }
	two := func(l *lan) { one(l); l.subnet("t", "10.0.1.0/29", 2, false) }
	others := func(l *lan, live kind.Live) {
		live.ID, live.Tokens = "other", []string{"id-s/10.0.0.1"}
		l.list("Port", live)
	}
	for name, c := range map[string]struct {
		fill func(l *lan)
		want string
	}{
		"enough":                       {func(l *lan) { one(l); l.port(plan.Create, "s", "s") }, ""},
		"one too many":                 {func(l *lan) { one(l); l.port(plan.Create, "s", "s", "s") }, "Subnet/s has 2, needs 3, others 0"},
		"made again":                   {func(l *lan) { one(l); l.port(plan.Recreate, "s", "s", "s") }, "Subnet/s has 2, needs 3, others 0"},
		"those that stay ask for none": {func(l *lan) { one(l); l.port(plan.Update, "s", "s", "s") }, ""},
		"given ones":                   {func(l *lan) { one(l); l.port(plan.Create, "s/10.0.0.1", "s/10.0.0.2", "s") }, "Subnet/s has 2, needs 3, others 0"},
		"one is given twice":           {func(l *lan) { one(l); l.port(plan.Create, "s/10.0.0.1", "s/10.0.0.1", "s") }, ""},
		"one beside the pools":         {func(l *lan) { one(l); l.port(plan.Create, "s/10.0.0.6", "s", "s") }, ""},
		"one that is none":             {func(l *lan) { one(l); l.port(plan.Create, "s/ten", "s", "s") }, ""},
		"others have one":              {func(l *lan) { one(l); others(l, kind.Live{}); l.port(plan.Create, "s", "s") }, "Subnet/s has 2, needs 2, others 1"},
		"others give one back":         {func(l *lan) { one(l); others(l, kind.Live{Phase: kind.Deleting}); l.port(plan.Create, "s", "s") }, ""},
		"ports are hidden": {func(l *lan) {
			one(l)
			others(l, kind.Live{})
			p := l.have["Port"]
			p.Err = kind.ErrForbidden
			l.have["Port"] = p
			l.port(plan.Create, "s", "s")
		}, ""},
		"the stack has one":        {func(l *lan) { one(l); l.own(plan.Keep, "id-s/10.0.0.1"); l.port(plan.Create, "s", "s") }, "Subnet/s has 2, needs 3, others 0"},
		"the stack gives one back": {func(l *lan) { one(l); l.own(plan.Delete, "id-s/10.0.0.1"); l.port(plan.Create, "s", "s") }, ""},
		"one serves what stays": {func(l *lan) {
			one(l)
			l.own(plan.Keep, "")
			others(l, kind.Live{ServesID: "own-1"})
			l.port(plan.Create, "s", "s")
		}, "Subnet/s has 2, needs 3, others 0"},
		"one serves what goes": {func(l *lan) {
			one(l)
			l.own(plan.Delete, "")
			others(l, kind.Live{ServesID: "own-1"})
			l.port(plan.Create, "s", "s")
		}, ""},
		"one serves what is gone": {func(l *lan) { one(l); others(l, kind.Live{ServesID: "gone"}); l.port(plan.Create, "s", "s") }, ""},
		"one serves what is others'": {func(l *lan) {
			one(l)
			l.list("Server", kind.Live{ID: "theirs"})
			others(l, kind.Live{ServesID: "theirs"})
			l.port(plan.Create, "s", "s")
		}, "Subnet/s has 2, needs 2, others 1"},
		"pools are not known":          {func(l *lan) { l.subnet("s", "10.0.0.0/29", 0, false); l.port(plan.Create, "s") }, ""},
		"of a network with one subnet": {func(l *lan) { one(l); l.port(plan.Create, "n", "n", "s") }, "Subnet/s has 2, needs 3, others 0"},
		"enough in a network":          {func(l *lan) { two(l); l.port(plan.Create, "n", "n", "n", "n") }, ""},
		"too few in a network":         {func(l *lan) { two(l); l.port(plan.Create, "n", "n", "n", "n", "s") }, "Network/n has 4, needs 5, others 0 of Subnet/s, Subnet/t"},
		"of a network of a manifest": {func(l *lan) {
			two(l)
			l.step(l.key("Network", "n"), plan.Keep, nil, nil).Want.Origin = manifest.Origin{File: "n.yaml"}
			l.port(plan.Create, "n", "n", "n", "n", "n")
		}, "Network/n has 4, needs 5, others 0 of Subnet/s, Subnet/t at n.yaml"},
		"others are in a network":   {func(l *lan) { two(l); others(l, kind.Live{}); l.port(plan.Create, "n", "n", "n", "n") }, "Network/n has 4, needs 4, others 1 of Subnet/s, Subnet/t"},
		"too few in a subnet of it": {func(l *lan) { two(l); l.port(plan.Create, "n", "s", "s", "s") }, "Subnet/s has 2, needs 3, others 0"},
		"a subnet of it is not known": {func(l *lan) {
			two(l)
			l.network(func(n *kind.Ref) { n.Facts.Subnets = append(n.Facts.Subnets, "id-x") })
			l.port(plan.Create, "n", "n", "n", "n", "n")
		}, ""},
		"pools of one are not known":      {func(l *lan) { one(l); l.subnet("t", "10.0.1.0/29", 0, false); l.port(plan.Create, "n", "n", "n") }, ""},
		"one of IPv6 gives another one":   {func(l *lan) { one(l); l.subnet("t", "fd00::/64", 0, false); l.port(plan.Create, "n", "n", "n") }, "Subnet/s has 2, needs 3, others 0"},
		"one that no manifest stands for": {func(l *lan) { l.subnet("s", "10.0.0.0/29", 2, true); l.port(plan.Create, "n", "n", "n") }, "Network/n has 2, needs 3, others 0 of Subnet/s"},
		"subnets are hidden": {func(l *lan) {
			l.subnet("s", "10.0.0.0/29", 2, true)
			s := l.have["Subnet"]
			s.Err = kind.ErrForbidden
			l.have["Subnet"] = s
			l.port(plan.Create, "n", "n", "n")
		}, ""},
		"a network that is not there": {func(l *lan) {
			l.network(func(n *kind.Ref) { n.ID, n.Managed = "", false })
			l.port(plan.Create, "n", "n")
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLan()
			c.fill(l)
			if got := l.scarce(); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// A repository is compared without a cloud. Only the objects count that its manifests keep permanently.
func TestAddressesOfARepository(t *testing.T) {
	facts := kind.Facts{CIDR: "10.0.0.0/29", Pools: []kind.Pool{{First: netip.MustParseAddr("10.0.0.1"), Last: netip.MustParseAddr("10.0.0.2")}}}
	kinds := []*kind.Kind{
		{Info: kind.Info{Kind: "Subnet"}, Stated: func(any) kind.Facts { return facts }},
		{Info: kind.Info{Kind: "Port"}, ExclusiveClaims: func(w kind.Want) []kind.Claim { return []kind.Claim{{Owner: w.Ref("Subnet", "s"), HolderKind: "Port"}} }},
	}
	for name, c := range map[string]struct {
		third *kind.Desired
		want  bool
	}{
		"there are two":         {nil, false},
		"a third":               {&kind.Desired{}, true},
		"one that is virtual":   {&kind.Desired{Virtual: true}, false},
		"one that is spare":     {&kind.Desired{Spare: true}, false},
		"one that is scaled":    {&kind.Desired{Scaled: true}, false},
		"one that is absent":    {&kind.Desired{Unmanaged: true}, false},
		"one that is only used": {&kind.Desired{Unmanaged: true, Import: &kind.Import{}}, false},
		"one that is suspended": {&kind.Desired{Options: kind.Options{Suspend: true}}, false},
	} {
		want := []kind.Desired{{Key: manifest.Key{Kind: "Subnet", Name: "s"}, Spec: "s", Origin: manifest.Origin{File: "s.yaml"}}}
		for _, port := range []*kind.Desired{{}, {}, c.third} {
			if port != nil {
				one := *port
				one.Key, one.Spec = manifest.Key{Kind: "Port", Name: fmt.Sprint(len(want))}, "p"
				want = append(want, one)
			}
		}
		got := ShortagesIn(kinds, want)
		if len(got) > 0 != c.want || c.want && (got[0].Needs != 3 || got[0].Has != 2 || got[0].Origin.File != "s.yaml") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// The cause contains the number of addresses, the subnets, and the number of addresses that others use.
func TestCausesOfTooFewAddresses(t *testing.T) {
	for _, c := range []struct {
		of   Shortage
		want cause.Cause
	}{
		{Shortage{Has: 2, Needs: 3}, cause.Of(cause.TooFewAddresses, cause.Of(cause.GivesAddresses, 2), 3, 1)},
		{Shortage{Has: 2, Needs: 3, Others: 1}, cause.Of(cause.TooFewAddresses, cause.Of(cause.OthersHave, cause.Of(cause.GivesAddresses, 2), 1), 3, 2)},
		{Shortage{Has: 2, Needs: 3, Subnets: []string{"a", "b"}}, cause.Of(cause.TooFewAddresses, cause.Of(cause.SubnetsGive, "a, b", 2), 3, 1)},
	} {
		if got := c.of.Cause(); got.String() != c.want.String() {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
