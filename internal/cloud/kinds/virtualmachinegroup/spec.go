// Package virtualmachinegroup is the kind VirtualMachineGroup: a number of machines
// that are all alike. It expands into that number of virtual machines, and a server
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
	Replicas        *int             `json:"replicas,omitempty" rule:"min=0,max=1000,default=1" doc:"Number of machines; left out with maxReplicas. Fewer deletes those with the highest numbers, unless removalHints names others. With isolationGroups it is their sum, and can be left out."`
	MinReplicas     *int             `json:"minReplicas,omitempty" rule:"min=1,max=1000,default=1" doc:"Least number of machines; with maxReplicas."`
	MaxReplicas     *int             `json:"maxReplicas,omitempty" rule:"min=1,max=1000" doc:"Largest number of machines. If it is given in place of replicas, somebody else sets the number, from minReplicas to maxReplicas. They write it as the metadata stackreeve-replicas of the first machine. Until then the number stays as it is."`
	HAPolicy        string           `json:"haPolicy,omitempty" rule:"enum=soft|hard|none,default=soft" doc:"soft: on different hosts where possible. hard: on different hosts, or not at all. none: anywhere."`
	Strategy        *Strategy        `json:"strategy,omitempty" doc:"How machines are changed that cannot be changed while they run; if left out, one at a time."`
	Heal            *Heal            `json:"heal,omitempty" doc:"How machines are brought back that somebody has stopped, that failed, or whose probes find that they do not serve. If left out they are reported only."`
	Probes          []Probe          `json:"probes,omitempty" rule:"max=8" doc:"How the agent asks each machine whether it serves. One that does not is reported, and no other is changed meanwhile."`
	ServerGroup     string           `json:"serverGroup,omitempty" doc:"Server group that the machines join: a ServerGroup of the repository, or one that exists. None is made for the group then, and haPolicy is left out."`
	Zones           []string         `json:"zones,omitempty" rule:"min=1,max=10,unique" doc:"Availability zones, or names that the stack's defaults.zones maps to them, over which the machines are spread evenly. Add further ones at the end."`
	IsolationGroups []IsolationGroup `json:"isolationGroups,omitempty" rule:"min=1,max=10" doc:"Parts of the machines, each in a zone with a number of its own, instead of zones. Add further ones at the end."`
	RemovalHints    []string         `json:"removalHints,omitempty" rule:"max=100,unique" doc:"Machines that the group does without, such as web-2; others keep their numbers."`
	DNS             *DNS             `json:"dns,omitempty" doc:"Records that follow the machines' addresses: one of all machines, and one of each."`
	Template        machine.Template `json:"template" rule:"required" doc:"What each machine is; volumes and ports are made for each. Volumes stay in the cloud when their machine goes, unless they say onDelete: delete."`
	Description     string           `json:"description,omitempty" rule:"lines,max=255" doc:"Free text, for machines whose template has none."`
}

// Strategy says how the machines of a group are changed.
type Strategy struct {
	Type            string                `json:"type,omitempty" rule:"enum=Rolling|OnDelete|Recreate,default=Rolling" doc:"Rolling: some at a time, as long as enough of them serve. OnDelete: a machine only when somebody has deleted it, or it is broken. Recreate: all at the same time."`
	MaxUnavailable  *manifest.IntOrString `json:"maxUnavailable,omitempty" doc:"How many machines may not serve because they are changed: a number, or a share of replicas such as 25%, which is rounded down and at least one; default 1."`
	MaxSurge        *manifest.IntOrString `json:"maxSurge,omitempty" doc:"How many further machines there may be while others are changed, so that none is missing meanwhile: a number, or a share of replicas, which is rounded up; default 0. They are called NAME-spare-0 and so on, and deleted in the end. With it, maxUnavailable is 0 unless it says otherwise."`
	MinReadySeconds int                   `json:"minReadySeconds,omitempty" rule:"min=0,max=3600" doc:"How long a machine must have run before the next one is changed."`
	DrainSeconds    *int                  `json:"drainSeconds,omitempty" rule:"min=0,max=3600,default=30" doc:"For how long load balancers send a machine no new connections before it is changed; 0 to change it at once."`
	Partition       int                   `json:"partition,omitempty" rule:"min=0,max=1000" doc:"Only machines with this number and higher ones are changed; the others stay as they are until it is lowered."`
	Canary          *Canary               `json:"canary,omitempty" doc:"Machines that are changed before all others, which go on by themselves when these have served for a while."`
	PauseAfter      int                   `json:"pauseAfter,omitempty" rule:"min=0,max=1000" doc:"How many machines are changed before the others are left as they are, until it is raised or removed; 0 is all."`

	ProgressDeadlineSeconds int    `json:"progressDeadlineSeconds,omitempty" rule:"min=0,max=86400" doc:"How long a changed machine may not serve before that is reported as a failure; 15 minutes if left out."`
	OnFailure               string `json:"onFailure,omitempty" rule:"enum=stop|rollback,default=stop" doc:"What is done then. stop: nothing more is changed. rollback: the group goes back to what its other machines still are, by the manifests of an earlier commit, until another commit changes it."`
}

// Canary is a trial of a change on some of the machines.
type Canary struct {
	Members         int `json:"members" rule:"required,min=1,max=1000" doc:"How many machines."`
	DurationSeconds int `json:"durationSeconds" rule:"required,min=1,max=604800" doc:"How long they must have run, and serve, before others are changed."`
}

// Heal says how the agent repairs machines that do not serve.
type Heal struct {
	Stopped      string                `json:"stopped,omitempty" rule:"enum=restart|replace|leave,default=restart" doc:"A machine that is switched off (SHUTOFF)."`
	Failed       string                `json:"failed,omitempty" rule:"enum=restart|rebuild|replace|leave,default=replace" doc:"A machine in ERROR that has been running before."`
	Unresponsive string                `json:"unresponsive,omitempty" rule:"enum=restart|rebuild|replace|leave,default=restart" doc:"A machine that has failed a probe as often in a row as its threshold says."`
	AfterSeconds *int                  `json:"afterSeconds,omitempty" rule:"min=0,max=86400,default=120" doc:"How long it must have been so, as the agent has seen it; twice as long after it was brought back once within an hour, four times after twice."`
	PerHour      *int                  `json:"perHour,omitempty" rule:"min=1,max=1000,default=3" doc:"How often machines of the group are brought back within an hour."`
	MaxSick      *manifest.IntOrString `json:"maxSick,omitempty" doc:"How many machines may not serve for any to be brought back: a number, or a share of replicas, at least one; default 50%. When there are more, nothing is done."`
}

// Probe says how a machine is asked whether it serves, at the address of its first
// port.
type Probe struct {
	Type                string `json:"type" rule:"required,enum=http|https|tcp|grpc" doc:"tcp: it accepts a connection. http, https: it answers a GET with a status from 200 to 399; its certificate is not verified. grpc: by the gRPC health checking protocol, without TLS, it is SERVING."`
	Port                int    `json:"port" rule:"required,min=1,max=65535" doc:"Port that is asked."`
	Path                string `json:"path,omitempty" rule:"max=1024" doc:"Path and query of an HTTP request; default /."`
	Host                string `json:"host,omitempty" rule:"max=255" doc:"Host that an HTTP or gRPC request names; its address if left out."`
	Service             string `json:"service,omitempty" rule:"max=255" doc:"Service that a gRPC server is asked about; the server as a whole if left out."`
	IntervalSeconds     *int   `json:"intervalSeconds,omitempty" rule:"min=1,max=300,default=10" doc:"Least time between two questions."`
	TimeoutSeconds      *int   `json:"timeoutSeconds,omitempty" rule:"min=1,max=30,default=3" doc:"How long an answer may take."`
	Threshold           *int   `json:"threshold,omitempty" rule:"min=1,max=10,default=3" doc:"How many bad answers in a row make a machine that served one that does not."`
	InitialDelaySeconds int    `json:"initialDelaySeconds,omitempty" rule:"min=0,max=3600" doc:"How long a machine has run before it is asked for the first time; until then it does not count as serving."`
}

type rules struct{}

// Kind is the kind VirtualMachineGroup.
func Kind() *kind.Kind {
	r := rules{}
	return typed.Workload[Spec]{
		Info: kind.Info{
			Group: define.WorkloadGroup, Version: "v1alpha1", Kind: "VirtualMachineGroup", Short: "vmg", Aliases: []string{"verda.linecorp.com"}, Parts: []string{"ServerGroup", "VirtualMachine", "DNSRecordSet"},
			Doc: "A number of machines that are all alike. It stands for VirtualMachines NAME-0, NAME-1 and so on, in one zone or spread over several. It also stands for a ServerGroup NAME that keeps them on different hosts, unless it names another one.",
		},
		Group: kind.Group{Members: "VirtualMachine", Spec: "spec.template"}, Validate: r.Validate, Expand: r.Expand, Gather: r.Gather,
	}.Kind()
}
