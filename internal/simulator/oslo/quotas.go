package oslo

import (
	"maps"
	"slices"
)

// Quotas are the limits of projects: what an admin has set, and a default for
// all others, which is -1 if it is not given. A negative limit is none.
type Quotas struct {
	Defaults map[string]int
	set      map[string]map[string]int // by project
}

// Limit is how many of something a project may have.
func (q *Quotas) Limit(project, name string) int {
	if limit, ok := q.set[project][name]; ok {
		return limit
	}
	if limit, ok := q.Defaults[name]; ok {
		return limit
	}
	return -1
}

// Of are all limits of a project.
func (q *Quotas) Of(project string) map[string]int {
	out := map[string]int{}
	for name := range q.Defaults {
		out[name] = q.Limit(project, name)
	}
	return out
}

// Set limits how many of something a project may have.
func (q *Quotas) Set(project, name string, limit int) {
	if q.set == nil {
		q.set = map[string]map[string]int{}
	}
	if q.set[project] == nil {
		q.set[project] = map[string]int{}
	}
	q.set[project][name] = limit
}

// Exceeded reports whether a project may not have that many of something.
func (q *Quotas) Exceeded(project, name string, count int) bool {
	limit := q.Limit(project, name)
	return limit >= 0 && count > limit
}

// Projects are those that have limits of their own, sorted.
func (q *Quotas) Projects() []string { return slices.Sorted(maps.Keys(q.set)) }

// Reset goes back to the defaults, and reports whether any limit was set.
func (q *Quotas) Reset(project string) bool {
	_, was := q.set[project]
	delete(q.set, project)
	return was
}
