package status

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/document"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/redact"
)

const stackLabel = "stackreeve.dev/stack"

// Of returns the status of every object of a plan. Each workload comes after its parts, and its conditions summarise the conditions of its
// parts. There is one status for each step, so that statuses can be counted like the steps in [plan.Plan.Summary].
func Of(p plan.Plan, kinds []*kind.Kind) []Object { return After(p, kinds, nil) }

// After does the same as [Of] after a pass has tried to carry out the plan. faults contains the reasons why steps failed, by the keys of
// their objects.
func After(p plan.Plan, kinds []*kind.Kind, faults map[manifest.Key]Fault) []Object {
	return show(p, kinds, subjectsOf(p, faults))
}

// show returns the status of the subjects and of the workloads of a plan.
func show(p plan.Plan, kinds []*kind.Kind, subjects []subject) []Object {
	f := framesOf(p, kinds)
	w := newWorkloads(p, f)
	queue, h := waitsOf(subjects), halt{held: p.Held != nil, suspended: p.Suspended != ""}
	list := make([]*Object, 0, len(subjects)+len(p.Workloads))
	for _, s := range subjects {
		o := f.object(s.Key, s.Parent)
		o.Status = f.status(s, find(s, h, queue)).withReady(nil)
		if list = append(list, o); !s.Surplus {
			w.add(o, s.Parent, s.Key, s.want)
		}
	}
	for _, of := range partsFirst(p.Workloads) {
		if of.Data {
			continue
		}
		o := f.object(of.Key, of.Parent)
		o.Status = w.status(of).withReady(w.members(of))
		list = append(list, o)
		w.add(o, of.Parent, of.Key, of.Want)
	}
	out := make([]Object, len(list))
	for i, o := range list {
		out[i] = *o
	}
	return out
}

// finding is the result for one object, before it becomes a Status.
type finding struct {
	state, sync            State
	health                 Health
	waitsFor, message      string
	available, progressing Condition
}

// find returns the finding for one subject.
func find(s subject, h halt, w waits) finding {
	waitsFor := w.blocker(s)
	f := finding{state: s.state(h, waitsFor), health: s.health()}
	if f.state == StateDrifted || f.state == StateWaiting {
		f.waitsFor = waitsFor
	}
	f.sync, f.message = s.sync(f.state), s.message(f.state)
	f.progressing = s.progressing(h, f.state)
	f.available = s.available(f.progressing)
	if unmade := w.missingObject(s); unmade != "" && f.progressing.Reason == ReasonProgressing {
		f.available.Message, f.progressing.Message = unmade, unmade
	}
	return f
}

// objectFrames contains the parts of objects besides their status: names, labels, owners.
type objectFrames struct {
	stack   string
	kinds   map[string]*kind.Kind
	labels  map[manifest.Key]map[string]string // includes the labels of their parents
	secrets *redact.Redactor
}

func framesOf(p plan.Plan, kinds []*kind.Kind) objectFrames {
	f := objectFrames{p.Stack, map[string]*kind.Kind{}, p.Labels(), p.Secrets}
	for _, k := range kinds {
		f.kinds[k.Info.Kind] = k
	}
	for _, w := range p.Workloads {
		if defined := w.Want.Defined(); defined != nil {
			f.kinds[w.Key.Kind] = defined
		}
	}
	return f
}

func (f objectFrames) object(key, parent manifest.Key) *Object {
	o := &Object{APIVersion: f.apiVersion(key.Kind), Kind: key.Kind,
		Metadata: Metadata{Name: key.Name, Namespace: key.Namespace, Labels: map[string]string{}}}
	for name, text := range f.labels[key] {
		o.Metadata.Labels[name] = f.secrets.Text(text)
	}
	o.Metadata.Labels[stackLabel] = f.stack
	if parent != (manifest.Key{}) {
		o.Metadata.OwnerReferences = []Owner{{APIVersion: f.apiVersion(parent.Kind), Kind: parent.Kind, Name: parent.Name}}
	}
	return o
}

func (f objectFrames) apiVersion(kind string) string {
	k := f.kinds[kind]
	if k == nil {
		return ""
	}
	return manifest.GroupVersionKind{Group: k.Info.Group, Version: k.Info.Version}.APIVersion()
}

// status returns the status of a step's object, without secrets.
func (f objectFrames) status(s subject, found finding) Status {
	hide := s.Secrets.Text
	out := Status{
		State: found.state, Sync: found.sync, Health: found.health, WaitsFor: hide(found.waitsFor), Message: hide(found.message),
		Action: s.Action, Drift: s.Drift, Trace: TraceOf(*s.Step), Surplus: s.Surplus, ID: s.ShownID(),
		Changes: withoutSecrets(s.Known()), LeftAlone: withoutSecrets(slices.Concat(s.Ignored, s.uncounted)),
		Notes: s.Notes, Origin: originOf(s.Origin), Names: s.Names, unmanaged: s.Unmanaged(),
	}
	for _, c := range []Condition{found.available, found.progressing} {
		c.Message = hide(c.Message)
		out.Conditions = append(out.Conditions, c)
	}
	if s.have == nil {
		return out
	}
	out.Made = s.have.Created
	if k := f.kinds[s.Key.Kind]; k != nil {
		if k.StatusID != nil {
			out.ID = k.StatusID(out.ID)
		}
		observed := k.Status(s.have.State)
		out.Resource = document.Observed(s.Want, observed, s.Secrets)
		out.Addresses = addressesOf(s.Secrets, observed)
	}
	return out
}
