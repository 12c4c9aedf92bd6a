// Package status says what each object of a finished plan comes to: its state, its health, its conditions, and what people read beside them,
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
