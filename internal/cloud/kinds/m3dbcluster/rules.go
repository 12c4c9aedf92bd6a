package m3dbcluster

import (
	"cmp"
	_ "embed"
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/boot"
	"github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/m3"
	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// script runs M3DB on each machine.
//
//go:embed m3.py
var script string

const (
	defaultVersion    = "1.5.0"
	defaultRepository = "https://github.com/m3db/m3/releases/download/v{version}/m3_{version}_linux_{arch}.tar.gz"
	defaultVolume     = 10 // GiB
	volumeName        = "m3db"
	maxInstances      = 100
	etcdSize          = 3 // members of an EtcdCluster that Expand adds
)

func (rules) Validate(s *Spec, r *kind.Report) {
	groups, used, sum := map[string]bool{}, 0, 0
	for i, g := range s.IsolationGroups {
		if groups[g.Name] {
			r.Problem(fmt.Sprintf("spec.isolationGroups[%d].name", i), g.Name+" is given already", "give each of them only once")
		}
		groups[g.Name] = true
		if sum += g.NumInstances; g.NumInstances > 0 {
			used++
		}
	}
	if replicas := s.replicas(); used < replicas {
		r.Problem("spec.isolationGroups", fmt.Sprintf("has only %d groups with instances, and a group can have only one replica of a shard", used), fmt.Sprintf("use at least %d groups, or a lower replicationFactor", replicas))
	}
	if sum > maxInstances {
		r.Problem("spec.isolationGroups", fmt.Sprintf("add up to %d instances", sum), fmt.Sprintf("a cluster has at most %d", maxInstances))
	}
	s.validateNamespaces(r)
	s.validateEndpoints(r)
	for _, both := range []struct {
		field string
		given bool
	}{{"etcdClusterRef", s.EtcdClusterRef != "" && s.EtcdEndpoints != nil}, {"configMapName", s.ConfigMapName != "" && (s.EtcdClusterRef != "" || s.EtcdEndpoints != nil)}} {
		if both.given {
			r.Problem("spec."+both.field, "is given together with another field that gives the address of etcd", "keep one of them")
		}
	}
	if c := s.DataDirVolumeClaimTemplate; c != nil {
		machine.CheckClaim(c.Spec.Resources.Requests.Storage, "spec.dataDirVolumeClaimTemplate.spec", "write it like 350Gi", r)
	}
	machine.CheckRepository(s.Repository, r)
}

func (s *Spec) validateNamespaces(r *kind.Report) {
	seen := map[string]bool{}
	for i, n := range s.Namespaces {
		field := fmt.Sprintf("spec.namespaces[%d]", i)
		if (n.Preset == "") == (n.Options == nil) {
			r.Problem(field, "must have exactly one of preset and options", "keep one of them")
		}
		if seen[n.Name] {
			r.Problem(field+".name", n.Name+" is given already", "give each of them only once")
		}
		seen[n.Name] = true
	}
}

func (s *Spec) replicas() int { return cmp.Or(s.ReplicationFactor, 3) }

type fields = machine.Fields

var released = pattern.Of(`^[0-9]+\.[0-9]+\.[0-9]+(-[a-z0-9.]+)?$`)

// gates are the rules of the security group that admit other machines and clients.
func (s *Spec) gates(e *kind.Expansion) []fields {
	if s.Clients == nil {
		e.Note("spec.clients", "is left out: everybody who can reach the machines can read, write and delete all data")
	}
	asked := [2]int{m3.FirstOwnPort, m3.LastOwnPort}
	if s.ConfigMapName != "" {
		asked = [2]int{m3.NodePort, m3.NodePort}
	}
	coordinator := [2]int{m3.CoordinatorPort, m3.CoordinatorPort}
	return machine.SecurityRules(e.Key.Name, [][2]int{{m3.NodePort, m3.LastNodePort}, {m3.FirstOwnPort, m3.LastOwnPort}, coordinator}, s.Clients,
		[][2]int{asked, {m3.StatusPort, m3.StatusPort}, coordinator})
}

// script is the script that the machines run.
func (s *Spec) script(e *kind.Expansion, version, from, sum string, found etcd) string {
	given := found.given()
	text := boot.Filled(script, map[string]any{"env": m3.Environment(e.Key.Namespace, e.Key.Name), "zone": m3.Zone, "version": version, "from": from, "sha256": sum,
		"etcd": found.endpoints, "tls": given.files, "config": found.config}, given.text)
	peers := ""
	if found.cluster != "" {
		peers = `{{#peers}}"{{address}}"{{^last}}, {{/last}}{{/peers}}`
	}
	return strings.Replace(text, "@ETCD@", peers, 1)
}
