package status

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// Object is one object with its status, in the form of Kubernetes.
type Object struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Metadata   Metadata `json:"metadata"`
	// Spec is the spec of the manifest; nil unless it was requested with [plan.Plan.Specs].
	Spec   any    `json:"spec,omitempty"`
	Status Status `json:"status"`
}

// Metadata identifies an object, and the object that it comes from.
type Metadata struct {
	Name            string            `json:"name"`
	Namespace       string            `json:"namespace"`
	Labels          map[string]string `json:"labels"` // its own labels, those of the object that it comes from, and its stack
	OwnerReferences []Owner           `json:"ownerReferences,omitempty"`
}

// Owner is the object that another one was expanded from.
type Owner struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
}

// Status is the state of an object in the cloud, and the action that the plan has for it.
type Status struct {
	State State `json:"state"`
	// Sync is the result of comparing the object with its manifest, and Health is its health in the cloud. State combines both.
	Sync     State       `json:"sync"`
	Health   Health      `json:"health"`
	WaitsFor string      `json:"waitsFor,omitempty"` // Kind/name, "the cloud", or a name in the cloud
	Message  string      `json:"message,omitempty"`
	Action   plan.Action `json:"action,omitempty"` // action of the plan's step; "" for an object that only stands for others
	Drift    bool        `json:"drift,omitempty"`
	// Trace says who caused the drift; nil if the cloud was not asked.
	Trace     *Trace   `json:"changedBy,omitempty"`
	Surplus   bool     `json:"surplus,omitempty"` // the object is a copy that also has the mark
	Ready     string   `json:"ready"`             // N/M: N of M machines or other members can be used; an object without members is its own member
	ID        string   `json:"id,omitempty"`
	Addresses []string `json:"addresses,omitempty"`
	// Changes are the fields that differ, and LeftAlone are the differing fields that are not changed. Both contain no values of secrets.
	Changes   []kind.Change `json:"changes,omitempty"`
	LeftAlone []kind.Change `json:"leftAlone,omitempty"`
	// Names contains the names for the IDs among the values of Changes and LeftAlone, by ID.
	Names      map[string]string `json:"names,omitempty"`
	Notes      []kind.Note       `json:"notes,omitempty"`
	Origin     *Origin           `json:"origin,omitempty"`
	LastChange *Touch            `json:"lastChange,omitempty"` // nil if it was not requested
	Resource   any               `json:"resource,omitempty"`
	Conditions []Condition       `json:"conditions"`
	// Made is the time when the cloud created the object, or the first of its parts; zero if the cloud does not report it.
	Made time.Time `json:"-"`
	// Own contains further fields that a workload kind adds; JSON has them beside the other fields.
	Own map[string]any `json:"-"`

	// worst is the message of the part that decided a workload's state.
	worst string
	// able is the number of members that can be used. An object without members counts as its own member.
	able, members int
	// unmanaged is true if the object is an import, which may be older than the stack.
	unmanaged bool
}

// MarshalJSON implements json.Marshaler.
func (s Status) MarshalJSON() ([]byte, error) {
	type plain Status
	text, err := json.Marshal(plain(s))
	if err != nil || len(s.Own) == 0 {
		return text, err
	}
	own, err := json.Marshal(s.Own)
	return slices.Concat(own[:len(own)-1], []byte(","), text[1:]), err
}

// Origin is the position of the manifest.
type Origin struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// Touch is the commit that last touched the manifest's file.
type Touch struct {
	Commit  string `json:"commit"`
	Author  string `json:"author"`
	Time    string `json:"time"` // RFC 3339, UTC
	Subject string `json:"subject"`
}

// Trace says who changed an object in the cloud. Fields that the cloud does not report are empty.
type Trace struct {
	User   string `json:"user,omitempty"`   // a name, or the ID of a user
	Time   string `json:"time,omitempty"`   // RFC 3339, UTC
	Action string `json:"action,omitempty"` // word of the cloud
}

// TraceOf returns the trace of a step; nil if it was not requested.
func TraceOf(s plan.Step) *Trace {
	if s.Trace == nil {
		return nil
	}
	out := &Trace{User: s.Trace.Who, Action: s.Trace.What}
	if !s.Trace.When.IsZero() {
		out.Time = s.Trace.When.UTC().Format(time.RFC3339)
	}
	return out
}

func originOf(o manifest.Origin) *Origin {
	if o.File == "" {
		return nil
	}
	return &Origin{File: o.File, Line: o.Line}
}

// withoutSecrets removes the values of secrets. In changes, they are fingerprints.
func withoutSecrets(list []kind.Change) []kind.Change {
	var out []kind.Change
	for _, c := range list {
		if c.Secret {
			c.Have, c.Want = nil, nil
		}
		out = append(out, c)
	}
	return out
}

// Addressed is implemented by the results of [kind.Kind.Status] if the kind's objects have addresses.
type Addressed interface {
	// Addresses lists the addresses, the most interesting ones for people first.
	Addresses() []string
}

func addressesOf(r *redact.Redactor, observed any) []string {
	if a, ok := observed.(Addressed); ok {
		return r.Texts(a.Addresses())
	}
	return nil
}
