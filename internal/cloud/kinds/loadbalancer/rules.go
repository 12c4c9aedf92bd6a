package loadbalancer

import (
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

type rules struct{ defaults defaults.Defaults }

// Diff reports the changes of [editsOf], and then the differences of the load balancer's own attributes.
func (rules) Diff(w typed.Want[Spec], have *State, c *kind.Changes) {
	if have.More.offers == nil {
		return // its children were not read, so no difference is known, and it is not updated
	}
	e := editorOf(w, have)
	for _, x := range e.listed() {
		for _, change := range x.changes {
			c.Add(change)
		}
	}
	for _, element := range e.others {
		c.AddForeign(element)
	}
	kind.Field(c, "spec.name", have.More.Name, w.Key.Name)
	fields.Compare(w, have, c)
}

func compareNetwork(w typed.Want[Spec], have *State, c *kind.Changes) {
	kind.Link(c, networkField(w.Spec), have.More.VIPNetworkID, w.Ref("Network", w.Spec.NetworkRef), kind.Replace)
}

func networkField(spec *Spec) string {
	if spec.VIPNetwork == nil && spec.VIPType != nil {
		return "spec.vipType"
	}
	return "spec.vipNetwork"
}

// compareFlavor adds only a note if the flavor is not offered, because a replacement could not be created.
func compareFlavor(w typed.Want[Spec], have *State, c *kind.Changes) {
	if w.Spec.ServiceType == nil {
		return
	}
	if _, err := have.More.offers.flavor(w.Spec.Flavor); err != nil {
		c.Note("spec.serviceType", err.Error())
		return
	}
	kind.Fixed(c, "spec.serviceType", have.More.offers.flavorName(have.More.FlavorID), w.Spec.Flavor)
}

// compareZone adds only a note if the zone is not offered, as compareFlavor does. It also adds a note if load balancers
// have no zones at all.
func compareZone(w typed.Want[Spec], have *State, c *kind.Changes) {
	if w.Spec.Zone == nil {
		return
	}
	if have.More.offers.hasNoZones() {
		c.Note("spec.zone", "is accepted and has no effect: this cloud's load balancer service has no availability zones")
		return
	}
	if err := have.More.offers.zone(w.Spec.AvailabilityZone); err != nil {
		c.Note("spec.zone", err.Error())
		return
	}
	kind.Fixed(c, "spec.zone", have.More.AvailabilityZone, w.Spec.AvailabilityZone)
}

// Status implements [typed.Kind].
func (rules) Status(s *State) any {
	shown, b := table.Shown{}, &s.More
	table.Show(&s.Spec, shown)
	table.Show(b, shown)
	if name := b.offers.flavorName(b.FlavorID); name != "" {
		shown["flavor"] = name
	}
	showAll(shown, "listeners", b.Listeners, b.showPool)
	if address := table.Or(s.Spec.VIPAddress, ""); address != "" {
		return shown.At([]string{address})
	}
	return shown
}

// showAll adds a list to the status, unless the list is empty.
func showAll[T any](shown table.Shown, name string, list []*T, more func(*T, table.Shown)) {
	all := make([]table.Shown, len(list))
	for i, one := range list {
		all[i] = table.Shown{}
		table.Show(one, all[i])
		more(one, all[i])
	}
	if len(all) > 0 {
		shown[name] = all
	}
}

// showPool adds the listener's default pool to the status.
func (b *Balancer) showPool(l *Listener, shown table.Shown) {
	p := b.pool(l.PoolID)
	if p == nil {
		return
	}
	shown["algorithm"] = p.Algorithm
	if p.Monitor != nil {
		shown["monitor"] = p.Monitor.Type
	}
	showAll(shown, "members", p.Members, func(*Member, table.Shown) {})
	if len(l.Policies) > 0 {
		shown["l7Policies"] = policyTexts(l.Policies)
	}
}
