package guard

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Reference is what an object refers to, for policies: manifests choose the names by which they refer to things, and may
// call anything by any name.
type Reference struct {
	Of       manifest.Key // the object whose manifest has it: the judged one, or one that it stands for
	Field    string
	Key      manifest.Key
	Imported bool // nothing of the stack: it exists, and is only used
	// Name and ID are those in the cloud. Known is false, and both are "", of what was not found or made yet and of what is
	// about to be replaced.
	Name, ID string
	Known    bool
}

// family is what the objects of a plan have to do with each other.
type family struct {
	wants map[manifest.Key]*kind.Desired
	steps map[manifest.Key]*plan.Step
	parts map[manifest.Key][]manifest.Key // what an object stands for
	// written are the fields of an object that steps of others write, and writes the other objects of which a step does so.
	written map[manifest.Key][]string
	writes  map[manifest.Key][]manifest.Key
}

func familyOf(p plan.Plan) family {
	f := family{wants: map[manifest.Key]*kind.Desired{}, steps: map[manifest.Key]*plan.Step{}, parts: map[manifest.Key][]manifest.Key{},
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
			f.entrusted(s)
			f.carried(s)
		}
	}
	return f
}

// entrusted notes the fields of an object that the steps of others write for it.
func (f family) entrusted(s *plan.Step) {
	for field, by := range s.Want.Options.Entrusted {
		if writer := f.steps[by]; writer != nil && writer.Action == plan.Update && kind.Has(writer.Changes, field) {
			f.written[s.Key] = append(f.written[s.Key], field)
			f.writes[by] = append(f.writes[by], s.Key)
		}
	}
	slices.Sort(f.written[s.Key])
}

// carried notes the ConfigMaps and Secrets whose data a step writes: they have no step of their own.
func (f family) carried(s *plan.Step) {
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

// references are what an object, and what it stands for, refers to outside of that.
func (f family) references(key manifest.Key) (list []Reference) {
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

// resolved says what a reference comes to in the cloud.
func (f family) resolved(r Reference) Reference {
	if want := f.wants[r.Key]; want != nil {
		r.Imported = want.Unmanaged
	}
	if s := f.steps[r.Key]; s != nil && s.Have != nil && !s.Action.Destroys() {
		r.Name, r.ID, r.Known = s.Have.Name, s.Have.ID, true
	}
	return r
}
