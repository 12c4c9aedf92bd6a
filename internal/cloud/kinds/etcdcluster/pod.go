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
	EtcdEnv                   []Variable        `json:"etcdEnv,omitempty" rule:"max=64,key=name" doc:"Environment variables of etcd, which are its settings, such as ETCD_NAME."`
	Labels                    map[string]string `json:"labels,omitempty" doc:"Metadata of the machines."`
	AntiAffinity              bool              `json:"antiAffinity,omitempty" doc:"The same as haPolicy: hard."`
	NodeSelector              map[string]string `json:"nodeSelector,omitempty" doc:"Has no meaning for machines, and is noted."`
	Affinity                  map[string]any    `json:"affinity,omitempty" doc:"Has no effect for machines besides haPolicy and zones, and a plan notes it."`
	Resources                 map[string]any    `json:"resources,omitempty" doc:"Has no meaning besides machine.flavor, and is noted."`
	Tolerations               []map[string]any  `json:"tolerations,omitempty" doc:"Has no meaning for machines, and is noted."`
	Annotations               map[string]string `json:"annotations,omitempty" rule:"lines" doc:"Has no meaning for machines, and is noted."`
	BusyboxImage              string            `json:"busyboxImage,omitempty" doc:"Has no meaning for machines, and is noted."`
	Security                  map[string]any    `json:"securityContext,omitempty" doc:"Has no meaning for machines, and is noted."`
	DNSTimeout                int               `json:"DNSTimeoutInSecond,omitempty" doc:"Has no meaning for machines, and is noted."`
	PersistentVolumeClaimSpec *Claim            `json:"persistentVolumeClaimSpec,omitempty" doc:"The same as storage: the request for storage of the claim, in whole GiB, rounded up."`
}

// Variable is one environment variable.
type Variable struct {
	Name  string `json:"name" rule:"required,pattern=^[A-Za-z_][A-Za-z0-9_]*$" doc:"Name."`
	Value string `json:"value,omitempty" rule:"max=4096" doc:"Value."`
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
		return "is what the cluster itself says"
	case "ETCD_FORCE_NEW_CLUSTER":
		return "makes each member a cluster of its own, whenever it starts"
	case "ETCD_CONFIG_FILE":
		return "has etcd read its settings from that file only, and not what the cluster says"
	case "ETCD_ENABLE_GRPC_GATEWAY", "ETCD_LISTEN_CLIENT_HTTP_URLS":
		return "takes away what the cluster is asked by"
	case "ETCD_STRICT_RECONFIG_CHECK":
		return "takes away what keeps a majority when members come and go"
	case "ETCD_WAL_DIR":
		return "puts a part of the data where it is lost with the machine"
	}
	if tlsSetting.MatchString(name) {
		return "is what spec.TLS says"
	}
	if strings.HasPrefix(name, "ETCD_DISCOVERY") {
		return "has somebody else say who the members are"
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
			e.Note("spec.pod."+field, "has no meaning for machines, and is not used")
		}
	}
}
