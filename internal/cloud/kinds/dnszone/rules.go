package dnszone

import (
	"context"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

type state = define.State[Spec, More]

func validate(s *Spec, r *kind.Report) {
	switch secondary := table.Or(s.Type, "PRIMARY") == "SECONDARY"; {
	case secondary && len(s.Masters) == 0:
		r.Problem("spec.resource.masters", "is missing", "name the servers that the zone is copied from, or use type PRIMARY")
	case secondary && s.TTL != nil:
		r.Problem("spec.resource.ttl", "is given for a SECONDARY zone", "remove the field: the value is copied with the zone")
	case secondary && s.Email != nil:
		r.Problem("spec.resource.email", "is given for a SECONDARY zone", "remove the field: the value is copied with the zone")
	case !secondary && len(s.Masters) > 0:
		r.Problem("spec.resource.masters", "is given for a PRIMARY zone", "remove it, or use type SECONDARY")
	case !secondary && s.Email == nil:
		r.Problem("spec.resource.email", "is missing", "give the address of the person who is responsible for the zone, such as hostmaster@example.org")
	}
}

func compareMasters(w typed.Want[Spec], have *table.Object[Spec, More], c *kind.Changes) {
	kind.Set(c, "spec.resource.masters", shownMasters(have.Spec.Masters), shownMasters(w.Spec.Masters), kind.InPlace)
}

// shownMasters returns name servers as Designate shows them: without the port if it is 53. A text with more than one
// colon is an IPv6 address, which Designate does not show with a port. (designate/utils.py: split_host_port)
func shownMasters(list []string) []string {
	shown := make([]string, len(list))
	for i, master := range list {
		shown[i] = master
		if host, port, _ := strings.Cut(master, ":"); port == "53" {
			shown[i] = host
		}
	}
	return shown
}

// observe sets the phase of a zone. (designate/objects/zone.py: status, action)
func observe(s *state, live *kind.Live) {
	live.Created, live.Updated, live.Facts.Name = s.More.CreatedAt.Time, s.More.UpdatedAt.Time, s.Name
	switch {
	case s.More.Action == "DELETE" || s.More.Status == "DELETED":
		live.Phase, live.Message = kind.Deleting, "is being deleted"
	case s.More.Status == "PENDING":
		live.Phase, live.Message = kind.Pending, "waits for the name servers"
	case s.More.Status == "ERROR":
		live.Phase, live.Message = kind.Degraded, "the cloud reports status ERROR: the name servers do not have these records yet"
	}
}

// remove requests the deletion of the zone. It reports the zone as not deleted yet, because Designate deletes it later.
func remove(ctx context.Context, d *define.Driver[Spec, Filter, More], have typed.Live[state]) (gone bool, err error) {
	_, err = d.Remove(ctx, have.ID)
	return false, err
}
