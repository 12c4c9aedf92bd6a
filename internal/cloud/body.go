package cloud

import (
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// OrcGroup is the API group of the resource kinds: K-ORC's, whose vocabulary
// they speak. WorkloadGroup is that of our own kinds.
const (
	OrcGroup      = "openstack.k-orc.cloud"
	WorkloadGroup = "stackreeve.dev"
)

// Put sets an attribute of a request's body if value is given.
func Put[T any](body map[string]any, name string, value *T) {
	if value != nil {
		body[name] = *value
	}
}

// Attribute is how a manifest field is called in a request, and its value.
type Attribute struct {
	Name  string
	Value any
}

// Changed makes the body of an update: the attributes of the fields that
// changed.
func Changed(changes []kind.Change, attributes map[string]Attribute) map[string]any {
	body := map[string]any{}
	for field, a := range attributes {
		if kind.Has(changes, field) {
			body[a.Name] = a.Value
		}
	}
	return body
}

// Timestamp is a time as status shows it (RFC 3339, UTC), "" for none.
func Timestamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
