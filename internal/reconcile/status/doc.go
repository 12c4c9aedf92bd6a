// Package status derives the status of each object from a finished plan: its state, its health, its conditions and its messages for people.
// A status has the form of a status in Kubernetes.
//
//	steps of the plan  ->  subjects  ->  findings          ->  objects  ->  workloads
//	                       (what a       (state, health,       (whole        (sums over
//	                       step is       conditions and        status)       their parts)
//	                       about)        messages)
//
// Each stage takes values and returns values. The package reads plans and decides nothing, so package plan does not import it. It does not
// use the cloud or a clock, and it does not show a status.
package status
