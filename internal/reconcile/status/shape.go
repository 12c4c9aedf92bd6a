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

// Object is one object with its status, in the shape of Kubernetes.
type Object struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Metadata   Metadata `json:"metadata"`
	// Spec is what the manifest says; nil unless it was asked for with [plan.Plan.Specs].
	Spec   any    `json:"spec,omitempty"`
	Status Status `json:"status"`
}

// Metadata identifies an object, and what it comes from.
type Metadata struct {
	Name            string            `json:"name"`
	Namespace       string            `json:"namespace"`
	Labels          map[string]string `json:"labels"` // its own, those of what it comes from, and which stack it belongs to
	OwnerReferences []Owner           `json:"ownerReferences,omitempty"`
}

// Owner is the object that another one was expanded from.
type Owner struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
}

// Status is what the cloud says of an object, and what is to be done about it.
type Status struct {
	State State `json:"state"`
	// Sync is how it compares with its manifest, Health how it is in the cloud: State is what both come to.
	Sync     State       `json:"sync"`
	Health   Health      `json:"health"`
	WaitsFor string      `json:"waitsFor,omitempty"` // Kind/name, "the cloud", or a name in the cloud
	Message  string      `json:"message,omitempty"`
	Action   plan.Action `json:"action,omitempty"` // of the plan's step; "" for what only stands for others
	Drift    bool        `json:"drift,omitempty"`
	// Trace is who made the difference, of drift; nil where the cloud was not asked.
	Trace     *Trace   `json:"changedBy,omitempty"`
	Surplus   bool     `json:"surplus,omitempty"` // a copy that bears the mark of the object besides it
	Ready     string   `json:"ready"`             // N/M: how many can be used, of its machines or other members, or of itself
	ID        string   `json:"id,omitempty"`
	Addresses []string `json:"addresses,omitempty"`
	// Changes are the fields that differ, LeftAlone those of which nothing is made.
	// Of secrets the values are left out.
	Changes   []kind.Change `json:"changes,omitempty"`
	LeftAlone []kind.Change `json:"leftAlone,omitempty"`
	// Names say what IDs among the values of both stand for, by ID.
	Names      map[string]string `json:"names,omitempty"`
	Notes      []kind.Note       `json:"notes,omitempty"`
	Origin     *Origin           `json:"origin,omitempty"`
	LastChange *Touch            `json:"lastChange,omitempty"` // nil when it was not asked for
	Resource   any               `json:"resource,omitempty"`
	Conditions []Condition       `json:"conditions"`
	// Made is when the cloud says that it made the object, or the first of what it stands for; zero when it does not.
	Made time.Time `json:"-"`
	// Own is what a workload kind says besides, in its own words; it stands beside the other fields.
	Own map[string]any `json:"-"`

	// worst is the message of the part that made a workload's state.
	worst string
	// able are how many can be used of the members; an object without any is its own.
	able, members int
	// unmanaged is only used: it may be older than the stack.
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

// Origin is where the manifest stands.
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

// Trace is who changed an object in the cloud, as far as the cloud says: nothing of it where it does not.
type Trace struct {
	User   string `json:"user,omitempty"`   // a name, or the ID of a user
	Time   string `json:"time,omitempty"`   // RFC 3339, UTC
	Action string `json:"action,omitempty"` // as the cloud calls it
}

// TraceOf is that of a step; nil where nobody asked.
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

// unsealed leaves out the values of secrets, of which changes hold fingerprints.
func unsealed(list []kind.Change) []kind.Change {
	var out []kind.Change
	for _, c := range list {
		if c.Secret {
			c.Have, c.Want = nil, nil
		}
		out = append(out, c)
	}
	return out
}

// Addressed is implemented by what [kind.Kind.Status] returns of kinds whose objects
// have addresses.
type Addressed interface {
	// Addresses lists them in the order in which people look for them.
	Addresses() []string
}

func addressesOf(r *redact.Redactor, observed any) []string {
	if a, ok := observed.(Addressed); ok {
		return r.Texts(a.Addresses())
	}
	return nil
}
