package world

import (
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// A suspended object is left exactly as it is, with the parts that its manifest no longer has. Marks do not show of which object another one was a
// part. So kind and name decide:
//
//	NAME, NAME-…        of the kinds that the suspended object can stand for (see [kind.Info.Parts])
//	NAME, with - or .   of any kind, where a definition says what it stands for, which chooses names itself
//	around it
//
// When unsure, the planner keeps an object. The plan says so, and the object is deleted later.

// suspended is an object of the repository that is suspended, and may stand for others.
type suspended struct {
	*kind.Desired
	parts map[string]bool // kinds; nil for any
}

// suspensions finds the suspended objects, but for those that are suspended as a part of another one.
func (w *World) suspensions() (list []suspended) {
	for i := range w.Want {
		d := &w.Want[i]
		if parent := w.ByKey[d.Parent]; !d.Options.Suspend || d.Unmanaged || parent != nil && parent.Options.Suspend {
			continue
		}
		s := suspended{Desired: d}
		if d.Defined() == nil {
			s.parts = map[string]bool{}
			w.addParts(d.Key.Kind, s.parts)
		}
		list = append(list, s)
	}
	return list
}

func (w *World) addParts(name string, parts map[string]bool) {
	k := w.KindOf[name]
	if k == nil {
		return
	}
	for _, part := range k.Info.Parts {
		if !parts[part] {
			parts[part] = true
			w.addParts(part, parts)
		}
	}
}

// Had reports whether something of that key was a part of it.
func (s suspended) Had(key manifest.Key) bool {
	if s.parts != nil {
		return s.parts[key.Kind] && (key.Name == s.Key.Name || strings.HasPrefix(key.Name, s.Key.Name+"-"))
	}
	between := func(name string) string { return "-" + strings.ReplaceAll(name, ".", "-") + "-" }
	return strings.Contains(between(key.Name), between(s.Key.Name))
}
