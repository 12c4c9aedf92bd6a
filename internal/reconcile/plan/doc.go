// Package plan has the type of a plan: a [Step] for each object, the checksums that people approve, and the facts that the next plan needs.
//
// A plan is a value. Package world has the input of a plan, and package decide makes the plan, with package group for the members of groups. Package
// guard can only turn its writing steps into others, or hold the plan:
//
//	world.Input -> world.World -> decide.Compute -> plan.Plan -> guard.Brake and other policies -> the engine
//	                               |        ^
//	                               v        |
//	                              group: the decision of a group changes the decisions about its members
//
// The [Outlook] of a plan has the facts that the next plan needs. Package memory stores them, and returns them in world.Past.
//
// Everything in these packages is a pure function of its arguments. They do not know how a step is carried out, and they send no requests.
package plan
