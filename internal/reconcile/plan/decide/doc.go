// Package decide makes plans: [Compute] compares what a stack wants with what the cloud has, and decides about every object.
//
// A planner decides once about each object, in the order of references: which object of the cloud it is (claim.go), and what becomes of it
// (missing.go, owned.go, import.go, orphan.go). What can be known only when all is decided, it takes from the planner before: what cannot
// go since something uses it (stuck.go), and what groups have decided about their members (package group). The steps of the last planner are
// finished: each is told what it has to wait for (finish.go).
package decide
