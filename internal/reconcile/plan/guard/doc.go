// Package guard has the policies of plans. A policy weakens a plan: it turns steps that write into ones that do not, or holds the plan as a whole.
// It knows a finished plan, and not how that came about.
package guard
