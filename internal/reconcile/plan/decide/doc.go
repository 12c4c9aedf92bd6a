// Package decide makes plans: [Compute] compares the objects that a stack wants with those that the cloud has, and decides about each one.
//
// A planner decides about each object once, in the order of references:
//
//   - It finds the object of the cloud that belongs to a manifest (claim.go).
//   - It decides the action for that object (missing.go, owned.go, broken.go, heal.go, import.go, orphan.go, absent.go).
//
// Some facts follow only from all decisions together. For example, an object cannot be deleted because another one uses it (stuck.go), or a
// group decides about its members (package group). Therefore the next planner decides everything again with these facts, until there are no
// new ones. The last planner finishes its steps: it sets for each step the other steps that it has to wait for (finish.go).
//
// The package does not apply policies or brakes (package guard), and it does not carry out any step.
package decide
