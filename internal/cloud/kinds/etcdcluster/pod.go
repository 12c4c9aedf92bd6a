package etcdcluster

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Pod is etcd-operator's policy for the pods of members in Kubernetes. (PodPolicy)
type Pod struct {
	EtcdEnv                   []Variable        `json:"etcdEnv,omitempty" rule:"max=64,key=name" doc:"Settings of etcd as environment variables, such as ETCD_QUOTA_BACKEND_BYTES. Settings that the cluster itself makes, such as ETCD_NAME, are refused."`
	Labels                    map[string]string `json:"labels,omitempty" doc:"Metadata of the machines."`
	AntiAffinity              bool              `json:"antiAffinity,omitempty" doc:"The same as haPolicy: hard."`
	NodeSelector              map[string]string `json:"nodeSelector,omitempty" doc:"Has no effect for machines, and a plan notes it."`
	Affinity                  map[string]any    `json:"affinity,omitempty" doc:"Has no effect for machines, and a plan notes it. Use haPolicy and zones instead."`
	Resources                 map[string]any    `json:"resources,omitempty" doc:"Has no effect, and a plan notes it: machine.flavor decides."`
	Tolerations               []map[string]any  `json:"tolerations,omitempty" doc:"Has no effect for machines, and a plan notes it."`
	Annotations               map[string]string `json:"annotations,omitempty" rule:"lines" doc:"Has no effect for machines, and a plan notes it."`
	BusyboxImage              string            `json:"busyboxImage,omitempty" doc:"Has no effect for machines, and a plan notes it."`
	Security                  map[string]any    `json:"securityContext,omitempty" doc:"Has no effect for machines, and a plan notes it."`
	DNSTimeout                int               `json:"DNSTimeoutInSecond,omitempty" doc:"Has no effect for machines, and a plan notes it."`
	PersistentVolumeClaimSpec *Claim            `json:"persistentVolumeClaimSpec,omitempty" doc:"Another form of storage. The size is the claim's request for storage, rounded up to whole GiB."`
}

// Variable is one environment variable.
type Variable struct {
	Name  string `json:"name" rule:"required,pattern=^[A-Za-z_][A-Za-z0-9_]*$" doc:"Name of the variable."`
	Value string `json:"value,omitempty" rule:"max=4096" doc:"Value of the variable."`
}

// Claim has the fields of a volume claim that apply to machines.
type Claim struct {
	AccessModes      []string       `json:"accessModes,omitempty" doc:"Ignored: a volume belongs to one machine."`
	StorageClassName string         `json:"storageClassName,omitempty" doc:"Volume type, by the stack's defaults.storageClasses; the cloud's default if defaults.storageClasses does not have the name."`
	Resources        ClaimResources `json:"resources,omitempty" doc:"Requested resources."`
}

// ClaimResources are the resources that a claim requests.
type ClaimResources struct {
	Requests struct {
		Storage string `json:"storage,omitempty" doc:"Size, such as 8Gi."`
	} `json:"requests,omitempty" doc:"Requested resources."`
}

// tlsSetting matches the names of etcd's settings for TLS.
var tlsSetting = pattern.Of(`^ETCD_(PEER_|CLIENT_)?(CERT_FILE|KEY_FILE|TRUSTED_CA_FILE|CA_FILE|CLIENT_CERT_AUTH|CERT_AUTH|AUTO_TLS|CERT_ALLOWED_CN|CERT_ALLOWED_HOSTNAME|CRL_FILE)$`)

// fixed returns the reason why a manifest cannot set a certain setting of etcd.
func fixed(name string) string {
	switch name {
	case "ETCD_NAME", "ETCD_DATA_DIR", "ETCD_LISTEN_PEER_URLS", "ETCD_INITIAL_ADVERTISE_PEER_URLS", "ETCD_LISTEN_CLIENT_URLS", "ETCD_ADVERTISE_CLIENT_URLS",
		"ETCD_INITIAL_CLUSTER", "ETCD_INITIAL_CLUSTER_STATE", "ETCD_INITIAL_CLUSTER_TOKEN":
		return "is set by the cluster itself"
	case "ETCD_FORCE_NEW_CLUSTER":
		return "makes each member a cluster of its own each time it starts"
	case "ETCD_CONFIG_FILE":
		return "makes etcd read its settings from that file only, and ignore the settings of the cluster"
	case "ETCD_ENABLE_GRPC_GATEWAY", "ETCD_LISTEN_CLIENT_HTTP_URLS":
		return "switches off the interface by which the agent asks the cluster"
	case "ETCD_STRICT_RECONFIG_CHECK":
		return "switches off the checks that keep a majority when members are added or removed"
	case "ETCD_WAL_DIR":
		return "stores a part of the data on a disk that is lost with the machine"
	}
	if tlsSetting.MatchString(name) {
		return "is set by spec.TLS"
	}
	if strings.HasPrefix(name, "ETCD_DISCOVERY") {
		return "lets another service decide who the members are"
	}
	return ""
}

func (p *Pod) validate(r *kind.Report) {
	if p == nil {
		return
	}
	for i, v := range p.EtcdEnv {
		if why := fixed(v.Name); why != "" {
			r.Problem(fmt.Sprintf("spec.pod.etcdEnv[%d].name", i), v.Name+" "+why, "remove it")
		}
	}
}

// note adds a note for each given field that has no effect on machines.
func (p *Pod) note(e *kind.Expansion) {
	if p == nil {
		return
	}
	given := map[string]bool{
		"nodeSelector": p.NodeSelector != nil, "affinity": p.Affinity != nil, "resources": p.Resources != nil, "tolerations": p.Tolerations != nil,
		"annotations": p.Annotations != nil, "busyboxImage": p.BusyboxImage != "", "securityContext": p.Security != nil, "DNSTimeoutInSecond": p.DNSTimeout != 0,
	}
	for _, field := range slices.Sorted(maps.Keys(given)) {
		if given[field] {
			e.Note("spec.pod."+field, "has no effect for machines")
		}
	}
}
