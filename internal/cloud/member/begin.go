package member

import (
	"context"
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Peers are the machines of a wanted member's cluster, by the names of their ports: the member's own machine first, then the other machines that
// have an address.
func (k Kind[Spec]) Peers(ctx context.Context, w typed.Want[Spec], ports []string) (list []*Machine[Spec], err error) {
	tags, err := RecordsOfPorts(ctx, k.Cloud)
	if err != nil {
		return nil, err
	}
	own := k.Place(w.Spec).Port
	others := slices.DeleteFunc(slices.Clone(ports), func(name string) bool { return name == own || w.Ref("Port", name).Facts.Address == "" })
	for _, name := range append([]string{own}, others...) {
		port, m := w.Ref("Port", name), &Machine[Spec]{Spec: w.Spec}
		m.read(k.Record, port.ID, port.Facts.Address, tags[port.ID])
		list = append(list, m)
	}
	list[0].Key, list[0].Owner, list[0].Wanted = w.Key, w.Mark.Owner, true
	return list, nil
}

// Begin records that the first machine may begin a cluster at its address. It refuses if a machine was recorded as a member, or may have data. blank
// returns the reason why a machine may have data; "" if the machine itself reports that it has none.
func (k Kind[Spec]) Begin(ctx context.Context, machines []*Machine[Spec], blank func(i int) string) error {
	for _, m := range machines {
		if m.Recorded {
			return fmt.Errorf("%w: there was a %s before, whose tag %[4]s is still on port %[3]s, so no new one is created", kind.ErrBusy, k.Word, m.PortID, k.Record)
		}
	}
	for i := range machines {
		if why := blank(i); why != "" {
			return fmt.Errorf("%w: %s, so no new %s is created", kind.ErrBusy, why, k.Word)
		}
	}
	return k.Record.Begins(machines[0].Address).Put(ctx, k.Cloud, machines[0].PortID)
}
