// Package plan says what a plan is: one [Step] for each key, what people approve of with it, and what the next plan has to know.
//
// A plan is a value. Package world holds what one is made from, package decide makes it, with package group for the members of groups, and
// package guard weakens it or holds it:
//
//	world.Input -> world.World -> decide.Compute -> plan.Plan -> guard.Brake and other policies -> the engine
//	                               |        ^
//	                               v        |
//	                              group: what a group decides changes what is decided about its members
//
// Everything here and in these packages is a pure function of its arguments.
package plan
