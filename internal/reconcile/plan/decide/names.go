package decide

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

var anyUUID = pattern.Of(`[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`)

// nameIDs sets Names: for each ID in the values of changes, the name of the object. In a field with references, it looks up each value and
// each UUID inside a value. In other fields it only looks up a value that is a UUID as a whole.
func (p *planner) nameIDs() {
	var keys map[*kind.Live]manifest.Key // nil until first used
	for i := range p.steps {
		s := &p.steps[i]
		for _, c := range slices.Concat(s.Changes, s.Ignored) {
			kinds := refKinds(s, c.Field)
			for _, text := range append(textsIn(c.Have), textsIn(c.Want)...) {
				for _, id := range idsIn(text, len(kinds) > 0) {
					item, kind := p.withID(id, kinds)
					if item == nil {
						continue
					}
					if keys == nil {
						keys = p.keysOfLive()
					}
					if s.Names == nil {
						s.Names = map[string]string{}
					}
					s.Names[id] = p.textFor(item, kind, keys)
				}
			}
		}
	}
}

// refKinds returns the kinds of the references in a field, or in a field that contains it.
func refKinds(s *plan.Step, field string) (kinds []string) {
	if s.Want == nil {
		return nil
	}
	for _, ref := range s.Want.Refs {
		if kind.Within(ref.Field, field) || kind.Within(field, ref.Field) {
			kinds = append(kinds, ref.Key.Kind)
		}
	}
	return kinds
}

func textsIn(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []string:
		return v
	}
	return nil
}

func idsIn(text string, reference bool) []string {
	switch {
	case reference:
		return append(anyUUID.Regexp().FindAllString(text, -1), text)
	case anyUUID.Regexp().FindString(text) == text && text != "":
		return []string{text}
	}
	return nil
}

// withID finds an object by its ID, first among the given kinds. An ID that is no UUID is looked up only among the given kinds.
func (w worldReader) withID(id string, kinds []string) (*kind.Live, string) {
	if anyUUID.MatchString(id) {
		kinds = slices.Concat(kinds, w.KindNames)
	}
	for _, kind := range kinds {
		if x := w.Cloud.Collection(kind); x != nil && x.WithID(id) != nil {
			return x.WithID(id), kind
		}
	}
	return nil, ""
}

func (p *planner) keysOfLive() map[*kind.Live]manifest.Key {
	keys := make(map[*kind.Live]manifest.Key, len(p.found.Live))
	for d, item := range p.found.Live {
		if old, twice := keys[item]; !twice || d.Key.Compare(old) < 0 {
			keys[item] = d.Key
		}
	}
	return keys
}

// textFor returns the name of an object for people: its key if the object belongs to the stack or is imported, otherwise its kind and its
// name in the cloud.
func (w worldReader) textFor(item *kind.Live, kindName string, keys map[*kind.Live]manifest.Key) string {
	if key, ok := keys[item]; ok {
		return key.String()
	}
	if item.InOwnProject && item.Mark != nil && item.Mark.Rivals == "" && item.Copied == "" {
		if o, ok := ownertext.Parse(item.Mark.Owner); ok && o.Of(w.Stack) && o.Kind == kindName {
			return w.orphanKey(o, item).String()
		}
	}
	return kindName + " " + printable.Name(item.Name)
}
