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
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// The constants are microversions of Nova. (nova/api/openstack/rest_api_version_history.rst)
const (
	withDescription  = "2.19"
	withTags         = "2.26"
	withoutNetworks  = "2.37"
	withFlavorID     = "2.46" // the last version that shows the flavor's ID
	withTagsAtCreate = "2.52"
	withGroupRules   = "2.64" // the list of groups that the kind ServerGroup reads
	// These are the first versions in which a rebuild accepts another key pair, and other user data.
	withKeyAtRebuild      = "2.54"
	withUserDataAtRebuild = "2.57"
	// withVolumeAtRebuild is the first version in which a rebuild writes an image to the boot volume. withReimage is the
	// version of Cinder that supports it.
	withVolumeAtRebuild = "2.93"
	withReimage         = "3.68"
)

type (
	driver = *define.Driver[Spec, Filter, More]
	change = define.Change[Spec, More]
)

// join reads the ports and the server groups of all servers, with one list for each collection. It also reads faults and images.
func join(ctx context.Context, d driver, servers []*state) error {
	plugged, err := interfaces(ctx, d, servers)
	if err != nil {
		return err
	}
	if err := leftOut(ctx, d, servers, plugged); err != nil || len(servers) == 0 {
		return err
	}
	groups, known, err := groups(ctx, d)
	for _, s := range servers {
		s.More.Interfaces, s.More.ServerGroups, s.More.GroupsKnown = plugged[s.ID], groups[s.ID], known
		slices.SortFunc(s.More.Interfaces, func(a, b Interface) int { return strings.Compare(a.PortID, b.PortID) })
	}
	if err != nil {
		return err
	}
	if err := joinFaults(ctx, d, servers); err != nil {
		return err
	}
	return joinImages(ctx, d, servers)
}

// groups returns the IDs of the server groups, by the ID of the server; false if the cloud does not show server groups to this
// user.
func groups(ctx context.Context, d driver) (byServer map[string][]string, known bool, err error) {
	type group struct {
		ID      string   `json:"id"`
		Members []string `json:"members"`
	}
	version, err := d.Client.Microversion(ctx, cloud.Compute, withGroupRules)
	if err != nil {
		return nil, false, err
	}
	list, err := cloud.List[group](ctx, d.Client, cloud.Call{Service: cloud.Compute, Path: "os-server-groups", Microversion: version}, "server_groups")
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

// create creates the server in one request. Some clouds accept no tags at creation, or connect a server that must
// have no port. On such a cloud, the mark says that nothing is applied yet, until an update has corrected the server.
// (nova/api/openstack/compute/schemas/servers.py)
func (c completer) create(ctx context.Context, d driver, w want) (*state, error) {
	version, err := d.Client.Microversion(ctx, cloud.Compute, withTagsAtCreate)
	tagged, bare := cloud.AtLeast(version, withTagsAtCreate), cloud.AtLeast(version, withoutNetworks)
	if err == nil && len(w.Spec.Tags) > 0 && !tagged {
		_, err = d.Client.Require(ctx, cloud.Compute, withTags, "tags of servers")
	}
	if err != nil {
		return nil, err
	}
	if len(w.Spec.Tags) > 0 && !tagged || len(w.Spec.Ports) == 0 && !bare {
		w.Mark = mark.HalfMade(w.Mark)
	}
	described := cloud.AtLeast(version, withDescription)
	script, given, err := c.completed(w)
	if err != nil {
		return nil, err
	}
	body, own := d.Creation(w), ownMetadata(w, described)
	if given {
		body[userDataAttribute] = encoded(script)
	}
	request := map[string]any{"server": body}
	if hints := hints(w, body[hintsAttribute]); len(hints) > 0 {
		request[hintsAttribute] = hints
	}
	maps.Copy(body["metadata"].(map[string]string), own) // Creation has put the mark there
	for name, taken := range map[string]bool{"description": described, "tags": tagged, "networks": bare || len(w.Spec.Ports) > 0, hintsAttribute: false} {
		if !taken {
			delete(body, name)
		}
	}
	made := state{Claim: mark.Claim{Mark: w.CopyMark(), Project: d.Client.ProjectID, Notes: own}}
	var answer struct {
		Server struct {
			ID string `json:"id"`
		} `json:"server"`
	}
	made.Name, _ = body["name"].(string)
	made.Spec.Name, made.More = &made.Name, willHave(w)
	err = d.Client.Do(ctx, cloud.Call{Service: cloud.Compute, Method: http.MethodPost, Path: "servers", Body: request, Into: &answer, Microversion: version, Secret: secretUserData(w.Spec)})
	made.ID = answer.Server.ID
	return &made, orWait(ctx, d.Client, w, detachFromGone(ctx, d.Client, w, err))
}

// hintsAttribute is an attribute of the create request, next to the attribute server.
const hintsAttribute = "os:scheduler_hints"

// hints adds the hints of the manifest that the fields cannot express.
// (nova/api/openstack/compute/schemas/servers.py: scheduler hints)
func hints(w want, fields any) map[string]any {
	out, _ := fields.(map[string]any)
	if out == nil {
		return nil
	}
	delete(out, "buildNearHostIP")
	delete(out, "additionalProperties")
	h := w.Spec.SchedulerHints
	for name, value := range h.AdditionalProperties {
		if _, taken := out[name]; !taken {
			out[name] = value
		}
	}
	if prefix, err := netip.ParsePrefix(h.BuildNearHostIP); err == nil {
		out["build_near_host_ip"], out["cidr"] = prefix.Addr().String(), fmt.Sprintf("/%d", prefix.Bits())
	}
	return out
}

// update resizes the server, or confirms a resize. Otherwise it writes the changed name and description, and exchanges ports and
// volumes; other fields, such as flavorRef, are in the requests of ways (ways.go). Then it writes the metadata, which contain the mark, or rebuilds the server with them.
//
// Nova detaches asynchronously. Until it has finished, update returns an error that means busy.
func (c completer) update(ctx context.Context, d driver, n change) error {
	version, err := d.Client.Microversion(ctx, cloud.Compute, withDescription)
	if err != nil {
		return err
	}
	u, described := requests{driver: d, completer: c, ctx: ctx, id: n.Have.ID}, cloud.AtLeast(version, withDescription)
	switch {
	case hasWay(n.Changes, byRestart):
		return u.restart(n.Have.State.More.Status)
	case hasWay(n.Changes, byConfirm):
		return u.confirm()
	case hasWay(n.Changes, byResize):
		return u.resize(n)
	case n.Have.State.More.Status == resized:
		return fmt.Errorf("%w: the server cannot be changed until somebody confirms or reverts its resize (openstack server resize confirm, or revert)", kind.ErrRejected)
	case !hasWay(n.Changes, byRebuild):
		u.err = writable(&n.Have.State.More)
	}
	u.keepVolumes(&n.Have.State.More)
	fields := map[string]any{}
	for name, taken := range map[string]bool{"name": true, "description": described} {
		if value, changed := n.Fields[name]; changed && taken {
			fields[name] = value
		}
	}
	if len(fields) > 0 {
		u.do(cloud.Call{Method: http.MethodPut, Body: map[string]any{"server": fields}, Microversion: version})
	}
	if tags, changed := n.Fields["tags"]; changed {
		tagging, err := d.Client.Require(ctx, cloud.Compute, withTags, "tags of servers")
		u.err = errors.Join(u.err, err)
		u.do(cloud.Call{Method: http.MethodPut, Path: "/tags", Body: map[string]any{"tags": tags}, Microversion: tagging})
	}
	for _, p := range []plugs{ports(n.Want, &n.Have.State.More), volumes(n.Want, &n.Have.State.More)} {
		if kind.Has(n.Changes, p.field) {
			u.exchange(p, n.Want.Mark)
		}
	}
	if hasWay(n.Changes, byRebuild) {
		u.rebuild(n, metadata(n, described))
		return u.err
	}
	u.do(cloud.Call{Method: http.MethodPut, Path: "/metadata", Body: map[string]any{"metadata": metadata(n, described)}})
	return u.err
}

// metadata are the server's metadata after an update. A value that the plan does not change is written as it was
// read: somebody else may manage it.
func metadata(n change, described bool) map[string]string {
	own, changed := n.Fields["metadata"].(map[string]string)
	if !changed {
		own = peoplesMetadata(n.Have.State)
	}
	all, next, have := mark.Metadata(n.Want.Mark, own), ownMetadata(n.Want, described), n.Have.State.Notes
	if asks, ok := have[mark.AsksKey]; ok { // another program wrote it
		all[mark.AsksKey] = asks
	}
	if target, ok := have[mark.TargetKey]; ok {
		all[mark.TargetKey] = target
	}
	same, _ := knownUserData(n.Want, have[userDataKey])
	shown := n.Have.State.Spec.KeypairRef != "" && n.Have.State.Spec.KeypairRef == next[keyPairKey]
	for note, field := range map[string]string{
		userDataKey: "spec.resource.userData", hintsKey: "spec.resource.schedulerHints", descriptionKey: "spec.resource.description",
		keyPairKey: keyField,
	} {
		from := have
		if kind.Has(n.Changes, field) || note == userDataKey && same || note == keyPairKey && shown { // the field changes, or the note is written again in the current form
			from = next
		}
		if text, ok := from[note]; ok {
			all[note] = text
		}
	}
	return all
}

// peoplesMetadata are the metadata of the server that people wrote.
func peoplesMetadata(s *state) map[string]string {
	own := map[string]string{}
	for _, m := range s.Spec.Metadata {
		own[m.Key] = m.Value
	}
	return own
}

// unmark removes all metadata that people did not write. If the cloud can store the description only in the
// metadata, that stays, too.
func unmark(ctx context.Context, d driver, have typed.Live[state]) error {
	left := peoplesMetadata(have.State)
	if text, ok := have.State.Notes[descriptionKey]; ok {
		left[descriptionKey] = text
	}
	u := requests{driver: d, ctx: ctx, id: have.ID, err: writable(&have.State.More)}
	u.do(cloud.Call{Method: http.MethodPut, Path: "/metadata", Body: map[string]any{"metadata": left}})
	return u.err
}

// requests is a series of requests for one server. After the first error, no further request is sent.
type requests struct {
	driver
	completer
	ctx context.Context
	id  string
	err error
}

// do sends a request whose path continues the path of the server.
func (u *requests) do(call cloud.Call) {
	if u.err == nil {
		call.Service, call.Path = cloud.Compute, u.Path(u.id)+call.Path
		u.err = u.Client.Do(u.ctx, call)
	}
}

// elsewhere are Nova's messages about a port or volume that another server still uses. Nova answers 400 where other
// services answer 409. (nova/volume/cinder.py: check_attach, nova/compute/api.py: begin_detaching)
var elsewhere = []string{"is still in use", "status is in-use", "already attached", "Unable to detach volume", "must be attached"}

// patiently sends a request. If Nova rejects it because another server still uses the port or volume, the error means
// busy.
func (u *requests) patiently(call cloud.Call) {
	if u.err != nil {
		return
	}
	u.do(call)
	if errors.Is(u.err, kind.ErrGone) && call.Method == http.MethodDelete {
		u.err = nil
	}
	u.err = cloud.Passes(u.err, elsewhere...)
}
