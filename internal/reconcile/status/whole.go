package status

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/document"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// workloads contains the objects whose status is known so far, for the summaries of workloads.
type workloads struct {
	objectFrames
	parts     map[manifest.Key][]*Object // by the object that they are a part of
	shown     knownStatuses
	fallbacks map[manifest.Key]string
	rollouts  map[manifest.Key]string
}

func newWorkloads(p plan.Plan, f objectFrames) workloads {
	w := workloads{f, map[manifest.Key][]*Object{}, newKnownStatuses(), map[manifest.Key]string{}, map[manifest.Key]string{}}
	for _, back := range p.Fallbacks {
		w.fallbacks[back.Group] = back.String()
	}
	for _, r := range p.Rollouts() {
		w.rollouts[r.Group] = r.Progress()
	}
	return w
}

// add records an object whose status is known.
func (w workloads) add(o *Object, parent, key manifest.Key, want *kind.Desired) {
	w.parts[parent] = append(w.parts[parent], o)
	w.shown.note(o, key, want)
}

// status returns the status of a workload. The status of all its parts must be known.
func (w workloads) status(of plan.Workload) Status {
	out := summary(w.parts[of.Key])
	out.Origin, out.Notes, out.Own = originOf(of.Origin), of.Notes, w.summarize(of)
	if back := w.fallbacks[of.Key]; back != "" {
		out.State, out.Sync, out.Message, out.worst = StateFailed, StateFailed, back, back
	}
	if progress := w.rollouts[of.Key]; progress != "" {
		out.Message = progress + "; " + out.Message
	}
	return w.withDefinition(out, of.Want)
}

// summarize returns the fields that the kind of a workload adds.
func (w workloads) summarize(of plan.Workload) map[string]any {
	k := w.kinds[of.Key.Kind]
	if k == nil || k.Summarize == nil || of.Want == nil {
		return nil
	}
	var parts []kind.PartStatus
	for _, p := range w.parts[of.Key] {
		parts = append(parts, kind.PartStatus{Kind: p.Kind, Name: p.Metadata.Name, Available: p.Status.Conditions[0].Status == "True", Resource: p.Status.Resource})
	}
	own, _ := document.Redact(w.secrets, k.Summarize(of.Want.Spec, parts), document.EveryKey).(map[string]any)
	return own
}

// members returns the parts of a workload that stand for other objects, such as the machines of a group. It returns nil if there are none
// and the workload is no group.
func (w workloads) members(of plan.Workload) (list []*Object) {
	if k := w.kinds[of.Key.Kind]; k != nil && k.Group.Members != "" {
		list = []*Object{}
	}
	for _, part := range w.parts[of.Key] {
		if part.Status.Action == "" {
			list = append(list, part)
		}
	}
	return list
}
