package m3dbcluster

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/etcdtls"
	"github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/m3"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Expand creates
//
//	EtcdCluster/NAME-etcd          an etcd, if nothing names one that exists
//	SecurityGroup/NAME             the rules about who may connect to the machines
//	VirtualMachineGroup/NAME       the machines, which are changed one at a time
//	M3DBInstance/NAME-0 …          the machines' instances in the cluster, created one after the other
//	M3DBNamespace/NAME-NAMESPACE   the namespaces of the cluster
func (r rules) Expand(s *Spec, e *kind.Expansion) {
	if s.EtcdTLSSecret != "" {
		etcdtls.Check(e, secretField, s.EtcdTLSSecret, r.now())
	}
	d := r.defaults.M3
	if d == nil {
		d = &defaults.M3{}
	}
	s.note(e)
	m, whole := s.Machine.Complete("m3", d.Image, d.Flavor, e)
	version, ok := s.version(d, e)
	if !ok || !whole {
		return
	}
	if s.Frozen {
		e.Suspend()
	}
	e.Public() // otherwise each word of the script would be removed from messages as a secret
	template := m.Fields()
	found, ok := r.etcd(s, d, m, e)
	if !ok {
		return
	}
	groups := append([]string{e.Key.Name}, m.SecurityGroups...)
	if found.cluster != "" { // the security group of the EtcdCluster also admits all machines that have it
		groups = append(groups, found.cluster)
	}
	template["securityGroups"] = groups
	from, sum := cmp.Or(s.Repository, d.Repository, defaultRepository), cmp.Or(s.Checksum, d.Checksums[version])
	machine.NoteUnchecked(from, sum, e)
	init := fields{"value": s.script(e, version, from, sum, found), "template": true}
	if g := found.given(); g.field != "" {
		init[g.field] = g.value
	}
	if found.cluster != "" {
		init["group"] = fields{"name": found.cluster, "numbers": found.numbers}
	}
	template["initScript"] = init
	template["volumes"] = []fields{r.volume(s, d, e)}
	if len(s.Labels) > 0 {
		template["metadata"] = s.Labels
	}
	e.Child("SecurityGroup", e.Key.Name, machine.SecurityGroupOf(s.gates(e)))
	group := machine.GroupOf(template)
	group["isolationGroups"] = r.groups(s, e)
	if s.OnDeleteUpdateStrategy {
		group["strategy"] = fields{"type": "OnDelete"}
	}
	e.Child("VirtualMachineGroup", e.Key.Name, fields{"spec": group})
	s.inside(e)
}

// version is the version of M3DB that the machines run: the image's tag, or the version
// that the stack's configuration gives for that tag.
func (s *Spec) version(d *defaults.M3, e *kind.Expansion) (version string, ok bool) {
	tag := "latest"
	if at := strings.LastIndexByte(s.Image, ':'); at > strings.LastIndexByte(s.Image, '/') {
		tag = s.Image[at+1:]
	}
	version = strings.TrimPrefix(tag, "v")
	if used := cmp.Or(d.Versions[tag], d.Versions[version]); used != "" {
		e.Note("spec.image", fmt.Sprintf("is %s, but the stack's configuration replaces it with %s", tag, used))
		version = strings.TrimPrefix(used, "v")
	} else if tag == "latest" {
		e.Note("spec.image", "names no version, but "+defaultVersion+" is used")
		version = defaultVersion
	}
	if ok = released.MatchString(version); !ok {
		e.Problem("spec.image", "has a tag that is not a version", "name a tag such as v"+defaultVersion+", or name a replacement for this tag in spec.defaults.m3.versions of the stack's configuration")
	}
	return version, ok
}

// groups are the isolation groups of the machines.
func (r rules) groups(s *Spec, e *kind.Expansion) (list []fields) {
	for i, g := range s.IsolationGroups {
		f := fields{"name": g.Name, "members": g.NumInstances}
		zone := g.Zone
		candidates := []string{g.Name}
		for _, term := range g.NodeAffinityTerms {
			if zonal(term.Key) {
				candidates = append(slices.Clone(term.Values), candidates...)
			}
		}
		for _, name := range candidates {
			if _, known := r.defaults.Zones[name]; zone == "" && known {
				zone = name
			}
		}
		if zone == "" {
			e.Note(fmt.Sprintf("spec.isolationGroups[%d]", i), "names a zone that is not in spec.defaults.zones of the stack's configuration, so the cloud chooses the zone of its machines")
		}
		f.Put("zone", zone)
		list = append(list, f)
	}
	return list
}

// inside adds the objects inside the machines: an M3DBInstance for each machine, and an
// M3DBNamespace for each namespace.
func (s *Spec) inside(e *kind.Expansion) {
	room := make([]int, len(s.IsolationGroups))
	for i, g := range s.IsolationGroups {
		room[i] = g.NumInstances
	}
	numbers, in := machine.PlacesIn(room, nil)
	var names []string
	var peers []fields
	for i, n := range numbers {
		name := fmt.Sprintf("%s-%d", e.Key.Name, n)
		names = append(names, name)
		peers = append(peers, fields{"portRef": name, "volumeRef": name + "-" + volumeName, "isolationGroup": s.IsolationGroups[in[i]].Name})
	}
	few := min(len(names), 3)
	for i, name := range names {
		f := fields{"cluster": e.Key.Name, "portRef": name, "volumeRef": name + "-" + volumeName, "serverRef": name, "isolationGroup": s.IsolationGroups[in[i]].Name,
			"numberOfShards": cmp.Or(s.NumberOfShards, 64), "replicationFactor": s.replicas(), "peers": peers}
		if s.PreventScaleDown {
			f["preventScaleDown"] = true
		}
		if s.ConfigMapName != "" {
			f["nodePort"] = m3.NodePort
		}
		if i > 0 {
			f["afterRef"] = names[i-1]
		}
		e.Child("M3DBInstance", name, fields{"spec": f})
	}
	for _, n := range s.Namespaces {
		options := n.Options
		if n.Preset != "" {
			options = presets[n.Preset]
		}
		e.Child("M3DBNamespace", m3.NamespaceObject(e.Key.Name, n.Name), fields{"spec": fields{"cluster": e.Key.Name, "name": n.Name, "instanceRefs": names, "portRefs": names[:few], "options": options}})
	}
}
