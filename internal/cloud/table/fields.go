package table

import (
	"reflect"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Field is what the declaration of a field says, for tests and documentation.
type Field struct {
	Path     string // below the spec
	Type     reflect.Type
	Replaces bool // a change replaces the object, unless a way is chosen
	Ways     []kind.Way
	Compared bool   // what the cloud has is read and compared
	Default  string // what it is when it is left out; "" where nothing is said
	Stays    bool   // it can be changed, and what the cloud has of it stays where it is left out
	Doc      string // what manifests' readers are told
	Plain    bool   // any text, number or flag will do: no reference, no format, no choice
}

// Fields lists the fields of a spec that have an attribute, in their order.
func Fields(spec reflect.Type) []Field {
	var list []Field
	for _, r := range rowsOf(spec) {
		if r.attr == "" && len(r.ways) == 0 {
			continue
		}
		byDefault := r.byDefault
		if byDefault == "" {
			byDefault = r.fallback
		}
		list = append(list, Field{Path: r.path, Type: r.typ, Replaces: r.change != 0, Ways: r.ways, Compared: !r.unread, Default: byDefault, Doc: r.doc,
			Stays: r.change == 0 && !r.required && !r.named && !r.empty && r.byDefault == "",
			Plain: r.ref == "" && r.format == "" && !r.choice && r.below == nil})
	}
	return list
}
