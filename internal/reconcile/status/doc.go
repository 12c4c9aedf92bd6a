// Package status says what follows from a finished plan for each object: its state, its health, its conditions and its messages for people,
// in the shape of Kubernetes.
//
//	steps of the plan  ->  subjects  ->  findings          ->  objects  ->  workloads
//	                       (what a       (state, health,       (whole        (sums over
//	                       step is       conditions and        status)       their parts)
//	                       about)        messages)
//
// Each stage takes values and returns values. The package reads plans and decides nothing: package plan does not import it. It
// knows no cloud, no clock and no way to show a status.
package status
