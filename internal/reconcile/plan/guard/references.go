package guard

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Reference is the target of a reference, for policies. A policy needs it because the author of a manifest can choose any
// name for an object.
type Reference struct {
	Of       manifest.Key // the object whose manifest has the reference: the judged object, or an object that it expands into
	Field    string
	Key      manifest.Key
	Imported bool // true if the stack only uses the object and does not manage it
	// Name and ID are the target's name and ID in the cloud. If the target was not found, does not exist yet, or is about
	// to be replaced, Known is false and both are "".
	Name, ID string
	Known    bool
}

// relations has the relations between the objects of a plan.
type relations struct {
	wants map[manifest.Key]*kind.Desired
	steps map[manifest.Key]*plan.Step
	parts map[manifest.Key][]manifest.Key // the objects that an object expands into
	// written has, for each object, its fields that steps of other objects write. writes has, for the object of each step,
	// the other objects whose fields the step writes.
	written map[manifest.Key][]string
	writes  map[manifest.Key][]manifest.Key
}

func relationsOf(p plan.Plan) relations {
	f := relations{wants: map[manifest.Key]*kind.Desired{}, steps: map[manifest.Key]*plan.Step{}, parts: map[manifest.Key][]manifest.Key{},
		written: map[manifest.Key][]string{}, writes: map[manifest.Key][]manifest.Key{}}
	add := func(key, parent manifest.Key, want *kind.Desired) {
		if want != nil {
			f.wants[key] = want
		}
		if parent != (manifest.Key{}) {
			f.parts[parent] = append(f.parts[parent], key)
		}
	}
	for i := range p.Workloads {
		add(p.Workloads[i].Key, p.Workloads[i].Parent, p.Workloads[i].Want)
	}
	for i := range p.Steps {
		if s := &p.Steps[i]; !s.Surplus {
			f.steps[s.Key] = s
			add(s.Key, s.Parent, s.Want)
		}
	}
	for i := range p.Steps {
		if s := &p.Steps[i]; s.Want != nil && !s.Surplus {
			f.addFieldWrites(s)
			f.addDataWrites(s)
		}
	}
	return f
}

// addFieldWrites adds to written and writes the fields of the step's object that steps of other objects write.
func (f relations) addFieldWrites(s *plan.Step) {
	for field, by := range s.Want.Options.Entrusted {
		if writer := f.steps[by]; writer != nil && writer.Action == plan.Update && kind.Has(writer.Changes, field) {
			f.written[s.Key] = append(f.written[s.Key], field)
			f.writes[by] = append(f.writes[by], s.Key)
		}
	}
	slices.Sort(f.written[s.Key])
}

// addDataWrites adds to writes the ConfigMaps and Secrets whose data the step writes, because these have no steps themselves.
func (f relations) addDataWrites(s *plan.Step) {
	for _, ref := range s.Want.Refs {
		target := f.wants[ref.Key]
		if target == nil || target.Data == nil || ref.Order {
			continue
		}
		touches := func(c kind.Change) bool { return kind.Within(ref.Field, c.Field) || kind.Within(c.Field, ref.Field) }
		if s.Action == plan.Create || s.Action == plan.Recreate || slices.ContainsFunc(s.Changes, touches) {
			f.writes[s.Key] = append(f.writes[s.Key], ref.Key)
		}
	}
}

// references returns the references of an object and of its parts to objects that are no parts of it.
func (f relations) references(key manifest.Key) (list []Reference) {
	within := map[manifest.Key]bool{key: true}
	all := []manifest.Key{key}
	for i := 0; i < len(all); i++ {
		for _, part := range f.parts[all[i]] {
			if !within[part] {
				within[part] = true
				all = append(all, part)
			}
		}
	}
	seen := map[manifest.Key]bool{}
	for _, of := range all {
		if f.wants[of] == nil {
			continue
		}
		for _, ref := range f.wants[of].Refs {
			if outside := f.wants[ref.Key]; within[ref.Key] && (outside == nil || !outside.Unmanaged) || seen[ref.Key] && of != key {
				continue
			}
			seen[ref.Key] = true
			list = append(list, f.resolved(Reference{Of: of, Field: ref.Field, Key: ref.Key}))
		}
	}
	return list
}

// resolved returns the reference with the target's name and ID in the cloud.
func (f relations) resolved(r Reference) Reference {
	if want := f.wants[r.Key]; want != nil {
		r.Imported = want.Unmanaged
	}
	if s := f.steps[r.Key]; s != nil && s.Have != nil && !s.Action.Destroys() {
		r.Name, r.ID, r.Known = s.Have.Name, s.Have.ID, true
	}
	return r
}
