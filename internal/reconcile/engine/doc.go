// Package engine carries plans out. An [Engine] lists the cloud and makes a plan with package
// decide. It runs each step as soon as its dependencies are ready. Then it lists the changed
// collections again, until nothing is left to do. A [Pass] is the record of such a run.
package engine
