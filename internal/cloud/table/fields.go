package table

import (
	"reflect"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Field is the declaration of a field, for tests and documentation.
type Field struct {
	Path     string // below the spec
	Type     reflect.Type
	Replaces bool // a change replaces the object, unless a way is chosen.
	Ways     []kind.Way
	Compared bool   // the cloud's value is read and compared.
	Default  string // its value if the manifest leaves it out; "" if the declaration does not say.
	Stays    bool   // the field can be changed, and the cloud's value stays if the manifest leaves it out.
	Doc      string // its description for readers of manifests.
	Plain    bool   // it is no reference and no struct, and its tags give no format and no choice.
}

// Fields lists the fields of a spec that have an attribute or ways, in their order.
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
