package config

import (
	"fmt"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/pattern"
)

// AgentsGVK is the kind of the document for several agents that share stacks.
var AgentsGVK = manifest.GroupVersionKind{Group: "stackreeve.dev", Version: "v1alpha1", Kind: "Agents"}

// AgentsBody is a whole document, for the commands schema and explain.
type AgentsBody struct {
	Spec AgentsSpec `json:"spec" rule:"required" doc:"The store in which the agents record which agent serves which stack, and the identity of this agent."`
}

// AgentsSpec is the content of an Agents document.
type AgentsSpec struct {
	Etcd         *AgentsEtcd       `json:"etcd,omitempty" doc:"The cluster of etcd that holds the leases."`
	Kubernetes   *AgentsKubernetes `json:"kubernetesLease,omitempty" doc:"Instead of etcd: the namespace of Kubernetes with the leases. {} means the namespace in which the agent runs."`
	Name         string            `json:"name,omitempty" doc:"Name of this agent. Each agent must have a different name. --agent-name or the name of its machine if left out, so that all agents can have the same file."`
	Address      string            `json:"address,omitempty" doc:"Address at which other agents and people reach this agent's listener, such as https://agent-1.example.org:9464; --agent-address if left out. Without it, this agent does not get webhooks that other agents receive."`
	CAFile       string            `json:"caFile,omitempty" doc:"File with PEM certificates that are trusted for other agents' listeners; the system's if left out."`
	LeaseSeconds int               `json:"leaseSeconds,omitempty" rule:"min=12,max=600,default=60" doc:"How long a lease lasts if it is not renewed. An agent renews its lease after a sixth of that time. If it cannot renew the lease, it starts nothing after a quarter, and writes nothing after three quarters. Other agents serve its stacks when the lease has ended."`
}

// AgentsEtcd is a cluster of etcd.
type AgentsEtcd struct {
	Endpoints []string `json:"endpoints" rule:"required,min=1,max=9,unique" doc:"Addresses of the members for clients, such as https://etcd-1.example.org:2379. The agent asks them in turn."`
	CAFile    string   `json:"caFile,omitempty" doc:"File with PEM certificates that are trusted for etcd; the system's if left out."`
	CertFile  string   `json:"certFile,omitempty" doc:"File with the PEM certificate that the agent shows to etcd; needs keyFile."`
	KeyFile   string   `json:"keyFile,omitempty" doc:"File with the private key of the certificate in certFile."`
}

// AgentsKubernetes says which namespace of which Kubernetes cluster has the leases, and how the agent logs in there.
type AgentsKubernetes struct {
	Server    string `json:"server,omitempty" doc:"Address of the API server, such as https://kubernetes.example.org:6443. If left out, the API server of the cluster in which the agent runs."`
	Namespace string `json:"namespace,omitempty" doc:"Namespace of the leases. Required with server; the namespace of the agent's pod if both are left out."`
	CAFile    string `json:"caFile,omitempty" doc:"File with PEM certificates that are trusted for the API server. If left out: with server, the system's certificates; without server, those of the agent's pod."`
	TokenFile string `json:"tokenFile,omitempty" doc:"File with the token for the API server. The file is read again for each request. If tokenFile and server are left out, the agent uses the token of its pod."`
	CertFile  string `json:"certFile,omitempty" doc:"File with the PEM certificate that the agent shows to the API server; needs keyFile."`
	KeyFile   string `json:"keyFile,omitempty" doc:"File with the private key of the certificate in certFile."`
}

// Agents is the configuration of several agents that share stacks.
type Agents struct {
	Name   string // the name of the group of agents; their shared data is stored under it
	Origin manifest.Origin
	Spec   AgentsSpec
}

const defaultLease = 60 // seconds

// TTL is the time after which a lease ends if it is not renewed.
func (a *Agents) TTL() time.Duration {
	seconds := a.Spec.LeaseSeconds
	if seconds == 0 {
		seconds = defaultLease
	}
	return time.Duration(seconds) * time.Second
}

var agentName = pattern.Of(`^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`)

// CheckAgent returns the mistake in an agent's name or address, or "".
func CheckAgent(name, address string) (what string) {
	if !agentName.MatchString(name) {
		return fmt.Sprintf("%q cannot be an agent's name; use at most 63 letters, digits and .-_, beginning and ending with a letter or digit", name)
	}
	checkAddress(func(_, wrong string) { what = "the address of the agent " + wrong }, "", address)
	return what
}

// namedFiles returns the fields that name files, whether they are set or not.
func (s *AgentsSpec) namedFiles() []namedFile {
	list := []namedFile{{field: "spec.caFile", path: &s.CAFile}}
	if e := s.Etcd; e != nil {
		list = append(list, namedFile{field: "spec.etcd.caFile", path: &e.CAFile}, namedFile{field: "spec.etcd.certFile", path: &e.CertFile},
			namedFile{field: "spec.etcd.keyFile", path: &e.KeyFile, secret: true})
	}
	if k := s.Kubernetes; k != nil {
		list = append(list, namedFile{field: "spec.kubernetesLease.caFile", path: &k.CAFile}, namedFile{field: "spec.kubernetesLease.tokenFile", path: &k.TokenFile, secret: true},
			namedFile{field: "spec.kubernetesLease.certFile", path: &k.CertFile}, namedFile{field: "spec.kubernetesLease.keyFile", path: &k.KeyFile, secret: true})
	}
	return list
}

// decodeAgents decodes an Agents document of a file in a folder.
func decodeAgents(obj *manifest.Object, folder string) (Agents, []namedFile, []manifest.Problem) {
	var body AgentsBody
	problems := obj.Decode(&body)
	add := func(field, what string) {
		problems = append(problems, manifest.Problem{Origin: obj.Where(field), Key: obj.Key, Field: field, What: what})
	}
	a := Agents{Name: obj.Key.Name, Origin: obj.Origin, Spec: body.Spec}
	if !agentName.MatchString(a.Name) {
		add("metadata.name", fmt.Sprintf("%q cannot be the name of a group of agents; use at most 63 letters, digits and .-_", a.Name))
	}
	if name := a.Spec.Name; name != "" {
		if what := CheckAgent(name, ""); what != "" {
			add("spec.name", what)
		}
	}
	checkAddress(add, "spec.address", a.Spec.Address)
	if e := a.Spec.Etcd; e != nil {
		e.check(add)
	}
	if k := a.Spec.Kubernetes; k != nil {
		k.check(add)
	}
	if (a.Spec.Etcd == nil) == (a.Spec.Kubernetes == nil) {
		add("spec", "must have either etcd or kubernetesLease, the store for the leases of the agents")
	}
	files := below(folder, a.Spec.namedFiles())
	return a, files, problems
}

func (e *AgentsEtcd) check(add func(field, what string)) {
	for i, address := range e.Endpoints {
		field := fmt.Sprintf("spec.etcd.endpoints[%d]", i)
		if checkAddress(add, field, address); address == "" {
			add(field, "is empty; write it as https://host:2379")
		}
	}
	checkPair(add, "spec.etcd", e.CertFile, e.KeyFile)
}

var namespace = pattern.Of(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)

func (k *AgentsKubernetes) check(add func(field, what string)) {
	checkAddress(add, "spec.kubernetesLease.server", k.Server)
	switch {
	case k.Namespace != "" && !namespace.MatchString(k.Namespace):
		add("spec.kubernetesLease.namespace", fmt.Sprintf("%q cannot be the name of a namespace", k.Namespace))
	case k.Namespace == "" && k.Server != "":
		add("spec.kubernetesLease.namespace", "is missing; the namespace of the agent's pod is used only if server is left out")
	}
	checkPair(add, "spec.kubernetesLease", k.CertFile, k.KeyFile)
}

func checkPair(add func(field, what string), field, certFile, keyFile string) {
	if (certFile == "") != (keyFile == "") {
		add(field, "has one of certFile and keyFile; give both, or neither")
	}
}

// agentsTwice reports every Agents document after the first one.
func agentsTwice(list []Agents) (problems manifest.Problems) {
	for _, a := range list[min(1, len(list)):] {
		problems = append(problems, manifest.Problem{Origin: a.Origin, Key: manifest.Key{Kind: AgentsGVK.Kind, Name: a.Name},
			What: fmt.Sprintf("there is another document of the kind Agents at %s", list[0].Origin), Fix: "keep one document of the kind Agents"})
	}
	return problems
}

// Agents returns the configuration for sharing stacks with other agents. It returns nil if this agent serves all
// stacks alone. The result is the same for all stacks.
func (s *Stack) Agents() *Agents { return s.agents }
