package etcdcluster

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/boot"
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
