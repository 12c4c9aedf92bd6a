// Package plan says what a plan is: a [Step] for each object, what people approve with it, and what the next plan has to know.
//
// A plan is a value. Package world has the input of a plan, and package decide makes the plan, with package group for the members of groups. Package
// guard can only turn its writing steps into others, or hold the plan:
//
//	world.Input -> world.World -> decide.Compute -> plan.Plan -> guard.Brake and other policies -> the engine
//	                               |        ^
//	                               v        |
//	                              group: the decision of a group changes the decisions about its members
//
// The [Outlook] of a plan has what the next plan has to know. It goes to package memory, and from there into world.Past.
//
// Everything in these packages is a pure function of its arguments. They do not know how a step is carried out, and they send no requests.
package plan
