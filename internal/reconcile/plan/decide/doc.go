// Package decide makes plans: [Compute] compares what a stack wants with what the cloud has, and decides about every object.
//
// A planner decides once about each object, in the order of references. First it finds which object of the cloud a manifest stands for
// (claim.go). Then it decides what becomes of that: missing.go, owned.go, broken.go, heal.go, import.go, orphan.go, absent.go.
//
// Some facts show only when all is decided: an object cannot go since another one uses it (stuck.go), and groups decide about their members
// (package group). The next planner decides with these facts. The steps of the last planner are finished: each is told which others it
// has to wait for (finish.go).
package decide
