package etcdcluster

import (
	"cmp"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/member"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Summarize returns a cluster's status with the fields of etcd-operator. (pkg/apis/etcd/v1beta2/status.go:
// ClusterStatus)
func (r rules) Summarize(s *Spec, parts []kind.PartStatus) map[string]any {
	ready, unready, current := []any{}, []any{}, ""
	members, lost, reason := member.Parts("EtcdMember", parts)
	for _, p := range members {
		if p.Shown["role"] == nil || !p.Available {
			unready = append(unready, p.Name)
		} else {
			ready = append(ready, p.Name)
		}
		if version, _ := p.Shown["version"].(string); version != "" && (current == "" || older(version, current)) {
			current = version
		}
	}
	target := strings.TrimPrefix(cmp.Or(s.Version, defaultVersion), "v")
	if r.defaults.Etcd != nil {
		target = cmp.Or(r.defaults.Etcd.Versions[target], target)
	}
	phase := "Running"
	switch {
	case lost != "":
		phase = "Failed"
	case len(ready) == 0:
		phase = "Creating"
	case len(ready) <= (len(ready)+len(unready))/2:
		phase = "Failed"
	}
	own := map[string]any{"phase": phase, "size": len(ready) + len(unready), "members": map[string]any{"ready": ready, "unready": unready}, "currentVersion": current, "targetVersion": target}
	if reason != "" {
		own["reason"] = reason
	}
	if s.Paused {
		own["controlPaused"] = true
	}
	return own
}

// older reports whether version a is older than version b.
func older(a, b string) bool {
	if minor(a) != minor(b) {
		return minor(a) < minor(b)
	}
	return len(a) < len(b) || len(a) == len(b) && a < b
}
