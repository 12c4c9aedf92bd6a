package server

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/netip"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// creation is the body of the request that makes the server at a microversion.
// (nova/api/openstack/compute/schemas/servers.py)
func creation(w kind.Want[Spec], version string) map[string]any {
	want := w.Spec
	hasDescription := cloud.AtLeast(version, withDescription)
	server := map[string]any{
		"name": rules{}.Name(w), "flavorRef": w.Ref("Flavor", want.FlavorRef).ID, "metadata": allMetadata(w, hasDescription),
	}
	if image := w.Ref("Image", want.ImageRef); image.Name != "" {
		server["imageRef"] = image.ID
	}
	if disks := blockDevices(w); disks != nil {
		server["block_device_mapping_v2"] = disks
	}
	if networks := networks(w, version); networks != nil {
		server["networks"] = networks
	}
	if text, given := userData(w); given {
		server["user_data"] = base64.StdEncoding.EncodeToString([]byte(text))
	}
	if want.Description != nil && hasDescription {
		server["description"] = *want.Description
	}
	if want.AvailabilityZone != "" {
		server["availability_zone"] = want.AvailabilityZone
	}
	if key := w.Ref("KeyPair", want.KeypairRef); key.Name != "" {
		server["key_name"] = key.ID
	}
	cloud.Put(server, "config_drive", want.ConfigDrive)
	if len(want.Tags) > 0 && cloud.AtLeast(version, withTagsAtCreate) {
		server["tags"] = want.Tags
	}
	body := map[string]any{"server": server}
	if hints := hints(w); len(hints) > 0 {
		body["os:scheduler_hints"] = hints
	}
	return body
}

func networks(w kind.Want[Spec], version string) any {
	var list []map[string]any
	for _, ref := range portRefs(w) {
		list = append(list, map[string]any{"port": ref.ID})
	}
	switch {
	case list != nil:
		return list
	case cloud.AtLeast(version, withoutNetworks):
		return "none"
	}
	return nil
}

// blockDevices lists the disks of a server that has more than its image's.
func blockDevices(w kind.Want[Spec]) []map[string]any {
	if w.Spec.BootVolume == nil && len(w.Spec.Volumes) == 0 {
		return nil
	}
	volume := func(id string, index int) map[string]any {
		return map[string]any{"uuid": id, "source_type": "volume", "destination_type": "volume", "boot_index": index, "delete_on_termination": false}
	}
	var disks []map[string]any
	if boot := w.Spec.BootVolume; boot != nil {
		disk := volume(w.Ref("Volume", boot.VolumeRef).ID, 0)
		cloud.Put(disk, "tag", boot.Tag)
		disks = append(disks, disk)
	} else {
		disks = append(disks, map[string]any{"uuid": w.Ref("Image", w.Spec.ImageRef).ID, "source_type": "image",
			"destination_type": "local", "boot_index": 0, "delete_on_termination": true})
	}
	for _, v := range w.Spec.Volumes {
		disk := volume(w.Ref("Volume", v.VolumeRef).ID, -1)
		cloud.Put(disk, "device_name", v.Device)
		disks = append(disks, disk)
	}
	return disks
}

// hints are the scheduler hints in Nova's words.
// (nova/api/openstack/compute/schemas/servers.py: scheduler hints)
func hints(w kind.Want[Spec]) map[string]any {
	h := w.Spec.SchedulerHints
	out := map[string]any{}
	if h == nil {
		return out
	}
	for name, value := range h.AdditionalProperties {
		out[name] = value
	}
	servers := func(names []string) []string {
		ids := make([]string, len(names))
		for i, name := range names {
			ids[i] = w.Ref("Server", name).ID
		}
		return ids
	}
	maps.Copy(out, given(map[string]string{"group": w.Ref("ServerGroup", h.ServerGroupRef).ID, "query": h.Query, "target_cell": h.TargetCell}))
	if h.DifferentHostServerRefs != nil {
		out["different_host"] = servers(h.DifferentHostServerRefs)
	}
	if h.SameHostServerRefs != nil {
		out["same_host"] = servers(h.SameHostServerRefs)
	}
	if h.DifferentCell != nil {
		out["different_cell"] = h.DifferentCell
	}
	if prefix, err := netip.ParsePrefix(h.BuildNearHostIP); err == nil {
		out["build_near_host_ip"], out["cidr"] = prefix.Addr().String(), fmt.Sprintf("/%d", prefix.Bits())
	}
	return out
}

// given leaves out what is empty.
func given(all map[string]string) map[string]any {
	out := map[string]any{}
	for name, value := range all {
		if value != "" {
			out[name] = value
		}
	}
	return out
}
