package m3dbcluster

import (
	"cmp"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/etcdtls"
	"github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// etcd says how the machines find etcd: by addresses, by an EtcdCluster whose machines have these numbers, or by a whole configuration of M3DB.
// With TLS, the machines use the certificate of a Secret, or a certificate of this generation that is derived for them.
type etcd struct {
	endpoints        []string
	cluster, numbers string
	config           string
	secret           string
	generation       int
}

// given is an input that machines get in addition to the script. field is the field of initScript that holds it, with the value value. text is
// the expression in the script that stands for the input. files are the paths in the input to the certificate, its key and the authorities.
type given struct {
	field string
	value any
	text  string
	files []string
}

func (f *etcd) given() given {
	switch {
	case f.secret != "":
		return given{"secretRefs", []string{f.secret}, "{{secrets}}", []string{f.secret, etcdtls.Cert, etcdtls.Key, etcdtls.Trust}}
	case f.generation > 0:
		return given{"certificate", fields{"cluster": f.cluster, "generation": f.generation, "use": machine.ForClient}, "{{certificate}}", []string{"certificate", "crt", "key", "ca"}}
	}
	return given{}
}

// validateEndpoints requires addresses of etcd. Either all of them use TLS, or none does.
func (s *Spec) validateEndpoints(r *kind.Report) {
	for i, text := range s.EtcdEndpoints {
		u, err := url.Parse(text)
		if err != nil || !strings.HasPrefix(text, "http://") && !strings.HasPrefix(text, "https://") || u.Port() == "" || u.User != nil || strings.Trim(u.Path, "/") != "" {
			r.Problem(fmt.Sprintf("spec.etcdEndpoints[%d]", i), "is not an address of etcd", "write it like http://10.0.0.5:2379, or with https")
		}
	}
	if etcdtls.CheckEndpoints(r, s.EtcdEndpoints, secretField, s.EtcdTLSSecret) && s.EtcdTLSSecret != "" {
		r.Problem(secretField, "has no effect: the connections to etcd use http", "write https in etcdEndpoints, or remove it")
	}
}

// noteNames notes endpoints that are names, because the DNS of the machines must know the names. The machines are outside of Kubernetes, so they
// cannot resolve the names of its services.
func (s *Spec) noteNames(e *kind.Expansion) {
	for i, text := range s.EtcdEndpoints {
		u, err := url.Parse(text)
		if err != nil {
			continue // Validate reports the error
		}
		if _, err := netip.ParseAddr(u.Hostname()); err != nil {
			e.Note(fmt.Sprintf("spec.etcdEndpoints[%d]", i), "names etcd by "+u.Hostname()+", which must be in the DNS of the machines; names of Kubernetes services are unknown there")
		}
	}
}

// etcd returns how the machines find etcd. If nothing names an etcd, it adds an EtcdCluster. ok is false while the named etcd is unknown.
func (r rules) etcd(s *Spec, d *defaults.M3, m machine.OfCluster, e *kind.Expansion) (found etcd, ok bool) {
	if ref := cmp.Or(s.EtcdClusterRef, d.EtcdCluster); s.ConfigMapName != "" || s.EtcdEndpoints != nil || ref != "" {
		if !s.KeepEtcdDataOnDelete {
			e.Note("spec.keepEtcdDataOnDelete", "has no effect: the cluster's data in etcd stays there when its manifest is removed")
		}
		switch {
		case s.ConfigMapName != "":
			return s.configured(e)
		case s.EtcdEndpoints != nil:
			s.noteNames(e)
			return etcd{endpoints: s.EtcdEndpoints, secret: s.EtcdTLSSecret}, true
		}
		return s.named(ref, e)
	}
	if s.KeepEtcdDataOnDelete {
		e.Note("spec.keepEtcdDataOnDelete", "has no effect: the EtcdCluster that is made for the cluster is deleted with the cluster")
	}
	own := fields{"size": etcdSize}
	if t := r.defaults.Etcd; t != nil {
		m.Image, m.Flavor = cmp.Or(t.Image, m.Image), cmp.Or(t.Flavor, m.Flavor)
	}
	own["machine"] = m.Fields()
	if t := r.defaults.Etcd; t == nil || t.VolumeSize == 0 {
		own["storage"] = fields{"size": defaultVolume}
	}
	if s.Clients != nil {
		own["clients"] = s.Clients
	}
	if s.EtcdTLSSecret != "" {
		e.Note(secretField, "has no effect: the EtcdCluster that is made for the cluster has no TLS")
	}
	name := e.Key.Name + "-etcd"
	if e.Declares("EtcdCluster", name) {
		e.Problem("spec.etcdClusterRef", "is left out, but there is an EtcdCluster "+name+" already", "write its name in spec.etcdClusterRef, or rename it")
		return etcd{}, false
	}
	e.Child("EtcdCluster", name, fields{"spec": own})
	return etcd{cluster: name, numbers: fmt.Sprintf("0-%d", etcdSize-1)}, true
}

// named finds the EtcdCluster of that name in the repository.
func (s *Spec) named(name string, e *kind.Expansion) (found etcd, ok bool) {
	machines, ok := e.Members("EtcdCluster", name, "VirtualMachine")
	if len(machines) == 0 && e.Declares("EtcdCluster", name) {
		e.Lacks("spec.etcdClusterRef", "EtcdCluster", name, "refers to EtcdCluster/"+name+", whose machines are not known", "correct the problems that are reported for it")
		return etcd{}, false
	}
	if !ok || len(machines) == 0 {
		more := ""
		if s.EtcdClusterRef == "" {
			more = "; spec.defaults.m3.etcdCluster in the stack's configuration names it"
		}
		e.Missing("spec.etcdClusterRef", "EtcdCluster", name, more)
		return etcd{}, false
	}
	var numbers []int
	for _, m := range machines {
		numbers = append(numbers, machine.Ordinal(m))
	}
	found = etcd{cluster: name, numbers: machine.Numbers(numbers)}
	switch t := e.Stated("EtcdMember", machines[0]).TLS; { // each EtcdMember has the name of its machine
	case t == nil && s.EtcdTLSSecret != "":
		e.Note(secretField, "has no meaning: EtcdCluster/"+name+" has no TLS")
	case t == nil:
	case s.EtcdTLSSecret != "":
		found.secret = s.EtcdTLSSecret
	case t.SecretRef != "":
		e.Problem(secretField, "is missing, and EtcdCluster/"+name+" has TLS with certificates from Secrets", "name a Secret with a certificate for machines of M3DB; Secret/"+t.SecretRef+" is the agent's")
		return etcd{}, false
	default:
		found.generation = t.Generation
	}
	return found, true
}

const secretField = "spec.etcdTLSSecret"

// configured reads a whole configuration of M3DB from the ConfigMap that the manifest names.
func (s *Spec) configured(e *kind.Expansion) (found etcd, ok bool) {
	const entry = "m3.yml"
	text, ok := e.Data("ConfigMap", s.ConfigMapName, entry)
	if !ok {
		fix := "add it there, or remove configMapName"
		if near := e.GuessName("ConfigMap", s.ConfigMapName); near != "" && near != s.ConfigMapName {
			fix = "did you mean " + near + "?"
		}
		e.Lacks("spec.configMapName", "ConfigMap", s.ConfigMapName, fmt.Sprintf("ConfigMap/%s has no data.%s, or is not in the repository", s.ConfigMapName, entry), fix)
		return etcd{}, false
	}
	if len(text) > maxConfig {
		e.Problem("spec.configMapName", fmt.Sprintf("gives %d bytes, more than %d", len(text), maxConfig), "remove the fields that have their default values")
		return etcd{}, false
	}
	return etcd{config: text, secret: s.EtcdTLSSecret}, true
}

// maxConfig is the maximal length of a configuration, because user data contains the configuration and the script.
const maxConfig = 24 << 10
