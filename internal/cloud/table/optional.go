package table

// Is reports whether a filter field, if given, has the value.
func Is[T comparable](want *T, have T) bool { return want == nil || *want == have }

// Or is the value that p points to, or fallback.
func Or[T any](p *T, fallback T) T {
	if p == nil {
		return fallback
	}
	return *p
}
