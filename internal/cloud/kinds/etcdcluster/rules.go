package etcdcluster

import (
	"cmp"
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/boot"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/etcdstore"
	"github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// script is the Python script that runs etcd on each machine.
//
//go:embed etcd.py
var script string

// defaultVersion is the version of etcd in Debian 12.
const defaultVersion = "3.4.23"

// packaged has the versions that distributions have as the package etcd-server. All of them know learners.
var packaged = map[string]string{"3.4.23": "Debian 12", "3.4.30": "Ubuntu 24.04", "3.5.16": "Debian 13"}

func (rules) Validate(s *Spec, r *kind.Report) {
	s.TLS.validate(r)
	s.Pod.validate(r)
	if s.Pod != nil && s.Pod.PersistentVolumeClaimSpec != nil {
		machine.CheckClaim(s.Pod.PersistentVolumeClaimSpec.Resources.Requests.Storage, "spec.pod.persistentVolumeClaimSpec", "write it like 8Gi, or use spec.storage", r)
	}
	if s.Storage != nil && s.Pod != nil && s.Pod.PersistentVolumeClaimSpec != nil {
		r.Problem("spec.storage", "is given together with pod.persistentVolumeClaimSpec, which means the same", "keep one of them")
	}
	if strings.HasPrefix(s.Repository, "http") { // otherwise it is the address of container images
		machine.CheckRepository(s.Repository, r)
	}
	if s.Size%2 == 0 {
		r.Note("spec.size", fmt.Sprintf("a cluster of %d members survives no more failures than a cluster of %d", s.Size, s.Size-1))
	}
}

type fields = machine.Fields

// Expand creates these objects:
//
//	SecurityGroup/NAME             the rules for traffic to the members
//	VirtualMachineGroup/NAME       the members' machines, of which one is changed at a time
//	EtcdMember/NAME-0 …            the membership of each machine, each created after the one before
func (r rules) Expand(s *Spec, e *kind.Expansion) {
	d := r.defaults.Etcd
	if d == nil {
		d = &defaults.Etcd{}
	}
	s.Pod.note(e)
	version := s.version(d, e)
	from, sum := s.source(d, version, e)
	if had := packaged[version]; from == "" && had == "" && minor(version) >= minor("3.4.0") {
		e.Problem("spec.version", version+" is not available: no repository is given, and Debian's package has another version", "use 3.4.23 with an image of Debian 12, or give spec.repository, or spec.defaults.etcd.repository in the stack's configuration")
		return
	}
	machine.NoteUnchecked(from, sum, e)
	m, ok := s.Machine.Complete("etcd", d.Image, d.Flavor, e)
	old := minor(version) < minor("3.4.0")
	if old {
		e.Problem("spec.version", version+" has no learners, and the agent adds each member as a learner", "use 3.4 or newer, or name a replacement for this version in spec.defaults.etcd.versions of the stack's configuration")
	}
	trusted := r.trusts(s, d, e)
	if old || !ok || !trusted {
		return
	}
	if s.Paused {
		e.Suspend()
	}
	e.Public() // otherwise each word of the script would be treated as a secret and removed from messages
	template := m.Fields()
	template["securityGroups"] = append([]string{e.Key.Name}, m.SecurityGroups...)
	e.Child("SecurityGroup", e.Key.Name, machine.SecurityGroupOf(s.gates(e)))
	storage := r.storage(s, d, e)
	if storage == nil {
		s.noteDisk(e)
	}
	template["initScript"] = s.initScript(e.Key.Name, version, from, sum, storage != nil)
	if storage != nil {
		volume := fields{"name": "etcd", "size": storage.Size}
		volume.Put("type", storage.Type)
		template["volumes"] = []fields{volume}
	}
	if s.Pod != nil && len(s.Pod.Labels) > 0 {
		template["metadata"] = s.Pod.Labels
	}
	group := machine.GroupOf(template)
	group["replicas"] = s.Size
	group.Put("haPolicy", s.HAPolicy)
	if s.Pod != nil && s.Pod.AntiAffinity && s.HAPolicy == "" {
		group["haPolicy"] = "hard"
	}
	if s.Zones != nil {
		group["zones"] = s.Zones
	}
	e.Child("VirtualMachineGroup", e.Key.Name, fields{"spec": group})
	s.members(version, e)
}

// noteDisk adds a note that says what happens to data that is on a machine's own disk.
func (s *Spec) noteDisk(e *kind.Expansion) {
	each := "is left out, also in the stack's configuration (spec.defaults.etcd.volumeSize): each change of version, image or flavor gives the machine an empty disk"
	switch {
	case s.Size > 2:
		e.Note("spec.storage", each+", and the member must copy all data from the other members: set storage to keep the data")
	case s.Size == 2:
		e.Note("spec.storage", each+"; 2 members would have no majority during the change, so their machines are not changed: set storage before the cluster is created, or set size to 3")
	default:
		e.Note("spec.storage", each+"; one member would lose all data, so its machine is not changed: set storage before the cluster is created, or set size to 3")
	}
}

// trusts reports whether the cluster can have the certificates that the manifest requests.
func (r rules) trusts(s *Spec, d *defaults.Etcd, e *kind.Expansion) (ok bool) {
	if s.TLS != nil && s.TLS.Auto != nil && d.MasterKeyFile == "" {
		e.Problem("spec.TLS.auto", "needs a master key, but the stack's configuration has no spec.defaults.etcd.masterKeyFile", "name a file there, made with: openssl rand -hex 32; or give certificates: TLS.static")
		return false
	}
	return s.TLS.judge(e, r.now())
}

// initScript returns the machines' script as a field, with its secrets and certificates.
func (s *Spec) initScript(name, version, from, sum string, volume bool) fields {
	made := fields{"value": s.script(name, version, from, sum, volume), "template": true}
	switch {
	case s.TLS == nil:
	case s.TLS.Auto != nil:
		made["certificate"] = fields{"cluster": name, "generation": s.TLS.Auto.generation()}
	default:
		made["secretRefs"] = s.TLS.secrets()
	}
	return made
}

// members adds an EtcdMember for each machine.
func (s *Spec) members(version string, e *kind.Expansion) {
	var names []string
	for i := range s.Size {
		names = append(names, etcdstore.MemberName(e.Key.Name, i))
	}
	restores := e.Referring("EtcdRestore", "EtcdCluster", e.Key.Name)
	if len(restores) > 1 {
		e.Problem("metadata.name", "is named by several EtcdRestores: "+strings.Join(restores, ", "), "keep one of them: a cluster can be restored only once, when it is created")
	}
	if len(restores) > 0 && !raises(version) {
		e.Note("spec.version", version+" restores a snapshot with its old revision numbers, so a client with a watch may miss changes: restart such clients, or restore with 3.5.10 or newer")
	}
	for i, name := range names {
		member := fields{"cluster": e.Key.Name, "portRef": name, "serverRef": name, "version": version, "peerRefs": names}
		if s.TLS != nil {
			member["tls"] = s.TLS.ofMembers()
		}
		if i > 0 {
			member["afterRef"] = names[i-1]
		} else if len(restores) > 0 {
			member["restoreRef"] = restores[0]
		}
		e.Child("EtcdMember", name, fields{"spec": member})
	}
}

// version returns the version of etcd that the machines run.
func (s *Spec) version(d *defaults.Etcd, e *kind.Expansion) string {
	version := strings.TrimPrefix(cmp.Or(s.Version, defaultVersion), "v")
	used := cmp.Or(d.Versions[version], version)
	if used != version {
		e.Note("spec.version", fmt.Sprintf("is %s, but the stack's configuration replaces it with %s", version, used))
	}
	return used
}

// source returns the address from which machines get etcd, and its checksum. Both are "" if they install Debian's
// package.
func (s *Spec) source(d *defaults.Etcd, version string, e *kind.Expansion) (from, sum string) {
	if strings.HasPrefix(s.Repository, "http://") || strings.HasPrefix(s.Repository, "https://") {
		return s.Repository, s.Checksum
	}
	if s.Repository != "" {
		e.Note("spec.repository", "names container images and has no effect: machines install etcd from the address in the stack's configuration, or from Debian's package")
	}
	return d.Repository, cmp.Or(s.Checksum, d.Checksums[version])
}

func (r rules) storage(s *Spec, d *defaults.Etcd, e *kind.Expansion) *Storage {
	switch {
	case s.Storage != nil:
		return s.Storage
	case s.Pod != nil && s.Pod.PersistentVolumeClaimSpec != nil:
		claim := s.Pod.PersistentVolumeClaimSpec
		size, _ := machine.Gibibytes(claim.Resources.Requests.Storage) // Validate has reported the error
		volumes, note := r.defaults.VolumeType(claim.StorageClassName)
		if note != "" {
			e.Note("spec.pod.persistentVolumeClaimSpec.storageClassName", note)
		}
		return &Storage{Size: size, Type: volumes}
	case d.VolumeSize > 0:
		return &Storage{Size: d.VolumeSize}
	}
	return nil
}

// gates returns the rules of the security group.
func (s *Spec) gates(e *kind.Expansion) []fields {
	if s.Clients == nil && s.TLS == nil {
		e.Note("spec.clients", "is left out: everybody who can reach the machines can read and write all data of etcd")
	}
	return machine.SecurityRules(e.Key.Name, [][2]int{{etcd.ClientPort, etcd.PeerPort}}, s.Clients, [][2]int{{etcd.ClientPort, etcd.ClientPort}})
}

// script returns the script that the machines run.
func (s *Spec) script(name, version, from, sum string, volume bool) string {
	env := map[string]string{}
	if s.Pod != nil {
		for _, v := range s.Pod.EtcdEnv {
			env[v.Name] = v.Value
		}
	}
	values := map[string]any{"cluster": name, "version": version, "from": from, "sha256": sum, "volume": volume, "env": env}
	if s.TLS != nil {
		values["tls"] = s.TLS.files()
	}
	return boot.Filled(script, values, s.TLS.given())
}

// raises reports whether this version of etcd can raise the revisions when it restores a snapshot. (CHANGELOG-3.5.md:
// 3.5.10)
func raises(version string) bool {
	if minor(version) != minor("3.5.10") {
		return minor(version) > minor("3.5.10")
	}
	patch, _ := strconv.Atoi(version[strings.LastIndexByte(version, '.')+1:])
	return patch >= 10
}

// minor returns the major and minor version as one number, for comparison.
func minor(version string) int {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return 0
	}
	major, _ := strconv.Atoi(parts[0])
	n, _ := strconv.Atoi(parts[1])
	return major*1000 + n
}
