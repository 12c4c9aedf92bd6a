package oslo

import (
	"maps"
	"slices"
)

// Quotas are the limits of projects: those that an administrator has set, and defaults for all others. If a
// resource has no default, its limit is -1. A negative limit means no limit.
type Quotas struct {
	Defaults map[string]int
	set      map[string]map[string]int // the keys are the project and the resource
}

// Limit is the limit of a project for a resource.
func (q *Quotas) Limit(project, name string) int {
	if limit, ok := q.set[project][name]; ok {
		return limit
	}
	if limit, ok := q.Defaults[name]; ok {
		return limit
	}
	return -1
}

// Of returns all limits of a project.
func (q *Quotas) Of(project string) map[string]int {
	out := map[string]int{}
	for name := range q.Defaults {
		out[name] = q.Limit(project, name)
	}
	return out
}

// Set sets the limit of a project for a resource.
func (q *Quotas) Set(project, name string, limit int) {
	if q.set == nil {
		q.set = map[string]map[string]int{}
	}
	if q.set[project] == nil {
		q.set[project] = map[string]int{}
	}
	q.set[project][name] = limit
}

// Exceeded reports whether count is above the limit of a project.
func (q *Quotas) Exceeded(project, name string, count int) bool {
	limit := q.Limit(project, name)
	return limit >= 0 && count > limit
}

// Projects returns the projects for which a limit was set, sorted.
func (q *Quotas) Projects() []string { return slices.Sorted(maps.Keys(q.set)) }

// Reset removes the limits that were set for a project. It reports whether any limit was set.
func (q *Quotas) Reset(project string) bool {
	_, was := q.set[project]
	delete(q.set, project)
	return was
}
