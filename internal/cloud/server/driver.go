package server

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
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

type driver struct{ c *cloud.Client }

// List reads the servers, and by two more lists their ports and groups.
func (d driver) List(ctx context.Context) ([]kind.Live[*State], error) {
	version, err := d.c.Microversion(ctx, cloud.Compute, withFlavorID)
	if err != nil {
		return nil, err
	}
	list, err := cloud.List[State](ctx, d.c, cloud.Call{Service: cloud.Compute, Path: "servers/detail", Microversion: version}, "servers")
	if err != nil {
		return nil, err
	}
	ports, err := d.ports(ctx)
	if err != nil {
		return nil, err
	}
	groups, groupsKnown, err := d.groups(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]kind.Live[*State], len(list))
	for i := range list {
		s := &list[i]
		s.Ports, s.Groups, s.GroupsKnown = ports[s.ID], groups[s.ID], groupsKnown
		out[i] = s.live(d.c.ProjectID)
	}
	return out, nil
}

// ports lists the project's ports that belong to servers, by server.
func (d driver) ports(ctx context.Context) (map[string][]port, error) {
	list, err := cloud.ListNeutron[port](ctx, d.c, cloud.NeutronKind{Collection: "ports", Singular: "port"}, "?project_id="+d.c.ProjectID+"&"+portFields)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b port) int { return cmp.Compare(a.ID, b.ID) })
	byServer := map[string][]port{}
	for _, p := range list {
		if strings.HasPrefix(p.DeviceOwner, "compute:") {
			byServer[p.DeviceID] = append(byServer[p.DeviceID], p)
		}
	}
	return byServer, nil
}

// groups lists the IDs of the server groups, by server. Some clouds do not let
// their users see them; then known is false.
func (d driver) groups(ctx context.Context) (byServer map[string][]string, known bool, err error) {
	type group struct {
		ID      string   `json:"id"`
		Members []string `json:"members"`
	}
	list, err := cloud.List[group](ctx, d.c, cloud.Call{Service: cloud.Compute, Path: "os-server-groups"}, "server_groups")
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

// Create makes the server in one request. On clouds that take no tags at creation,
// or plug a server in that shall have no port, the mark stays half-made until an
// update has seen to that.
func (d driver) Create(ctx context.Context, w kind.Want[Spec]) (kind.Live[*State], error) {
	version, err := d.c.Microversion(ctx, cloud.Compute, withTagsAtCreate)
	if err != nil {
		return kind.Live[*State]{}, err
	}
	if len(w.Spec.Tags) > 0 && !cloud.AtLeast(version, withTagsAtCreate) {
		if _, err := d.c.Require(ctx, cloud.Compute, withTags, "tags of servers"); err != nil {
			return kind.Live[*State]{}, err
		}
		w.Mark.Applied = ""
	}
	if networks(w, version) == nil {
		w.Mark.Applied = ""
	}
	var answer struct {
		Server State `json:"server"`
	}
	call := cloud.Call{Service: cloud.Compute, Method: http.MethodPost, Path: "servers", Body: creation(w, version), Into: &answer, Microversion: version, Secret: secretUserData(w.Spec)}
	if err := d.c.Do(ctx, call); err != nil {
		return kind.Live[*State]{}, err
	}
	made := &State{ID: answer.Server.ID, Name: rules{}.Name(w), ProjectID: d.c.ProjectID, Status: "BUILD", Metadata: allMetadata(w, true)}
	live := made.live(d.c.ProjectID)
	live.Uses = uses(w)
	return live, nil
}

// uses are the IDs of what the server leans on for as long as it lives.
func uses(w kind.Want[Spec]) []string {
	refs := slices.Concat(portRefs(w), volumeRefs(w))
	if boot := w.Spec.BootVolume; boot != nil {
		refs = append(refs, w.Ref("Volume", boot.VolumeRef))
	}
	if h := w.Spec.SchedulerHints; h != nil {
		refs = append(refs, w.Ref("ServerGroup", h.ServerGroupRef))
	}
	var ids []string
	for _, ref := range refs {
		if ref.ID != "" {
			ids = append(ids, ref.ID)
		}
	}
	return ids
}

// Delete asks Nova to delete the server, which takes it a while.
func (d driver) Delete(ctx context.Context, have kind.Live[*State]) (bool, error) {
	return false, d.c.Do(ctx, cloud.Call{Service: cloud.Compute, Method: http.MethodDelete, Path: "servers/" + have.ID})
}
