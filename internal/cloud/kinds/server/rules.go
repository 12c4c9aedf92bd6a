package server

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

type (
	state  = define.State[Spec, More]
	object = table.Object[Spec, More]
	want   = typed.Want[Spec]
)

func validate(s *Spec, r *kind.Report) {
	switch {
	case s.ImageRef == "" && s.BootVolume == nil:
		r.Problem("spec.resource", "does not say what to boot from", "give imageRef or bootVolume")
	case s.ImageRef != "" && s.BootVolume != nil:
		r.Problem("spec.resource.bootVolume", "is given together with imageRef", "keep one of them")
	}
	for i, tag := range s.Tags {
		if strings.ContainsAny(tag, ",/") || len(tag) > 60 || tag == "" {
			r.Problem(fmt.Sprintf("spec.resource.tags[%d]", i), "is not a tag that Nova accepts", "use 1 to 60 characters, no comma and no slash")
		}
	}
	s.moveGroup(r)
	mark.CheckMetadata(r, "key", each(s.Metadata, func(m Metadata) string { return m.Key }))
	if s.UserData != nil {
		s.UserData.validate(r)
	}
}

// moveGroup moves the server group from the field that K-ORC 2.6.0 uses to the field of later versions.
func (s *Spec) moveGroup(r *kind.Report) {
	hints := table.Or(s.SchedulerHints, SchedulerHints{})
	switch {
	case s.GroupRef == "":
		return
	case hints.ServerGroupRef != "" && hints.ServerGroupRef != s.GroupRef:
		r.Problem("spec.resource.serverGroupRef", "names a different group from schedulerHints.serverGroupRef", "keep one of them")
	}
	hints.ServerGroupRef = s.GroupRef
	s.SchedulerHints, s.GroupRef = &hints, ""
}

// zone is the first part of the availability zone: administrators may write zone:host.
func zone(s *Spec) string {
	zone, _, _ := strings.Cut(s.AvailabilityZone, ":")
	return zone
}

func compareZone(w want, have *object, c *kind.Changes) {
	if zone := zone(w.Spec); zone != "" {
		kind.Fixed(c, "spec.resource.availabilityZone", have.Spec.AvailabilityZone, zone)
	}
}

// comparedInDiffMore is the empty comparison of a field that diffMore compares, because its comparison needs the mark.
func comparedInDiffMore(want, *object, *kind.Changes) {}

// compareKey never replaces a server that was created with the wanted key pair but no longer names it. A resize to another cell
// removes the name, while the key stays in the machine. The server's metadata name the key pair with which it was created. If a
// server is older than that metadata, the mark's digest of the applied manifest decides. (Launchpad 2108974)
func compareKey(w want, have *state, c *kind.Changes) {
	key, made := w.Ref("KeyPair", w.Spec.KeypairRef), have.Notes[keyPairKey]
	unnoted := made == "" && have.Mark != nil && have.Mark.Applied == w.Mark.Applied && w.Mark.Applied != kind.HalfMade
	if have.Spec.KeypairRef == "" && key.Name != "" && (unnoted || made != "" && made == key.ID) {
		c.Note(keyField, "Nova no longer shows the key pair of the server, which happens after some resizes; the server was created with the key pair, and is not replaced")
		return
	}
	if key.Name == "" || key.ID != "" {
		kind.Fixed(c, keyField, cmp.Or(have.Spec.KeypairRef, made), key.ID)
	}
}

// compareDrive never replaces a server because it has a drive that the manifest does not want. Nova adds a drive if its
// configuration or the image demands one, so the replacement would have one, too. (nova/virt/configdrive.py: update_instance)
func compareDrive(w want, have *object, c *kind.Changes) {
	const field = "spec.resource.configDrive"
	switch asked, has := w.Spec.ConfigDrive, table.Or(have.Spec.ConfigDrive, false); {
	case asked == nil:
	case has && !*asked:
		c.Note(field, "the server has a drive nevertheless, because the cloud or the image requires a drive, or because the server was created with one; the server is not replaced")
	default:
		kind.Fixed(c, field, has, *asked)
	}
}

// diffUnseen compares values that Nova does not show, by the fingerprints that were stored at creation. If the stack did not
// create the server, or the fingerprints are lost, the values are unknown. Then diffUnseen only reports that new fingerprints have
// to be written.
func diffUnseen(w want, have *state, c *kind.Changes) {
	add := func(field, print, next string, same, known, secret bool) {
		change := kind.Change{Field: field, Have: print, Want: next, Disruption: kind.Replace, Secret: secret}
		if !known {
			change.Have, change.Disruption = kind.Unknown, kind.InPlace
		}
		if !same {
			c.Add(change)
		}
	}
	print := have.Notes[userDataKey]
	same, known := knownUserData(w, print)
	add("spec.resource.userData", print, userDataPrint(w), same, known, true)
	print, known = have.Notes[hintsKey]
	add("spec.resource.schedulerHints", print, hintsPrint(w.Spec), sameHints(w.Spec, print), known, false)
	group := w.Ref("ServerGroup", table.Or(w.Spec.SchedulerHints, SchedulerHints{}).ServerGroupRef)
	groups := have.More.ServerGroups
	if have.More.GroupsKnown && (group.Name == "" || group.ID != "" && !slices.Contains(groups, group.ID)) {
		kind.Fixed(c, "spec.resource.schedulerHints.serverGroupRef", strings.Join(groups, ","), group.ID)
	}
}

func observe(s *state, live *kind.Live) {
	live.Phase, live.Message = s.More.phase()
	if live.Phase == kind.Degraded {
		live.Down = down[s.More.Status]
	}
	if s.More.Locked {
		live.Locked = "the server is locked; unlock the server with: openstack server unlock"
	}
	live.InOwnProject = live.InOwnProject && s.Project != ""
	live.Uses, live.AutoDetached = slices.Concat(s.More.portIDs(), s.More.volumeIDs(), s.More.ServerGroups), s.More.ServerGroups
	live.Created, live.Since, live.Facts.Host = s.More.Created.Time, s.More.LaunchedAt.Time, s.More.Host
	live.WantedReplicas = s.Notes[mark.AsksKey]
	live.HostID = s.More.HostID // a digest of the host and the project
	for _, i := range s.More.Interfaces {
		first := live.Facts.Address == ""
		for _, ip := range i.FixedIPs {
			live.Tokens = append(live.Tokens, kind.ValueToken(ip.SubnetID, ip.IPAddress))
			if live.Facts.Address == "" {
				live.Facts.Address, live.Facts.SubnetID = ip.IPAddress, ip.SubnetID
			}
			if first {
				live.Facts.Addresses = append(live.Facts.Addresses, ip.IPAddress)
			}
		}
	}
	if text, ok := s.Notes[descriptionKey]; ok {
		s.Spec.Description = &text
	}
}

func addresses(s *state) (list []string) {
	for _, i := range s.More.Interfaces {
		for _, ip := range i.FixedIPs {
			list = append(list, ip.IPAddress)
		}
	}
	return list
}

// phase is the state of a server. A server in ERROR that has been running is degraded, not failed, because its disk may hold data
// that people need. (api-guide: server concepts)
func (m *More) phase() (kind.Phase, string) {
	status := m.Status
	if m.TaskState == "deleting" {
		status = "DELETED"
	}
	switch status {
	case "DELETED", "SOFT_DELETED":
		return kind.Deleting, "is being deleted"
	case "ACTIVE":
		return kind.Ready, ""
	case "BUILD", "REBUILD", "REBOOT", "HARD_REBOOT", "RESIZE", "REVERT_RESIZE", "MIGRATING", "PASSWORD":
		return kind.Pending, strings.TrimSpace("is in " + status + " " + m.TaskState)
	case resized:
		return kind.Degraded, "waits for somebody to confirm or revert its resize"
	case "ERROR":
		text := strings.TrimRight(m.Fault, ". ")
		if text == "" {
			text = "the cloud gives no reason"
		}
		if m.LaunchedAt.IsZero() {
			return kind.Failed, text
		}
		return kind.Degraded, "is in ERROR: " + text + "; the server was running before, so it is recreated only if its group heals it; reset its state, or delete it"
	}
	return kind.Degraded, "is " + status
}

// down maps the states in which a server exists but does not work to a word for messages. (api-guide: server concepts)
var down = map[string]string{"ERROR": "failed", "SHUTOFF": "stopped", "PAUSED": "paused", "SUSPENDED": "paused",
	"SHELVED": "shelved", "SHELVED_OFFLOADED": "shelved", "RESCUE": "in rescue"}
