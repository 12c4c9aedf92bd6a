package m3dbcluster

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// etcd is where machines find it: by addresses, by a cluster whose machines have these numbers, or by a whole configuration.
type etcd struct {
	endpoints        []string
	cluster, numbers string
	config           string
}

// etcd says where etcd is, and makes one where nothing says so. ok is false when that is not known.
func (r rules) etcd(s *Spec, d *defaults.M3, m *Machine, image, flavor string, e *kind.Expansion) (found etcd, ok bool) {
	if ref := cmp.Or(s.EtcdClusterRef, d.EtcdCluster); s.ConfigMapName != "" || s.EtcdEndpoints != nil || ref != "" {
		if !s.KeepEtcdDataOnDelete {
			e.Note("spec.keepEtcdDataOnDelete", "has no meaning: what etcd holds of the cluster stays there when its manifest goes")
		}
		switch {
		case s.ConfigMapName != "":
			return s.configured(e)
		case s.EtcdEndpoints != nil:
			return etcd{endpoints: s.EtcdEndpoints}, true
		}
		return named(ref, s.EtcdClusterRef != "", e)
	}
	if s.KeepEtcdDataOnDelete {
		e.Note("spec.keepEtcdDataOnDelete", "has no meaning: the EtcdCluster that is made for the cluster goes with it")
	}
	own := fields{"size": etcdSize}
	box := fields{"image": image, "flavor": flavor}
	if t := r.defaults.Etcd; t != nil {
		box = fields{"image": cmp.Or(t.Image, image), "flavor": cmp.Or(t.Flavor, flavor)}
	}
	box.put("network", m.Network)
	box.put("subnet", m.Subnet)
	box.put("keyPair", m.KeyPair)
	own["machine"] = box
	if t := r.defaults.Etcd; t == nil || t.VolumeSize == 0 {
		own["storage"] = fields{"size": defaultVolume}
	}
	if s.Clients != nil {
		own["clients"] = s.Clients
	}
	name := e.Key.Name + "-etcd"
	if e.Declares("EtcdCluster", name) {
		e.Problem("spec.etcdClusterRef", "is left out, and there is an EtcdCluster "+name+" already", "name it here, or rename it")
		return etcd{}, false
	}
	e.Child("EtcdCluster", name, fields{"spec": own})
	return etcd{cluster: name, numbers: fmt.Sprintf("0-%d", etcdSize-1)}, true
}

// named is an EtcdCluster of the repository.
func named(name string, here bool, e *kind.Expansion) (found etcd, ok bool) {
	machines, ok := e.Members("EtcdCluster", name, "VirtualMachine")
	what, fix := "", ""
	switch {
	case !ok || len(machines) == 0:
		what, fix = "which is not in the repository", "add a manifest for it, in namespace "+e.Key.Namespace
		if near := e.Meant("EtcdCluster", name); near != "" {
			fix = "did you mean " + near + "?"
		}
	case slices.ContainsFunc(machines, func(m string) bool { return e.Stated("EtcdMember", m).TLS }): // which have the names of their machines
		what, fix = "which has TLS, and machines of M3DB do not speak that to etcd yet", "name a cluster without TLS, or leave it out for one of its own"
	}
	if what != "" {
		if !here {
			fix += "; spec.defaults.m3.etcdCluster in the stack's configuration names it"
		}
		e.Problem("spec.etcdClusterRef", "refers to EtcdCluster/"+name+", "+what, fix)
		return etcd{}, false
	}
	var numbers []int
	for _, m := range machines {
		numbers = append(numbers, machine.Ordinal(m))
	}
	return etcd{cluster: name, numbers: machine.Numbers(numbers)}, true
}

// configured is a whole configuration of M3DB.
func (s *Spec) configured(e *kind.Expansion) (found etcd, ok bool) {
	const entry = "m3.yml"
	text, ok := e.Data("ConfigMap", s.ConfigMapName, entry)
	if !ok {
		fix := "add it there, or remove configMapName"
		if near := e.Meant("ConfigMap", s.ConfigMapName); near != "" && near != s.ConfigMapName {
			fix = "did you mean " + near + "?"
		}
		e.Problem("spec.configMapName", fmt.Sprintf("ConfigMap/%s has no entry %s, or is not in the repository", s.ConfigMapName, entry), fix)
		return etcd{}, false
	}
	if len(text) > maxConfig {
		e.Problem("spec.configMapName", fmt.Sprintf("gives %d bytes, more than %d", len(text), maxConfig), "leave out what is as usual")
		return etcd{}, false
	}
	return etcd{config: text}, true
}

// maxConfig is how long a configuration may be that fits into user data, with the script.
const maxConfig = 24 << 10
