package server

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// plugs are the ports or the volumes of a server.
type plugs struct {
	field, path, what string
	have              []string // IDs
	refs              []kind.Ref
	body              func(i int) map[string]any // body of the request that attaches refs[i]
	holders           holders
}

func ports(w want, have *More) plugs {
	refs := portRefs(w)
	return plugs{"spec.resource.ports", "/os-interface", "port", have.portIDs(), refs, func(i int) map[string]any {
		return map[string]any{"interfaceAttachment": map[string]any{"port_id": refs[i].ID}}
	}, holdersOfPort}
}

// volumes are the server's volumes except the boot volume. While the boot volume is unknown, the result is empty,
// because the boot volume would count as surplus.
func volumes(w want, have *More) plugs {
	p := plugs{field: "spec.resource.volumes", path: "/os-volume_attachments", what: "volume", holders: holdersOfVolume}
	boot, known := bootVolume(w)
	if known {
		p.have, p.refs = slices.DeleteFunc(have.volumeIDs(), func(id string) bool { return id == boot }), volumeRefs(w)
	}
	p.body = func(i int) map[string]any {
		attachment := map[string]any{"volumeId": p.refs[i].ID}
		put(attachment, "device", w.Spec.Volumes[i].Device)
		return map[string]any{"volumeAttachment": attachment}
	}
	return p
}

// surplus returns the IDs of the ports or volumes to detach.
func (p plugs) surplus() []string {
	return slices.DeleteFunc(slices.Clone(p.have), func(id string) bool {
		return slices.ContainsFunc(p.refs, func(ref kind.Ref) bool { return ref.ID == id })
	})
}

// compare reports differences between the wanted and the attached ports or volumes as a change in place. loss names the
// data that the server loses with the surplus ones; it is "" if no data is lost.
func (p plugs) compare(c *kind.Changes, loss string) {
	ids := each(p.refs, func(ref kind.Ref) string { return cmp.Or(ref.ID, table.ID(ref)) })
	var links kind.Changes
	kind.Set(&links, p.field, p.have, ids, kind.InPlace)
	for _, change := range links.List() {
		change.Loss = loss
		c.Add(change)
	}
}

// exclusiveClaims claims the ports, because each port belongs to one server. It does not claim volumes, because some can be
// attached to several servers.
func exclusiveClaims(w want) (claims []kind.Claim) {
	for i, ref := range portRefs(w) {
		claims = append(claims, kind.Claim{Field: fmt.Sprintf("spec.resource.ports[%d].portRef", i), Owner: ref, Value: "use", HolderKind: "Server", Remedy: "give each server a port of its own"})
	}
	return claims
}

func comparePorts(w want, have *object, c *kind.Changes) { ports(w, &have.More).compare(c, "") }

// compareVolumes also names the disks that the server would lose. Their data are not deleted, but the server starts
// without these disks.
func compareVolumes(w want, have *object, c *kind.Changes) {
	p, loss := volumes(w, &have.More), ""
	if gone := p.surplus(); len(gone) > 0 {
		loss = "the disk " + strings.Join(gone, ", ") + " with the data on it"
		if len(p.refs)+len(gone) > len(p.have) {
			loss += "; another volume replaces it"
		}
	}
	p.compare(c, loss)
}

func compareBoot(w want, have *object, c *kind.Changes) {
	volumes := have.More.volumeIDs()
	if id, _ := bootVolume(w); id != "" && !slices.Contains(volumes, id) {
		c.Add(kind.Change{Field: "spec.resource.bootVolume", Have: volumes, Want: id, Disruption: kind.Replace})
	}
}

// willHave are the ports and volumes that a server has as soon as Nova has built it.
func willHave(w want) More {
	m := More{Status: "BUILD",
		Interfaces: each(portRefs(w), func(ref kind.Ref) Interface { return Interface{PortID: ref.ID} }),
		Volumes:    each(volumeRefs(w), func(ref kind.Ref) Volume { return Volume{ID: ref.ID} })}
	if boot, _ := bootVolume(w); boot != "" {
		m.Volumes = append(m.Volumes, Volume{ID: boot})
	}
	if group := w.Ref("ServerGroup", table.Or(w.Spec.SchedulerHints, SchedulerHints{}).ServerGroupRef); group.ID != "" {
		m.ServerGroups = []string{group.ID}
	}
	return m
}

func writePorts(w want, _ *object, body map[string]any) {
	if body["networks"] = "none"; len(w.Spec.Ports) > 0 {
		body["networks"] = each(portRefs(w), func(ref kind.Ref) map[string]string { return map[string]string{"port": ref.ID} })
	}
}

// writeDisks lists the disks of a server in the create request, unless the server has only the disk of its image.
func writeDisks(w want, _ *object, body map[string]any) {
	if w.Spec.BootVolume == nil && len(w.Spec.Volumes) == 0 {
		return
	}
	var disks []map[string]any
	add := func(source, to, id, wish string, value *string) {
		disk := map[string]any{"uuid": id, "source_type": source, "destination_type": to, "boot_index": -1, "delete_on_termination": to == "local"}
		if len(disks) == 0 {
			disk["boot_index"] = 0
		}
		put(disk, wish, value)
		disks = append(disks, disk)
	}
	if boot := w.Spec.BootVolume; boot != nil {
		add("volume", "volume", w.Ref("Volume", boot.VolumeRef).ID, "tag", boot.Tag)
	} else {
		add("image", "local", w.Ref("Image", w.Spec.ImageRef).ID, "", nil)
	}
	for _, v := range w.Spec.Volumes {
		add("volume", "volume", w.Ref("Volume", v.VolumeRef).ID, "device_name", v.Device)
	}
	body["block_device_mapping_v2"] = disks
}

// bootVolume is the ID of the volume that the server boots from; it is "" if there is none. bootVolume returns false while no volume of that
// name exists.
func bootVolume(w want) (id string, known bool) {
	if w.Spec.BootVolume == nil {
		return "", true
	}
	id = w.Ref("Volume", w.Spec.BootVolume.VolumeRef).ID
	return id, id != ""
}

func portRefs(w want) []kind.Ref {
	return each(w.Spec.Ports, func(p PortRef) kind.Ref { return w.Ref("Port", p.PortRef) })
}

func volumeRefs(w want) []kind.Ref {
	return each(w.Spec.Volumes, func(v VolumeRef) kind.Ref { return w.Ref("Volume", v.VolumeRef) })
}

func (m *More) portIDs() []string {
	return each(m.Interfaces, func(i Interface) string { return i.PortID })
}

func (m *More) volumeIDs() []string {
	return each(m.Volumes, func(v Volume) string { return v.ID })
}

func each[From, To any](list []From, f func(From) To) []To {
	out := make([]To, len(list))
	for i := range list {
		out[i] = f(list[i])
	}
	return out
}

// put sets an attribute of a request's body if value is given.
func put(body map[string]any, name string, value *string) {
	if value != nil {
		body[name] = *value
	}
}

// export lists the attached ports and volumes, in the order of the IDs. The first volume of a server without an image
// is its boot volume, as in Nova's list.
func export(s *state, spec *Spec, e *kind.Export) {
	spec.Ports = each(s.More.portIDs(), func(id string) PortRef { return PortRef{PortRef: id} })
	volumes := s.More.volumeIDs()
	if spec.ImageRef == "" && len(volumes) > 0 {
		spec.BootVolume, volumes = &BootVolume{VolumeRef: volumes[0]}, volumes[1:]
	}
	slices.Sort(volumes)
	spec.Volumes = nil
	for _, id := range volumes {
		spec.Volumes = append(spec.Volumes, VolumeRef{VolumeRef: id})
	}
	spec.SchedulerHints = nil
	if len(s.More.ServerGroups) > 0 {
		spec.SchedulerHints = &SchedulerHints{ServerGroupRef: s.More.ServerGroups[0]}
	}
	if !table.Or(spec.ConfigDrive, false) {
		spec.ConfigDrive = nil
	}
	if print, known := s.Notes[userDataKey]; !known || print != unset {
		e.AddLost("spec.resource.userData", "the cloud does not show it; add it to the manifest before the server is replaced")
	}
}

// portList is the collection of ports, as in [kind.Info.Lists].
const portList = cloud.Network + "/ports"

// interfaces returns the ports of the project's servers, by the ID of the server. Another kind may list all ports for the same snapshot, or there
// may be no servers. Then the request is the same as that of other kinds, so that one is enough. Such a list can be older than the list of
// servers, and lack a port of a server that was started in between. So if a server has no port in it, or fewer ports than Nova shows interfaces with
// an address, the ports are listed again.
//
// Otherwise the request asks only for the needed fields, because the list is read again and again while servers are built.
func interfaces(ctx context.Context, d driver, servers []*state) (map[string][]Interface, error) {
	if len(servers) == 0 || cloud.ListedBeside(ctx, portList) {
		plugged, err := interfacesIn(ctx, d, "ports")
		if err != nil || !slices.ContainsFunc(servers, func(s *state) bool { return len(plugged[s.ID]) < max(1, int(s.More.Cards)) }) {
			return plugged, err
		}
	}
	return interfacesIn(ctx, d, "ports?project_id="+d.Client.ProjectID+"&fields=id&fields=device_id&fields=device_owner&fields=network_id&fields=mac_address&fields=status&fields=fixed_ips")
}

// interfacesIn reads the ports in a list of Neutron.
func interfacesIn(ctx context.Context, d driver, path string) (map[string][]Interface, error) {
	plugged := map[string][]Interface{}
	as := cloud.Reading[table.Attributes, Interface]{As: "Server " + d.Client.ProjectID, Read: func(answer table.Attributes) (i Interface, err error) {
		if err := table.Read(answer, &i); err != nil {
			return i, fmt.Errorf("port: %w", err)
		}
		if project := strings.Trim(string(answer["project_id"]), `"`); project != "" && project != d.Client.ProjectID {
			i.DeviceOwner = "" // the list contains all visible ports, and this one belongs to another project
		}
		return i, nil
	}}
	err := cloud.EachRead(ctx, d.Client, cloud.Call{Service: cloud.Network, Path: path}, "ports", as, func(i Interface) error {
		if strings.HasPrefix(i.DeviceOwner, "compute:") {
			plugged[i.DeviceID] = append(plugged[i.DeviceID], i)
		}
		return nil
	})
	return plugged, err
}
