package etcdbackup

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/etcdtls"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// minInterval is the shortest allowed interval between two snapshots, in seconds.
const minInterval = 60

// Validate implements [typed.Kind].
func (x rules) Validate(s *Spec, r *kind.Report) {
	switch {
	case s.StorageType == "S3" && s.S3 == nil:
		r.Problem("spec.s3", "is missing", "set s3.path, a bucket that the stack's configuration names")
	case s.StorageType == "S3":
		s.S3.Check(x.s3, r)
	case s.StorageType != "Swift":
		r.Problem("spec.storageType", "is "+s.StorageType+", and snapshots are kept in Swift or S3", "set storageType: Swift and swift.container, the name of a SwiftContainer of this repository, or storageType: S3 and s3.path")
	case s.Swift == nil:
		r.Problem("spec.swift", "is missing", "set swift.container, the name of a SwiftContainer of this repository")
	}
	switch {
	case s.ClusterRef == "" && len(s.EtcdEndpoints) == 0:
		r.Problem("spec.clusterRef", "is missing", "name an EtcdCluster of this repository, or give etcdEndpoints")
	case s.ClusterRef != "" && len(s.EtcdEndpoints) > 0:
		r.Problem("spec.etcdEndpoints", "is given together with clusterRef", "keep one of them")
	}
	if etcdtls.CheckEndpoints(r, s.EtcdEndpoints, clientField, s.ClientTLSSecret) && s.ClientTLSSecret != "" {
		r.Problem(clientField, "is given, but etcdEndpoints do not use TLS", "write https in the addresses, or remove it")
	}
	for i, endpoint := range s.EtcdEndpoints {
		if at, what, fix := addressOf(endpoint); what != "" {
			r.Problem(fmt.Sprintf("spec.etcdEndpoints[%d]", i), what, fix)
		} else if len(x.within) > 0 && !inNetworks(x.within, at.Addr()) {
			r.Problem(fmt.Sprintf("spec.etcdEndpoints[%d]", i), "is not in a network that the stack's configuration names", "correct the address, or ask the operator to add its network to spec.defaults.machineNetworks")
		}
	}
	if n := s.policy().Interval; n > 0 && n < minInterval {
		r.Problem("spec.backupPolicy.backupIntervalInSecond", "is shorter than one minute", "write 60 or more")
	}
	s.note(r)
}

func (s *Spec) note(r *kind.Report) {
	for _, other := range []struct {
		name  string
		given bool
	}{{"swift", s.Swift != nil && s.StorageType == "S3"}, {"s3", s.S3 != nil && s.StorageType == "Swift"}, {"abs", s.ABS != nil}, {"gcs", s.GCS != nil}, {"oss", s.OSS != nil}} {
		if other.given && (s.StorageType == "Swift" || s.StorageType == "S3") {
			r.Note("spec."+other.name, "has no meaning for "+s.StorageType)
		}
	}
	if s.S3 != nil && s.StorageType == "S3" && s.S3.Object() != "" {
		r.Note("spec.s3.path", "has no effect after the bucket: snapshots are called STACK/NAMESPACE/NAME/TIME-REVISION.db there")
	}
	if s.InsecureSkipVerify {
		r.Note("spec.insecureSkipVerify", "has no effect: the certificates of members are always verified, with etcd-client-ca.crt in the Secret")
	}
}

// addressOf reads an endpoint. If the endpoint is invalid, what says what is wrong and fix says how to correct it.
// Otherwise both are "".
func addressOf(endpoint string) (at netip.AddrPort, what, fix string) {
	const write = "write http://ADDRESS:2379, or https, with an IP address, or use clusterRef for an EtcdCluster of the stack"
	u, err := url.Parse(endpoint)
	switch {
	case err != nil || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "":
		return at, "is no address of a member", write
	case u.Scheme != "http" && u.Scheme != "https":
		return at, "is no address of a member", write
	}
	if at, err = netip.ParseAddrPort(u.Host); err != nil {
		return at, "names no IP address and port", write
	}
	return at, "", ""
}

const clientField = "spec.clientTLSSecret"

// Lasts implements [typed.Kind]. The snapshots remain when the manifest is removed, unless onDelete is "delete".
func (rules) Lasts(s *Spec) bool { return s.OnDelete != "delete" }

func (s *Spec) policy() Policy {
	if s.BackupPolicy == nil {
		return Policy{}
	}
	return *s.BackupPolicy
}

// keep returns the number of snapshots that are kept.
func (s *Spec) keep() int {
	const most = 1000
	if n := s.policy().MaxBackups; n > 0 {
		return n
	}
	return most
}

func (s *Spec) interval() time.Duration { return time.Duration(s.policy().Interval) * time.Second }

// longest returns the maximal time for taking one snapshot.
func (s *Spec) longest() time.Duration {
	if n := s.policy().Timeout; n > 0 {
		return time.Duration(n) * time.Second
	}
	return 10 * time.Minute
}

// container returns the name of the container or bucket of the snapshots.
func container(w want) string {
	if w.Spec.StorageType == "S3" {
		return w.Spec.S3.Container()
	}
	return w.Ref("SwiftContainer", w.Spec.Swift.Container).Facts.Name
}

// place returns the field that names the container.
func (s *Spec) place() string {
	if s.StorageType == "S3" {
		return "spec.s3.path"
	}
	return "spec.swift.container"
}

// Diff implements [typed.Kind]. Of the manifest, the store contains only the mark. So a plan shows a commit's change as
// a different mark, and Diff adds the snapshots that the change deletes.
func (rules) Diff(w want, have *series, c *kind.Changes) {
	of := have.itemsIn(container(w))
	if n := len(have.Items) - len(of); n > 0 && container(w) != "" {
		c.Note(w.Spec.place(), fmt.Sprintf("%d snapshots with the mark of this object are in another container: they do not count, and none of them is removed", n))
	}
	if have.Mark != nil && have.Mark.Applied == w.Mark.Applied {
		return // the other changes depend on the time, see Upkeep
	}
	spare := w.Spec.surplus(of)
	if len(spare) == 0 {
		return
	}
	n := countUsable(of)
	c.Add(kind.Change{Field: keepField, Have: n, Want: n - len(spare), Destroys: true,
		Loss: fmt.Sprintf("%d of the %d snapshots, from %s to %s", len(spare), n, text(spare[0].At()), text(spare[len(spare)-1].At()))})
}

const (
	keepField = "spec.backupPolicy.maxBackups"
	// itemsField is the status field that lists the snapshots.
	itemsField = "status.items"
)

// Upkeep implements [typed.Kind].
func (rules) Upkeep(w want, have *series, now time.Time) kind.Upkeep {
	return w.Spec.upkeep(have.itemsIn(container(w)), have.failed, now)
}

// shown is the status of a series. The first five fields are etcd-operator's. (v1beta2: BackupStatus)
type shown struct {
	Succeeded    bool        `json:"succeeded"`
	Reason       string      `json:"Reason,omitempty"`
	EtcdVersion  string      `json:"etcdVersion,omitempty"`
	EtcdRevision int64       `json:"etcdRevision,omitempty"`
	LastSuccess  string      `json:"lastSuccessDate,omitempty"`
	Items        []shownItem `json:"items"`
}

type shownItem struct {
	Object   string `json:"object"`
	At       string `json:"at"`
	Revision int64  `json:"revision"`
	Version  string `json:"version,omitempty"`
	Size     int64  `json:"size"`
	SHA256   string `json:"sha256,omitempty"`
}
