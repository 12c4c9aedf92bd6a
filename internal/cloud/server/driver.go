package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Microversions of Nova. (nova/api/openstack/rest_api_version_history.rst)
const (
	withDescription  = "2.19"
	withTags         = "2.26"
	withoutNetworks  = "2.37"
	withFlavorID     = "2.46" // the last one
	withTagsAtCreate = "2.52"
)

type (
	driver = cloud.PlainDriver[Spec, More]
	change = cloud.PlainChange[Spec, More]
)

// join reads the ports and groups of the servers, by one list each.
func join(ctx context.Context, d driver, servers []*state) error {
	const fields = "&fields=id&fields=device_id&fields=device_owner&fields=network_id&fields=mac_address&fields=status&fields=fixed_ips"
	ports, err := cloud.ListNeutron[table.Attributes](ctx, d.Client, cloud.NeutronKind{Collection: "ports"}, "?project_id="+d.Client.ProjectID+fields)
	if err != nil {
		return err
	}
	plugged := map[string][]Interface{}
	for _, answer := range ports {
		var i Interface
		if err := table.Read(answer, &i); err != nil {
			return fmt.Errorf("port: %w", err)
		}
		if strings.HasPrefix(i.DeviceOwner, "compute:") {
			plugged[i.DeviceID] = append(plugged[i.DeviceID], i)
		}
	}
	groups, known, err := groups(ctx, d)
	for _, s := range servers {
		s.More.Interfaces, s.More.ServerGroups, s.More.GroupsKnown = plugged[s.ID], groups[s.ID], known
		slices.SortFunc(s.More.Interfaces, func(a, b Interface) int { return strings.Compare(a.PortID, b.PortID) })
	}
	return err
}

// groups lists the IDs of the server groups, by server. Some clouds do not let their
// users see them; then known is false.
func groups(ctx context.Context, d driver) (byServer map[string][]string, known bool, err error) {
	type group struct {
		ID      string   `json:"id"`
		Members []string `json:"members"`
	}
	list, err := cloud.List[group](ctx, d.Client, cloud.Call{Service: cloud.Compute, Path: "os-server-groups"}, "server_groups")
	if errors.Is(err, kind.ErrRejected) || errors.Is(err, kind.ErrGone) {
		return nil, false, nil
	}
	byServer = map[string][]string{}
	for _, g := range list {
		for _, member := range g.Members {
			byServer[member] = append(byServer[member], g.ID)
		}
	}
	return byServer, true, err
}

// create makes the server in one request. On clouds that take no tags at creation, or
// plug a server in that shall have no port, the mark says that nothing is applied
// until an update has seen to that.
// (nova/api/openstack/compute/schemas/servers.py)
func create(ctx context.Context, d driver, w want) (*state, error) {
	version, err := d.Client.Microversion(ctx, cloud.Compute, withTagsAtCreate)
	tagged, bare := cloud.AtLeast(version, withTagsAtCreate), cloud.AtLeast(version, withoutNetworks)
	if err == nil && len(w.Spec.Tags) > 0 && !tagged {
		_, err = d.Client.Require(ctx, cloud.Compute, withTags, "tags of servers")
	}
	if err != nil {
		return nil, err
	}
	if len(w.Spec.Tags) > 0 && !tagged || len(w.Spec.Ports) == 0 && !bare {
		w.Mark.Applied = ""
	}
	described := cloud.AtLeast(version, withDescription)
	body, own := d.Creation(w), notes(w, described)
	request := map[string]any{"server": body}
	if hints := hints(w, body[hintsAttribute]); len(hints) > 0 {
		request[hintsAttribute] = hints
	}
	maps.Copy(body["metadata"].(map[string]string), own)
	for name, taken := range map[string]bool{"description": described, "tags": tagged, "networks": bare || len(w.Spec.Ports) > 0, hintsAttribute: false} {
		if !taken {
			delete(body, name)
		}
	}
	made := state{Claim: cloud.Claim{Mark: &w.Mark, Project: d.Client.ProjectID, Notes: own}}
	var answer struct {
		Server struct {
			ID string `json:"id"`
		} `json:"server"`
	}
	made.Name, _ = body["name"].(string)
	made.Spec.Name, made.More = &made.Name, willHave(w)
	err = d.Client.Do(ctx, cloud.Call{Service: cloud.Compute, Method: http.MethodPost, Path: "servers", Body: request, Into: &answer, Microversion: version, Secret: secretUserData(w.Spec)})
	made.ID = answer.Server.ID
	return &made, err
}

// willHave is what a server is plugged into as soon as Nova has built it.
func willHave(w want) More {
	m := More{Status: "BUILD",
		Interfaces: each(portRefs(w), func(ref kind.Ref) Interface { return Interface{PortID: ref.ID} }),
		Volumes:    each(volumeRefs(w), func(ref kind.Ref) Volume { return Volume{ref.ID} })}
	if boot, _ := bootVolume(w); boot != "" {
		m.Volumes = append(m.Volumes, Volume{boot})
	}
	if group := w.Ref("ServerGroup", cloud.Or(w.Spec.SchedulerHints, SchedulerHints{}).ServerGroupRef); group.ID != "" {
		m.ServerGroups = []string{group.ID}
	}
	return m
}

func writePorts(w want, _ *object, body map[string]any) {
	if body["networks"] = "none"; len(w.Spec.Ports) > 0 {
		body["networks"] = each(portRefs(w), func(ref kind.Ref) map[string]string { return map[string]string{"port": ref.ID} })
	}
}

// writeDisks lists the disks of a server that has more than its image's.
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
		cloud.Put(disk, wish, value)
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

// hintsAttribute stands beside the server in the request that makes it.
const hintsAttribute = "os:scheduler_hints"

// hints adds to the hints that the fields say what they cannot.
// (nova/api/openstack/compute/schemas/servers.py: scheduler hints)
func hints(w want, fields any) map[string]any {
	out, _ := fields.(map[string]any)
	if out == nil {
		return nil
	}
	h := w.Spec.SchedulerHints
	for name, value := range h.AdditionalProperties {
		if _, taken := out[name]; !taken {
			out[name] = value
		}
	}
	if prefix, err := netip.ParsePrefix(h.BuildNearHostIP); err == nil {
		out["build_near_host_ip"], out["cidr"] = prefix.Addr().String(), fmt.Sprintf("/%d", prefix.Bits())
	}
	delete(out, "buildNearHostIP")
	delete(out, "additionalProperties")
	return out
}

// remove asks Nova to delete the server, which takes it a while.
func remove(ctx context.Context, d driver, have kind.Live[*state]) (bool, error) {
	_, err := d.Remove(ctx, have.ID)
	return false, err
}
