// Package guard has the policies of plans. A policy weakens a plan: it turns steps that write into ones that do not, or holds the plan as a
// whole. It uses only the finished plan, and does not know how the plan was made.
package guard
