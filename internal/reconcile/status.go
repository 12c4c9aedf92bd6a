package reconcile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// ObjectStatus is one object with its status, in the shape of Kubernetes.
type ObjectStatus struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Metadata   StatusMetadata `json:"metadata"`
	Status     Status         `json:"status"`
}

// StatusMetadata identifies an object, and what it comes from.
type StatusMetadata struct {
	Name            string            `json:"name"`
	Namespace       string            `json:"namespace"`
	Labels          map[string]string `json:"labels"` // which stack it belongs to
	OwnerReferences []StatusOwner     `json:"ownerReferences,omitempty"`
}

// StatusOwner is the object that another one was expanded from.
type StatusOwner struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
}

// Status is what the cloud says of an object, and what is to be done about it.
type Status struct {
	ID         string      `json:"id,omitempty"`
	Resource   any         `json:"resource,omitempty"`
	Conditions []Condition `json:"conditions"`
}

// Condition is one of K-ORC's two: Available (can it be used?) and Progressing
// (will something still be done without a person?).
type Condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"` // True, False or Unknown
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// The reasons of conditions, K-ORC's words.
// (k-orc/openstack-resource-controller api/v1alpha1/conditions.go)
const (
	reasonSuccess     = "Success"
	reasonProgressing = "Progressing"
	reasonInvalid     = "InvalidConfiguration"
	reasonTransient   = "TransientError"
	reasonFatal       = "UnrecoverableError"
)

const stackLabel = "stackreeve.dev/stack"

// Statuses tells the status of every object of a plan: each after what it was
// expanded into, workloads with conditions that sum up those of their parts.
func Statuses(p Plan, kinds []Kind) []ObjectStatus {
	t := teller{stack: p.Stack, kinds: map[string]Kind{}, parts: map[manifest.Key][]*ObjectStatus{}}
	for _, k := range kinds {
		t.kinds[k.Info().Kind] = k
	}
	var list []*ObjectStatus
	for _, s := range p.Steps {
		if s.surplus {
			continue
		}
		o := t.object(s.Key, s.Parent)
		o.Status = t.status(s)
		list = append(list, o)
		t.parts[s.Parent] = append(t.parts[s.Parent], o)
	}
	for _, w := range t.innermostFirst(p.Workloads) {
		if w.Data {
			continue
		}
		o := t.object(w.Key, w.Parent)
		o.Status = Status{Conditions: sumUp(t.parts[w.Key])}
		list = append(list, o)
		t.parts[w.Parent] = append(t.parts[w.Parent], o)
	}
	out := make([]ObjectStatus, len(list))
	for i, o := range list {
		out[i] = *o
	}
	return out
}

type teller struct {
	stack string
	kinds map[string]Kind
	parts map[manifest.Key][]*ObjectStatus
}

// innermostFirst orders workloads so that each comes after its parts.
func (t teller) innermostFirst(list []Workload) []Workload {
	parent := map[manifest.Key]manifest.Key{}
	for _, w := range list {
		parent[w.Key] = w.Parent
	}
	depth := func(key manifest.Key) (n int) {
		for key = parent[key]; key != (manifest.Key{}) && n <= len(list); key = parent[key] {
			n++
		}
		return n
	}
	return slices.SortedStableFunc(slices.Values(list), func(a, b Workload) int { return cmp.Compare(depth(b.Key), depth(a.Key)) })
}

func (t teller) apiVersion(kind string) string {
	k := t.kinds[kind]
	if k == nil {
		return ""
	}
	return manifest.GroupVersionKind{Group: k.Info().Group, Version: k.Info().Version}.APIVersion()
}

func (t teller) object(key, parent manifest.Key) *ObjectStatus {
	o := &ObjectStatus{APIVersion: t.apiVersion(key.Kind), Kind: key.Kind,
		Metadata: StatusMetadata{Name: key.Name, Namespace: key.Namespace, Labels: map[string]string{stackLabel: t.stack}}}
	if parent != (manifest.Key{}) {
		o.Metadata.OwnerReferences = []StatusOwner{{APIVersion: t.apiVersion(parent.Kind), Kind: parent.Kind, Name: parent.Name}}
	}
	return o
}

func (t teller) status(s Step) Status {
	out := Status{ID: s.ShownID(), Conditions: []Condition{available(s), progressing(s)}}
	for i := range out.Conditions {
		out.Conditions[i].Message = s.secrets.Text(out.Conditions[i].Message)
	}
	if k := t.kinds[s.Key.Kind]; k != nil && s.have != nil {
		out.Resource = value(s.secrets, k.status(s.have.State))
	}
	return out
}

func available(s Step) Condition {
	c := Condition{Type: "Available", Status: "False", Reason: reasonProgressing}
	switch {
	case s.cause != "":
		c.Reason, c.Message = s.cause, s.Reason
	case s.have == nil && s.Error && s.Action == Wait:
		c.Status, c.Reason, c.Message = "Unknown", reasonTransient, s.Reason
	case s.have == nil && s.Action == Refuse:
		c.Reason, c.Message = reasonFatal, s.Reason
	case s.have == nil:
		c.Message = cmp.Or(s.Reason, "not in the cloud yet")
	case s.have.Phase == Ready:
		c.Status, c.Reason, c.Message = "True", reasonSuccess, "ready in the cloud"
	case s.have.Phase == Degraded:
		c.Status, c.Reason, c.Message = "True", reasonSuccess, "usable, but the cloud reports: "+s.have.Message
	case s.have.Phase == Failed:
		c.Reason, c.Message = reasonFatal, "failed: "+s.have.Message
	default:
		c.Message = strings.TrimSpace(string(s.have.Phase) + " " + s.have.Message)
	}
	return c
}

func progressing(s Step) Condition {
	c := Condition{Type: "Progressing", Status: "True", Reason: reasonProgressing, Message: s.Reason}
	switch {
	case s.cause == reasonProgressing:
	case s.cause != "":
		c.Status, c.Reason = "False", s.cause
	case s.Action == Keep && len(s.Changes) > 0:
		c.Status, c.Reason, c.Message = "False", reasonSuccess, s.Reason+": "+fieldNames(s.Changes)
	case s.Action == Keep:
		c.Status, c.Reason, c.Message = "False", reasonSuccess, cmp.Or(s.Reason, "as the manifest says")
	case s.Action == Refuse && s.Error:
		c.Status, c.Reason = "False", reasonFatal
	case s.Action == Refuse:
		c.Status, c.Reason = "False", reasonInvalid
	case s.Action == Wait && s.Error:
		c.Reason = reasonTransient
	case s.Action == Create:
		c.Message = cmp.Or(s.Reason, "to be created")
	case s.Action == Update:
		c.Message = "to be changed: " + fieldNames(s.Changes)
	case s.Action == Recreate:
		c.Message = "to be deleted and made anew: " + s.Reason
	case s.Action == Delete:
		c.Message = "to be deleted: " + s.Reason
	}
	return c
}

func fieldNames(changes []Change) string {
	names := make([]string, len(changes))
	for i, c := range changes {
		names[i] = c.Field
	}
	return strings.Join(names, ", ")
}

// sumUp gives a workload the conditions of its parts: available when all of
// them are, progressing when one of them is, and the reason of the worst.
func sumUp(parts []*ObjectStatus) []Condition {
	can := Condition{Type: "Available", Status: "True", Reason: reasonSuccess}
	going := Condition{Type: "Progressing", Status: "False", Reason: reasonSuccess, Message: "as the manifest says"}
	ready := 0
	for _, part := range parts {
		a, p := part.Status.Conditions[0], part.Status.Conditions[1]
		name := part.Kind + "/" + part.Metadata.Name
		if a.Status == "True" {
			ready++
		}
		if graver(a.Reason, can.Reason) {
			can.Status, can.Reason, can.Message = a.Status, a.Reason, name+": "+a.Message
		}
		if p.Status == "True" {
			going.Status = "True"
		}
		if graver(p.Reason, going.Reason) {
			going.Reason, going.Message = p.Reason, name+": "+p.Message
		}
	}
	count := fmt.Sprintf("%d of %d parts are available", ready, len(parts))
	if can.Message != "" {
		count += "; " + can.Message
	}
	can.Message = count
	return []Condition{can, going}
}

func graver(a, b string) bool {
	order := []string{reasonSuccess, reasonProgressing, reasonTransient, reasonInvalid, reasonFatal}
	return slices.Index(order, a) > slices.Index(order, b)
}
