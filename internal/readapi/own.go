package readapi

import "github.com/stackreeve/stackreeve/internal/manifest"

// ownKind is a kind that the API adds itself, such as Stack. Its items are not objects of a plan.
type ownKind struct {
	columns []any
	about   string   // a description; "" if the kind has a schema.
	wide    bool     // set if its items have no namespace.
	aside   bool     // set if it is not in category "all" and has no definition.
	short   []string // the short names that kubectl has for a kind of Kubernetes.
}

var eventColumns = []any{column("Last-Seen", 0), column("Type", 0), column("Reason", 0), column("Object", 0), column("Message", 0), column("Count", 1), nameColumn(1)}

var own = map[manifest.GroupVersionKind]ownKind{
	stackGVK:      {columns: []any{nameColumn(0), column("State", 0), column("Commit", 0), column("Last-Pass", 0), column("Message", 1)}},
	eventGVK:      {columns: eventColumns, about: "An event: what happened to an object, or a note about it.", short: []string{"ev"}},
	newerEventGVK: {columns: eventColumns, about: "An event: what happened to an object, or a note about it.", aside: true, short: []string{"ev"}},
	planGVK:       {columns: []any{nameColumn(0), column("State", 0), column("Hash", 0), column("Summary", 0)}, about: "A plan: the remaining work for a stack; status.text describes the work in words."},
	passGVK:       {columns: []any{nameColumn(0), column("Started", 0), column("Outcome", 0), column("Commit", 0), column("Did", 0), column("Count", 0), column("Message", 1)}, about: "How one or several passes of a stack ended."},
	namespaceGVK:  {columns: []any{nameColumn(0)}, about: "A stack, as the place of its objects.", wide: true, short: []string{"ns"}},
	definitionGVK: {columns: []any{nameColumn(0), column("Kind", 0), column("Scope", 0)}, about: "A kind that can be read, for programs that look up kinds. openapi/v3 describes its manifests.", wide: true, aside: true, short: []string{"crd", "crds"}},
}

// isOwn reports whether the API itself adds a kind, which then does not come from a plan.
func isOwn(gvk manifest.GroupVersionKind) bool {
	_, ok := own[gvk]
	return ok
}

func columnsOf(gvk manifest.GroupVersionKind) []any {
	if kind, ok := own[gvk]; ok {
		return kind.columns
	}
	return objectColumns
}
