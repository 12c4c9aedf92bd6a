package world

import (
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// A suspended object is not changed, and parts that its manifest no longer has are not deleted. A mark does not show to which object a part
// belonged, so the kind and the name decide. An object with one of these names counts as a part of the suspended object NAME:
//
//	the suspended object     the names of its parts                          the kinds of its parts
//	----------------------   ---------------------------------------------   ----------------------------------------------
//	is of a built-in kind    NAME, or a name that starts with NAME-          the kinds of its parts (see [kind.Info.Parts])
//	is of a defined kind     any name with NAME as words between - or .      any kind, because the definition chooses kinds
//
// In doubt, the planner keeps an object. The plan says so, and the object is deleted after the suspension has ended.

// suspended is a suspended object of the repository. It may have parts without a manifest.
type suspended struct {
	*kind.Desired
	parts map[string]bool // kinds; nil for any
}

// suspensions finds the suspended objects, except objects that are suspended as a part of another one.
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

// HasPart reports whether an object with that key counts as a part of the suspended object.
func (s suspended) HasPart(key manifest.Key) bool {
	if s.parts != nil {
		return s.parts[key.Kind] && (key.Name == s.Key.Name || strings.HasPrefix(key.Name, s.Key.Name+"-"))
	}
	between := func(name string) string { return "-" + strings.ReplaceAll(name, ".", "-") + "-" }
	return strings.Contains(between(key.Name), between(s.Key.Name))
}
