package plan

import (
	"cmp"
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/document"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/redact"
)

const stackLabel = "stackreeve.dev/stack"

// Statuses returns the status of every object of a plan: each after what it was
// expanded into, workloads with conditions that sum up those of their parts. There
// is one for each step, so that they can be counted as [Plan.Summary] counts.
func Statuses(p Plan, kinds []*kind.Kind) []ObjectStatus {
	b := statusBuilder{stack: p.Stack, kinds: map[string]*kind.Kind{}, parts: map[manifest.Key][]*ObjectStatus{}, labels: labelsOf(p), states: statesOf(p), secrets: p.secrets, shown: newShown()}
	for _, k := range kinds {
		b.kinds[k.Info.Kind] = k
	}
	for _, w := range p.Workloads {
		if w.want.Defined() != nil {
			b.kinds[w.Key.Kind] = w.want.Defined()
		}
	}
	var list []*ObjectStatus
	for _, s := range p.Steps {
		o := b.object(s.Key, s.Parent)
		o.Status = b.status(s)
		o.settle(nil)
		list = append(list, o)
		if !s.surplus {
			b.note(o, s.Key, s.want)
			b.parts[s.Parent] = append(b.parts[s.Parent], o)
		}
	}
	rollouts := p.Rollouts()
	for _, w := range innermostFirst(p.Workloads) {
		if w.Data {
			continue
		}
		o := b.object(w.Key, w.Parent)
		o.Status = summary(b.parts[w.Key])
		o.Status.Origin, o.Status.Notes = placeOf(w.Origin), w.Notes
		o.Status.Own = b.own(w)
		if i := slices.IndexFunc(p.fallbacks, func(f Fallback) bool { return f.Group == w.Key }); i >= 0 {
			o.Status.Sync = StateFailed
			o.Status.State, o.Status.Message = StateFailed, p.fallbacks[i].String()
			o.Status.worst = o.Status.Message
		}
		if i := slices.IndexFunc(rollouts, func(r Rollout) bool { return r.Group == w.Key }); i >= 0 {
			o.Status.Message = rollouts[i].progress() + "; " + o.Status.Message
		}
		b.sum(o, w.want)
		o.settle(b.members(w))
		b.note(o, w.Key, w.want)
		list = append(list, o)
		b.parts[w.Parent] = append(b.parts[w.Parent], o)
	}
	out := make([]ObjectStatus, len(list))
	for i, o := range list {
		out[i] = *o
	}
	return out
}

type statusBuilder struct {
	stack string
	kinds map[string]*kind.Kind
	parts map[manifest.Key][]*ObjectStatus
	// labels are those of every object, its parents' among them.
	labels  map[manifest.Key]map[string]string
	states  states
	secrets *redact.Redactor
	shown   shown
}

// own is what the kind of a workload says of it.
func (b statusBuilder) own(w Workload) map[string]any {
	k := b.kinds[w.Key.Kind]
	if k == nil || k.Summarize == nil || w.want == nil {
		return nil
	}
	var parts []kind.PartStatus
	for _, p := range b.parts[w.Key] {
		parts = append(parts, kind.PartStatus{Kind: p.Kind, Name: p.Metadata.Name, Available: p.Status.Conditions[0].Status == "True", Resource: p.Status.Resource})
	}
	own, _ := document.Redact(b.secrets, k.Summarize(w.want.Spec, parts), document.EveryKey).(map[string]any)
	return own
}

// innermostFirst orders workloads so that each comes after its parts, and after what its definition shows.
func innermostFirst(list []Workload) []Workload {
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
	defined := func(w Workload) int {
		if w.want.Defined() != nil {
			return 1
		}
		return 0
	}
	return shownFirst(slices.SortedStableFunc(slices.Values(list), func(a, b Workload) int {
		return cmp.Or(cmp.Compare(depth(b.Key), depth(a.Key)), cmp.Compare(defined(a), defined(b)))
	}))
}

func (b statusBuilder) apiVersion(kind string) string {
	k := b.kinds[kind]
	if k == nil {
		return ""
	}
	return manifest.GroupVersionKind{Group: k.Info.Group, Version: k.Info.Version}.APIVersion()
}

func (b statusBuilder) object(key, parent manifest.Key) *ObjectStatus {
	o := &ObjectStatus{APIVersion: b.apiVersion(key.Kind), Kind: key.Kind,
		Metadata: StatusMetadata{Name: key.Name, Namespace: key.Namespace, Labels: map[string]string{}}}
	for name, text := range b.labels[key] {
		o.Metadata.Labels[name] = b.secrets.Text(text)
	}
	o.Metadata.Labels[stackLabel] = b.stack
	if parent != (manifest.Key{}) {
		o.Metadata.OwnerReferences = []StatusOwner{{APIVersion: b.apiVersion(parent.Kind), Kind: parent.Kind, Name: parent.Name}}
	}
	return o
}

func (b statusBuilder) status(s Step) Status {
	state, waitsFor := b.states.of(s)
	out := Status{
		State: state, Sync: s.sync(state), Health: s.health(), WaitsFor: waitsFor, Message: s.message(), Action: s.Action, Drift: s.Drift, Trace: TraceOf(s), Surplus: s.surplus, ID: s.ShownID(),
		Conditions: b.states.conditions(s, state), Changes: unsealed(s.Known()), LeftAlone: unsealed(slices.Concat(s.Ignored, s.aside)),
		Notes: s.Notes, Origin: placeOf(s.Origin), Names: s.Names, unmanaged: s.Unmanaged(),
	}
	if awaited := b.states.awaited(s); awaited != "" && out.Conditions[1].Reason == ReasonProgressing {
		out.Conditions[0].Message, out.Conditions[1].Message = awaited, awaited
	}
	if out.Message == "" && state == StateInSync && s.Unmanaged() {
		out.Message = "not managed"
	}
	if out.Message == "" && state == StateInSync {
		out.Message = cmp.Or(s.lock(), s.entrusted())
	}
	for i := range out.Conditions {
		out.Conditions[i].Message = s.secrets.Text(out.Conditions[i].Message)
	}
	out.WaitsFor, out.Message = s.secrets.Text(out.WaitsFor), s.secrets.Text(out.Message)
	if k := b.kinds[s.Key.Kind]; k != nil && s.have != nil {
		if k.Info.Unnumbered {
			out.ID = ""
		}
		observed := k.Status(s.have.State)
		out.Resource = document.Redact(s.secrets, observed, nil)
		out.Addresses = addressesOf(s.secrets, observed)
	}
	if s.have != nil {
		out.Made = s.have.Created
	}
	return out
}
