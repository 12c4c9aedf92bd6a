// Package decide makes plans: [Compute] compares the objects that a stack wants with those that the cloud has, and decides about each one.
//
// A planner decides about each object once, in the order of references:
//
//   - It finds the object of the cloud that a manifest stands for (claim.go).
//   - It decides what becomes of that object (missing.go, owned.go, broken.go, heal.go, import.go, orphan.go, absent.go).
//
// Some facts show only when everything is decided. An object cannot go because another one uses it (stuck.go), or a group decides about its members
// (package group). The next planner then decides everything again with these facts, until no new fact shows. The last planner finishes its steps: it
// tells each one which others it has to wait for (finish.go).
//
// The package knows neither policies nor brakes (package guard), and it does not carry out any step.
package decide
