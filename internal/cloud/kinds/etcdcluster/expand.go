package etcdcluster

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/etcdstore"
	"github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

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
