package etcdbackup

import (
	"github.com/stackreeve/stackreeve/internal/cloud/etcdtls"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Expand creates no object. It finds the members of the cluster, which must exist before the backup, and their TLS
// settings.
func (r rules) Expand(s *Spec, e *kind.Expansion) {
	if s.ClientTLSSecret != "" {
		etcdtls.Check(e, clientField, s.ClientTLSSecret, r.now())
	}
	if s.ClusterRef == "" {
		s.SubnetRefs = r.subnets(e)
		if s.ClientTLSSecret != "" {
			s.TLS = &kind.TLS{SecretRef: s.ClientTLSSecret}
		}
		return
	}
	if s.MemberRefs, _ = e.Members("EtcdCluster", s.ClusterRef, "EtcdMember"); len(s.MemberRefs) == 0 {
		return
	}
	switch t := e.Stated("EtcdMember", s.MemberRefs[0]).TLS; {
	case t != nil && s.ClientTLSSecret != "":
		s.TLS = &kind.TLS{SecretRef: s.ClientTLSSecret}
	case t != nil:
		s.TLS, s.OperatorRef = t, t.SecretRef
	case s.ClientTLSSecret != "":
		e.Note(clientField, "has no meaning: EtcdCluster/"+s.ClusterRef+" has no TLS")
	}
}

// subnets returns the subnets that the stack makes. It returns none if the configuration lists the networks of machines.
func (r rules) subnets(e *kind.Expansion) (own []string) {
	if len(r.within) > 0 {
		return nil
	}
	for _, name := range e.Declared("Subnet") {
		if e.Imported("Subnet", name) == nil {
			own = append(own, name)
		}
	}
	if len(own) == 0 {
		e.Note("spec.etcdEndpoints", "is used only if it is in a Subnet that the stack makes, or in spec.defaults.machineNetworks of its configuration; the stack makes no Subnet")
	}
	return own
}
