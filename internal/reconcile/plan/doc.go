// Package plan says what a plan is: a [Step] for each object, what people approve of with it, and what the next plan has to know.
//
// A plan is a value. Package world holds what one is made from, package decide makes it, with package group for the members of groups, and
// package guard weakens it or holds it:
//
//	world.Input -> world.World -> decide.Compute -> plan.Plan -> guard.Brake and other policies -> the engine
//	                               |        ^
//	                               v        |
//	                              group: what a group decides changes what is decided about its members
//
// What the next plan has to know of this one, its [Outlook], goes to package memory, and from there into world.Past.
//
// Everything here and in these packages is a pure function of its arguments.
package plan
