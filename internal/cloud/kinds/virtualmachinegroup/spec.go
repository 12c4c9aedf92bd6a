// Package virtualmachinegroup is the kind VirtualMachineGroup: a number of
// identical machines. It expands into that number of virtual machines, and a server
// group that spreads them over hosts.
package virtualmachinegroup

import (
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Spec is the declared group.
type Spec struct {
	Replicas        *int             `json:"replicas,omitempty" rule:"min=0,max=1000,default=1" doc:"Number of machines; left out with maxReplicas. If it becomes smaller, the machines with the highest numbers are deleted, unless removalHints names others. With isolationGroups it is the sum of their members, and can be left out."`
	MinReplicas     *int             `json:"minReplicas,omitempty" rule:"min=1,max=1000,default=1" doc:"Least number of machines; with maxReplicas."`
	MaxReplicas     *int             `json:"maxReplicas,omitempty" rule:"min=1,max=1000" doc:"Largest number of machines, in place of replicas. A person or a program chooses the number, from minReplicas to maxReplicas, and writes it as the metadata stackreeve-replicas of the first machine. Until then the number stays as it is."`
	HAPolicy        string           `json:"haPolicy,omitempty" rule:"enum=soft|hard|none,default=soft" doc:"soft: machines are on different hosts if possible. hard: machines are always on different hosts; a machine without a host of its own is not created. none: hosts do not matter."`
	Strategy        *Strategy        `json:"strategy,omitempty" doc:"How machines change if a change cannot be made while they run; if left out, one at a time."`
	Heal            *Heal            `json:"heal,omitempty" doc:"How the agent heals machines that somebody has stopped, that failed, or that do not serve according to their probes. If left out, the agent only reports them."`
	Probes          []Probe          `json:"probes,omitempty" rule:"max=8" doc:"How the agent asks each machine whether it serves. A machine that does not serve is reported, and no other machine is changed meanwhile."`
	ServerGroup     string           `json:"serverGroup,omitempty" doc:"Server group of the machines: a ServerGroup of the repository, or an existing one. The agent then makes none for the group, and haPolicy must be left out."`
	Zones           []string         `json:"zones,omitempty" rule:"min=1,max=10,unique" doc:"Availability zones, or names that the stack's defaults.zones maps to them, over which the machines are spread evenly. Add further ones at the end."`
	IsolationGroups []IsolationGroup `json:"isolationGroups,omitempty" rule:"min=1,max=10,key=name" doc:"Groups of machines, each with a zone and a number of machines, in place of zones. Add further ones at the end."`
	RemovalHints    []string         `json:"removalHints,omitempty" rule:"max=100,unique" doc:"Machines that the group must not have, such as web-2. The other machines keep their numbers."`
	DNS             *DNS             `json:"dns,omitempty" doc:"Records with the machines' addresses: one record for all machines, and one for each."`
	Template        machine.Template `json:"template" rule:"required" doc:"Template of each machine. Each machine gets its own volumes and ports. Volumes stay in the cloud when their machine is removed, unless they say onDelete: delete."`
	Description     string           `json:"description,omitempty" rule:"lines,max=255" doc:"Free text, for machines whose template has no description."`
}

// Strategy says how the machines of a group are changed.
type Strategy struct {
	Type            string                `json:"type,omitempty" rule:"enum=Rolling|OnDelete|Recreate,default=Rolling" doc:"Rolling: some machines at a time, as long as enough of them serve. OnDelete: a machine changes only after somebody has deleted it, or when it is broken. Recreate: all machines together."`
	MaxUnavailable  *manifest.IntOrString `json:"maxUnavailable,omitempty" doc:"How many machines may be out of service because of a change: a number, or a share of replicas such as 25%. A share is rounded down, but is at least one machine. Default 1."`
	MaxSurge        *manifest.IntOrString `json:"maxSurge,omitempty" doc:"How many spare machines may be created, so that the group has all its machines during a change. A number, or a share of replicas, which is rounded up; default 0. They are called NAME-spare-0 and so on, and are deleted at the end. If maxSurge is given, maxUnavailable is 0 unless it is given, too."`
	MinReadySeconds int                   `json:"minReadySeconds,omitempty" rule:"min=0,max=3600" doc:"How long a machine must have run before the next one is changed."`
	DrainSeconds    *int                  `json:"drainSeconds,omitempty" rule:"min=0,max=3600,default=30" doc:"How long load balancers send a machine no new connections before the machine is changed. With 0 the machine is changed immediately."`
	Partition       int                   `json:"partition,omitempty" rule:"min=0,max=1000" doc:"Only machines with this number or a higher one are changed. The others are not changed until the number is lowered."`
	Canary          *Canary               `json:"canary,omitempty" doc:"Machines that are changed before all others. The others follow automatically when these have served for some time."`
	PauseAfter      int                   `json:"pauseAfter,omitempty" rule:"min=0,max=1000" doc:"How many machines are changed. The others are not changed until this number is raised or removed. 0 means all machines."`

	ProgressDeadlineSeconds int    `json:"progressDeadlineSeconds,omitempty" rule:"min=0,max=86400" doc:"Time limit for a changed machine to serve. After that, a failure is reported. 15 minutes if left out."`
	OnFailure               string `json:"onFailure,omitempty" rule:"enum=stop|rollback,default=stop" doc:"What happens after a failure. stop: no further machine is changed. rollback: the group returns to the version of its other machines, by the manifests of an earlier commit, until another commit changes it."`
}

// Canary is a trial of a change on some of the machines.
type Canary struct {
	Members         int `json:"members" rule:"required,min=1,max=1000" doc:"How many machines."`
	DurationSeconds int `json:"durationSeconds" rule:"required,min=1,max=604800" doc:"How long the canary machines must have served before others are changed."`
}

// Heal says how the agent repairs machines that do not serve.
type Heal struct {
	Stopped      string                `json:"stopped,omitempty" rule:"enum=restart|replace|leave,default=restart" doc:"A machine that is switched off (SHUTOFF)."`
	Failed       string                `json:"failed,omitempty" rule:"enum=restart|rebuild|replace|leave,default=replace" doc:"A machine in ERROR that has been running before."`
	Unresponsive string                `json:"unresponsive,omitempty" rule:"enum=restart|rebuild|replace|leave,default=restart" doc:"A machine that has failed a probe threshold times in a row."`
	AfterSeconds *int                  `json:"afterSeconds,omitempty" rule:"min=0,max=86400,default=120" doc:"How long the agent must have seen the failure itself before it heals the machine. The time is twice as long if the machine was healed once within an hour, and four times as long if it was healed twice."`
	PerHour      *int                  `json:"perHour,omitempty" rule:"min=1,max=1000,default=3" doc:"How many machines of the group may be healed within an hour."`
	MaxSick      *manifest.IntOrString `json:"maxSick,omitempty" doc:"Limit of machines that do not serve: a number, or a share of replicas, at least one; default 50%. If more machines do not serve, none is healed."`
}

// Probe describes a request by which the agent checks whether a machine works. It
// is sent to the address of the machine's first port.
type Probe struct {
	Type                string `json:"type" rule:"required,enum=http|https|tcp|grpc" doc:"tcp: the machine accepts a connection. http, https: it answers a GET with a status from 200 to 399; its certificate is not verified. grpc: it answers SERVING by the gRPC health checking protocol, without TLS."`
	Port                int    `json:"port" rule:"required,min=1,max=65535" doc:"Port of the probe."`
	Path                string `json:"path,omitempty" rule:"max=1024" doc:"Path and query of an HTTP request; default /."`
	Host                string `json:"host,omitempty" rule:"max=255" doc:"Host that an HTTP or gRPC request names; the machine's address if left out."`
	Service             string `json:"service,omitempty" rule:"max=255" doc:"Service for which a gRPC server is asked; the whole server if left out."`
	IntervalSeconds     *int   `json:"intervalSeconds,omitempty" rule:"min=1,max=300,default=10" doc:"Shortest time between two probes."`
	TimeoutSeconds      *int   `json:"timeoutSeconds,omitempty" rule:"min=1,max=30,default=3" doc:"Longest time for an answer."`
	Threshold           *int   `json:"threshold,omitempty" rule:"min=1,max=10,default=3" doc:"Number of bad answers in a row after which a machine no longer counts as serving."`
	InitialDelaySeconds int    `json:"initialDelaySeconds,omitempty" rule:"min=0,max=3600" doc:"How long a machine must have run before the first probe. Until then it does not count as serving."`
}

type rules struct{}

// Kind is the kind VirtualMachineGroup.
func Kind() *kind.Kind {
	r := rules{}
	return typed.Workload[Spec]{
		Info: kind.Info{
			Group: define.WorkloadGroup, Version: "v1alpha1", Kind: "VirtualMachineGroup", Short: "vmg", Aliases: []string{"verda.linecorp.com"}, Parts: []string{"ServerGroup", "VirtualMachine", "DNSRecordSet"},
			Doc: "A number of machines that are all alike. It expands to VirtualMachines NAME-0, NAME-1 and so on, in one zone or spread over several. It also expands to a ServerGroup NAME that keeps them on different hosts, unless it names another one.",
		},
		Group: kind.Group{Members: "VirtualMachine", Spec: "spec.template"}, Validate: r.Validate, Expand: r.Expand, Gather: r.Gather,
	}.Kind()
}
