package m3dbcluster

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Kubernetes are m3db-operator's settings for pods. None of them has a meaning for machines.
type Kubernetes struct {
	ContainerResources    map[string]any    `json:"containerResources,omitempty" doc:"Has no effect, and a plan notes it: machine.flavor decides."`
	PodSecurityContext    map[string]any    `json:"podSecurityContext,omitempty" doc:"Has no effect for machines, and a plan notes it."`
	SecurityContext       map[string]any    `json:"securityContext,omitempty" doc:"Has no effect for machines, and a plan notes it."`
	ImagePullSecrets      []map[string]any  `json:"imagePullSecrets,omitempty" doc:"Has no effect for machines, and a plan notes it."`
	EnvVars               []map[string]any  `json:"envVars,omitempty" doc:"Has no effect for machines, and a plan notes it."`
	Annotations           map[string]string `json:"annotations,omitempty" rule:"lines" doc:"Has no effect for machines, and a plan notes it."`
	Tolerations           []map[string]any  `json:"tolerations,omitempty" doc:"Has no effect for machines, and a plan notes it."`
	PriorityClassName     string            `json:"priorityClassName,omitempty" doc:"Has no effect for machines, and a plan notes it."`
	NodeEndpointFormat    string            `json:"nodeEndpointFormat,omitempty" doc:"Has no effect for machines, because they are known by their addresses. A plan notes it."`
	HostNetwork           bool              `json:"hostNetwork,omitempty" doc:"Has no effect for machines, and a plan notes it."`
	DNSPolicy             string            `json:"dnsPolicy,omitempty" doc:"Has no effect for machines, and a plan notes it."`
	InitContainers        []map[string]any  `json:"initContainers,omitempty" doc:"Has no effect for machines, and a plan notes it."`
	InitVolumes           []map[string]any  `json:"initVolumes,omitempty" doc:"Has no effect for machines, and a plan notes it."`
	SidecarContainers     []map[string]any  `json:"sidecarContainers,omitempty" doc:"Has no effect for machines, and a plan notes it."`
	SidecarVolumes        []map[string]any  `json:"sidecarVolumes,omitempty" doc:"Has no effect for machines, and a plan notes it."`
	PodMetadata           map[string]any    `json:"podMetadata,omitempty" doc:"Has no effect for machines, and a plan notes it."`
	ParallelPodManagement bool              `json:"parallelPodManagement,omitempty" doc:"Has no effect for machines, because the first ones are always made at the same time. A plan notes it."`
	ServiceAccountName    string            `json:"serviceAccountName,omitempty" doc:"Has no effect for machines, and a plan notes it."`
	EnableCarbonIngester  bool              `json:"enableCarbonIngester,omitempty" doc:"Has no effect, and a plan notes it. Use a configuration with configMapName instead."`
}

// note notes the fields that have no meaning for machines.
func (s *Spec) note(e *kind.Expansion) {
	k := &s.Kubernetes
	for _, f := range []struct {
		name  string
		given bool
	}{
		{"containerResources", k.ContainerResources != nil}, {"podSecurityContext", k.PodSecurityContext != nil}, {"securityContext", k.SecurityContext != nil},
		{"imagePullSecrets", k.ImagePullSecrets != nil}, {"envVars", k.EnvVars != nil}, {"annotations", k.Annotations != nil}, {"tolerations", k.Tolerations != nil},
		{"priorityClassName", k.PriorityClassName != ""}, {"nodeEndpointFormat", k.NodeEndpointFormat != ""}, {"hostNetwork", k.HostNetwork}, {"dnsPolicy", k.DNSPolicy != ""},
		{"initContainers", k.InitContainers != nil}, {"initVolumes", k.InitVolumes != nil}, {"sidecarContainers", k.SidecarContainers != nil}, {"sidecarVolumes", k.SidecarVolumes != nil},
		{"podMetadata", k.PodMetadata != nil}, {"parallelPodManagement", k.ParallelPodManagement}, {"serviceAccountName", k.ServiceAccountName != ""}, {"enableCarbonIngester", k.EnableCarbonIngester},
	} {
		if f.given {
			e.Note("spec."+f.name, "has no effect for machines")
		}
	}
	if s.PodIdentityConfig != nil {
		e.Note("spec.podIdentityConfig", "has no effect: an instance is identified by its machine's name, its volume and its address")
	}
	if s.ExternalCoordinator != nil {
		e.Note("spec.externalCoordinator", "has no effect: the agent asks the coordinators on the machines")
	}
	for i, g := range s.IsolationGroups {
		at := fmt.Sprintf("spec.isolationGroups[%d].", i)
		if g.StorageClassName != "" {
			e.Note(at+"storageClassName", "has no effect: all volumes have the same type")
		}
		if g.PodAffinityToplogyKey != "" {
			e.Note(at+"podAffinityToplogyKey", "is not used")
		}
		for j, term := range g.NodeAffinityTerms {
			if !zonal(term.Key) {
				e.Note(fmt.Sprintf("%snodeAffinityTerms[%d]", at, j), "has no effect: it does not name a zone")
			}
		}
	}
}

// zonal reports whether a label of Kubernetes nodes names their zone.
func zonal(key string) bool { return key == "zone" || strings.HasSuffix(key, "/zone") }

// volume is the data volume. Its size comes from the manifest's claim; without a claim, from
// the stack's configuration.
func (r rules) volume(s *Spec, d *defaults.M3, e *kind.Expansion) fields {
	v := fields{"name": volumeName, "size": cmp.Or(d.VolumeSize, defaultVolume)}
	switch c := s.DataDirVolumeClaimTemplate; {
	case c != nil:
		v["size"], _ = machine.Gibibytes(c.Spec.Resources.Requests.Storage) // Validate reports the error
		volumes, note := r.defaults.VolumeType(c.Spec.StorageClassName)
		if note != "" {
			e.Note("spec.dataDirVolumeClaimTemplate.spec.storageClassName", note)
		}
		v.Put("type", volumes)
	case d.VolumeSize == 0:
		e.Note("spec.dataDirVolumeClaimTemplate", fmt.Sprintf("is left out, as is spec.defaults.m3.volumeSize in the stack's configuration: volumes have %d GiB", defaultVolume))
	}
	return v
}
