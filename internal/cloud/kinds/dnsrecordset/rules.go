package dnsrecordset

import (
	"context"
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

func validate(s *Spec, r *kind.Report) {
	if s.Type == "NS" && s.Name == "@" {
		r.Problem(table.Path("name"), "is the name of the zone, and the cloud manages the name servers of the zone", "remove the manifest, or give the name of a subdomain that you delegate to other name servers")
	}
	if s.Type == "CNAME" && s.Name == "@" {
		r.Problem(table.Path("name"), "is the name of the zone, which cannot be an alias", "use type A with the address, or another name")
	}
	s.validateSource(r)
	if s.Type == "CNAME" && len(s.Records) > 1 {
		r.Problem(table.Path("records"), fmt.Sprintf("are %d", len(s.Records)), "an alias has only one record: remove the others")
	}
	for i, text := range s.Records {
		if _, wrong, fix := spell(s.Type, text); wrong != "" {
			r.Problem(fmt.Sprintf("%s[%d]", table.Path("records"), i), wrong, fix)
		}
	}
}

// lookupKey returns the text by which a record set is found. A zone has one record set for each name and type.
func lookupKey(name, of string) string {
	if name == "" || of == "" {
		return ""
	}
	return strings.ToLower(name) + " " + of
}

// absolute returns the full name: name and the name of the zone. It returns "" while the zone's name is unknown.
func absolute(name, zone string) string {
	switch {
	case strings.HasSuffix(name, "."):
		return name
	case zone == "":
		return ""
	case name == "@":
		return zone
	}
	return name + "." + zone
}

func fullName(w typed.Want[Spec], relative string) string {
	if from, ok := w.Spec.reverseSource(); ok {
		name, _ := reverseName(w, from)
		return name
	}
	return absolute(relative, w.Ref("DNSZone", w.Spec.ZoneRef).Facts.Name)
}

func name(w typed.Want[Spec], relative string) string {
	return lookupKey(fullName(w, relative), w.Spec.Type)
}

// manifestName returns the name that the manifest gives.
func manifestName(w typed.Want[Spec]) string {
	if w.Spec.Name == "" {
		return w.Key.Name
	}
	return w.Spec.Name
}

// compareName always replaces the record set if its name differs, because a record set is defined by its name. It does
// so even if the manifest has not changed.
func compareName(w typed.Want[Spec], have *object, c *kind.Changes) {
	if from, ok := w.Spec.reverseSource(); ok {
		compareBackwards(w, from, have, c)
		return
	}
	if want := fullName(w, manifestName(w)); want != "" && !strings.EqualFold(want, have.Spec.Name) {
		kind.Fixed(c, table.Path("name"), have.Spec.Name, want)
	}
}

func writeName(w typed.Want[Spec], _ *object, body map[string]any) {
	body["name"] = fullName(w, manifestName(w))
}

func compareTTL(w typed.Want[Spec], have *object, c *kind.Changes) {
	kind.Field(c, table.Path("ttl"), seconds(have.Spec.TTL), seconds(w.Spec.TTL))
}

// seconds returns a TTL as a plan shows it.
func seconds(ttl *int) any {
	if ttl == nil {
		return "as the zone"
	}
	return *ttl
}

func writeTTL(w typed.Want[Spec], have *object, body map[string]any) {
	switch {
	case w.Spec.TTL != nil:
		body["ttl"] = *w.Spec.TTL
	case have != nil:
		body["ttl"] = nil
	}
}

// impossible returns a reason if Designate would refuse the name because of the zone (central/service.py:
// _is_valid_recordset_name). It also refuses a full name without its final dot, because Designate would add the zone's
// name to it.
func impossible(w typed.Want[Spec]) string {
	if _, ok := w.Spec.reverseSource(); ok {
		return ""
	}
	zone := w.Ref("DNSZone", w.Spec.ZoneRef)
	name, at := manifestName(w), "spec.resource.name: "
	full, bare := strings.ToLower(absolute(name, zone.Facts.Name)), strings.ToLower(strings.TrimSuffix(zone.Facts.Name, "."))
	switch {
	case bare == "" || full == "":
		return ""
	case full != bare+"." && !strings.HasSuffix(full, "."+bare+"."):
		return fmt.Sprintf("%s%s is not within zone %s; give a name within the zone, or name another zone", at, name, zone.Facts.Name)
	case strings.ToLower(name) == bare || !strings.HasSuffix(name, ".") && strings.HasSuffix(strings.ToLower(name), "."+bare):
		return fmt.Sprintf("%s%s would be %s; did you mean %s.?", at, name, full, name)
	case full == bare+"." && w.Spec.Type == "CNAME":
		return fmt.Sprintf("%s%s is the name of the zone, which cannot be an alias; use type A with the address, or another name", at, name)
	}
	return ""
}

// observe sets the phase of a record set. A record set in ERROR can be changed and deleted, and Designate itself tries
// again. (designate/objects/recordset.py: status, action)
func observe(s *state, live *kind.Live) {
	live.Name, live.Uses = lookupKey(s.Spec.Name, s.Spec.Type), []string{s.Spec.ZoneRef}
	live.Facts.Name = s.Spec.Name
	live.Created, live.Updated = s.More.CreatedAt.Time, s.More.UpdatedAt.Time
	live.InOwnProject = live.InOwnProject && !managedByDesignate(&s.Object)
	switch {
	case s.More.Action == "DELETE" || s.More.Status == "DELETED":
		live.Phase, live.Message = kind.Deleting, "is being deleted"
	case s.More.Status == "PENDING":
		live.Phase, live.Message = kind.Pending, "waits for the name servers"
	case s.More.Status == "ERROR":
		live.Phase, live.Message = kind.Degraded, "the cloud reports status ERROR: the name servers do not have these records yet"
	}
}

// managedByDesignate reports whether Designate itself manages the record set as part of its zone.
func managedByDesignate(o *object) bool {
	return o.Spec.Type == "SOA" || o.Spec.Type == "NS" && strings.EqualFold(o.Spec.Name, o.More.ZoneName)
}

func create(ctx context.Context, d driver, w typed.Want[Spec]) (*state, error) {
	if f := following(w); f.missing != "" {
		return nil, fmt.Errorf("%w: %s: %s", kind.ErrRejected, f.field, f.why(w.Spec.Type))
	}
	if from, ok := w.Spec.reverseSource(); ok {
		if _, missing := reverseName(w, from); missing != "" {
			return nil, fmt.Errorf("%w: %s: %s", kind.ErrRejected, table.Path(from.field), nowhere(w, missing))
		}
	}
	return d.Post(ctx, w, d.Creation(w))
}

// remove reports the record set as not deleted yet, because Designate only accepts the request (202) and deletes later.
func remove(ctx context.Context, d driver, have typed.Live[state]) (gone bool, err error) {
	_, err = d.Remove(ctx, have.ID)
	return false, err
}
