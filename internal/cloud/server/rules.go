package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Metadata keys of what Nova does not show (user data, hints), or did not
// have (descriptions before 2.19). They hold fingerprints, or unset.
const (
	userDataKey    = cloud.OwnerKey + "-user-data"
	hintsKey       = cloud.OwnerKey + "-hints"
	descriptionKey = cloud.OwnerKey + "-description"
	unset          = "none"
)

func (rules) Name(w kind.Want[Spec]) string { return cloud.Name(w.Spec.Name, w.Key.Name) }

func (rules) Validate(s *Spec, r *kind.Report) {
	switch {
	case s.ImageRef == "" && s.BootVolume == nil:
		r.Problem("spec.resource", "says not what to boot from", "give imageRef or bootVolume")
	case s.ImageRef != "" && s.BootVolume != nil:
		r.Problem("spec.resource.bootVolume", "is given beside imageRef", "keep one of them")
	}
	for i, tag := range s.Tags {
		if strings.ContainsAny(tag, ",/") || len(tag) > 60 || tag == "" {
			r.Problem(fmt.Sprintf("spec.resource.tags[%d]", i), "is not a tag that Nova takes", "use 1 to 60 characters, no comma and no slash")
		}
	}
	seen := map[string]bool{}
	for i, m := range s.Metadata {
		field := fmt.Sprintf("spec.resource.metadata[%d].key", i)
		switch {
		case seen[m.Key]:
			r.Problem(field, "is given twice", "keep one of them")
		case kind.ReservedKey(m.Key):
			r.Problem(field, "is reserved for the mark of the owner", "choose another key")
		}
		seen[m.Key] = true
	}
	if u := s.UserData; u != nil {
		validateUserData(u, r)
	}
}

func validateUserData(u *UserData, r *kind.Report) {
	check := cloud.UserData{Script: u.Script}
	check.Source("spec.resource.userData", "give one of secretRef, secretKeyRef, configMapRef and value", r,
		u.SecretRef != nil, u.SecretKeyRef != nil, u.ConfigMapRef != nil, u.Value != nil)
	if u.Value != nil {
		check.Text("spec.resource.userData.value", *u.Value, r)
	}
}

// Expand makes no object; it looks whether the user data that the server refers
// to is there.
func (rules) Expand(s *Spec, e *kind.Expansion) {
	u := s.UserData
	switch {
	case u == nil:
	case u.SecretRef != nil:
		u.look(e, "spec.resource.userData.secretRef", "Secret", *u.SecretRef, secretKeys...)
	case u.SecretKeyRef != nil:
		u.look(e, "spec.resource.userData.secretKeyRef.key", "Secret", u.SecretKeyRef.Name, u.SecretKeyRef.Key)
	case u.ConfigMapRef != nil:
		u.look(e, "spec.resource.userData.configMapRef.key", "ConfigMap", u.ConfigMapRef.Name, u.ConfigMapRef.Key)
	}
}

func (u *UserData) look(e *kind.Expansion, field, kind, name string, keys ...string) {
	if e.Declares(kind, name) { // a missing object is reported with the other references
		cloud.UserData{Script: u.Script}.Entry(field, kind, name, e, keys...)
	}
}

// hintsPrint fingerprints the hints but the server group, which can be seen.
func hintsPrint(s *Spec) string {
	if s.SchedulerHints == nil {
		return unset
	}
	hints := *s.SchedulerHints
	hints.ServerGroupRef = ""
	text, err := json.Marshal(hints)
	if err != nil || string(text) == "{}" {
		return unset
	}
	return kind.Digest(string(text))
}

func (rules) Diff(w kind.Want[Spec], have *State, c *kind.Changes) {
	want := w.Spec
	kind.Field(c, "spec.resource.name", have.Name, rules{}.Name(w))
	kind.Field(c, "spec.resource.description", have.description(), cloud.Or(want.Description, ""))
	kind.Set(c, "spec.resource.tags", have.Tags, want.Tags, kind.InPlace)
	kind.Field(c, "spec.resource.metadata", cloud.UserMetadata(have.Metadata), metadata(want))
	kind.Link(c, "spec.resource.flavorRef", have.Flavor.ID, w.Ref("Flavor", want.FlavorRef), kind.Replace)
	kind.Link(c, "spec.resource.imageRef", have.Image.ID, w.Ref("Image", want.ImageRef), kind.Replace)
	if want.AvailabilityZone != "" {
		zone, _, _ := strings.Cut(want.AvailabilityZone, ":") // zone:host, for administrators
		kind.Fixed(c, "spec.resource.availabilityZone", have.AvailabilityZone, zone)
	}
	if key := w.Ref("KeyPair", want.KeypairRef); key.Name == "" || key.ID != "" {
		kind.Fixed(c, "spec.resource.keypairRef", have.KeyName, key.ID)
	}
	kind.Pointer(c, "spec.resource.configDrive", have.ConfigDrive == "True", want.ConfigDrive, kind.Replace)
	diffLinks(c, "spec.resource.ports", have.portIDs(), portRefs(w))
	diffVolumes(w, have, c)
	diffUnseen(w, have, c)
}

func diffVolumes(w kind.Want[Spec], have *State, c *kind.Changes) {
	boot := ""
	if w.Spec.BootVolume != nil {
		ref := w.Ref("Volume", w.Spec.BootVolume.VolumeRef)
		boot = ref.ID
		if boot != "" && !slices.Contains(have.volumeIDs(), boot) {
			c.Add(kind.Change{Field: "spec.resource.bootVolume", Have: have.volumeIDs(), Want: boot, Disruption: kind.Replace})
		}
		if boot == "" {
			return // which of the volumes is booted from cannot be told
		}
	}
	diffDisks(c, have.dataVolumes(boot), volumeRefs(w))
}

// diffDisks says which disks the server would lose, too: their data is not deleted,
// and yet the server starts without it.
func diffDisks(c *kind.Changes, have []string, want []kind.Ref) {
	const field = "spec.resource.volumes"
	var links kind.Changes
	diffLinks(&links, field, have, want)
	for _, change := range links.List() {
		gone := slices.DeleteFunc(slices.Clone(have), func(id string) bool {
			return slices.ContainsFunc(want, func(ref kind.Ref) bool { return ref.ID == id })
		})
		if len(gone) > 0 {
			change.Loss = "the disk " + strings.Join(gone, ", ") + " with the data on it"
			if len(want)+len(gone) > len(have) {
				change.Loss += "; another takes its place"
			}
		}
		c.Add(change)
	}
}

// diffUnseen compares what Nova does not show by the fingerprints that were
// left at creation. Of a server that we did not make, or that has lost them,
// nothing is known; then they are only written down.
func diffUnseen(w kind.Want[Spec], have *State, c *kind.Changes) {
	add := func(field, print, want string, same, known, secret bool) {
		change := kind.Change{Field: field, Have: print, Want: want, Disruption: kind.Replace, Secret: secret}
		if !known {
			change.Have, change.Disruption = "unknown", kind.InPlace
		}
		if !same {
			c.Add(change)
		}
	}
	print := have.Metadata[userDataKey]
	same, known := knownUserData(w, print)
	add("spec.resource.userData", print, userDataPrint(w), same, known, true)
	print, known = have.Metadata[hintsKey]
	add("spec.resource.schedulerHints", print, hintsPrint(w.Spec), print == hintsPrint(w.Spec), known, false)
	if !have.GroupsKnown {
		return
	}
	name := ""
	if w.Spec.SchedulerHints != nil {
		name = w.Spec.SchedulerHints.ServerGroupRef
	}
	group := w.Ref("ServerGroup", name)
	if name == "" || group.ID != "" && !slices.Contains(have.Groups, group.ID) {
		kind.Fixed(c, "spec.resource.schedulerHints.serverGroupRef", strings.Join(have.Groups, ","), group.ID)
	}
}

// diffLinks reports a set of references that can be changed in place.
func diffLinks(c *kind.Changes, field string, have []string, want []kind.Ref) {
	ids := make([]string, len(want))
	for i, ref := range want {
		if ids[i] = ref.ID; ref.ID == "" {
			ids[i] = "known once " + ref.Key.String() + " is ready"
		}
	}
	kind.Set(c, field, have, ids, kind.InPlace)
}

func portRefs(w kind.Want[Spec]) []kind.Ref {
	refs := make([]kind.Ref, len(w.Spec.Ports))
	for i, p := range w.Spec.Ports {
		refs[i] = w.Ref("Port", p.PortRef)
	}
	return refs
}

func volumeRefs(w kind.Want[Spec]) []kind.Ref {
	refs := make([]kind.Ref, len(w.Spec.Volumes))
	for i, v := range w.Spec.Volumes {
		refs[i] = w.Ref("Volume", v.VolumeRef)
	}
	return refs
}

func metadata(s *Spec) map[string]string {
	out := make(map[string]string, len(s.Metadata))
	for _, m := range s.Metadata {
		out[m.Key] = m.Value
	}
	return out
}

// allMetadata is everything the server's metadata shall hold.
func allMetadata(w kind.Want[Spec], hasDescription bool) map[string]string {
	all := cloud.Metadata(w.Mark, metadata(w.Spec))
	maps.Copy(all, map[string]string{userDataKey: userDataPrint(w), hintsKey: hintsPrint(w.Spec)})
	if text := cloud.Or(w.Spec.Description, ""); text != "" && !hasDescription {
		all[descriptionKey] = text
	}
	return all
}

func (rules) Match(w kind.Want[Filter], have *State) bool {
	f := w.Spec
	return cloud.Is(f.Name, have.Name) && (f.AvailabilityZone == "" || f.AvailabilityZone == have.AvailabilityZone) && f.TagFilter.MatchTags(have.Tags)
}
