package cloud

import "time"

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

// Timestamp is a time as status shows it (RFC 3339, UTC), "" for none.
func Timestamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
