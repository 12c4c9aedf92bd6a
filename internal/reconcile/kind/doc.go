// Package kind is the contract between the core and the kinds of objects, such as networks and servers.
//
// What a kind is: a [Kind] is a struct of functions, most of which are pure, and an [Info] of what is so for all of its objects. Its
// [Driver] alone talks to the cloud. Decode, Name and, of what is in the cloud, Diff, Match, Status and List, Create, Update, Delete
// must be there. Every other function is an ability, and may be nil.
//
// What a kind gets: a desired object as a [Want], in which references are a [Ref] each; a live one as a [Live], with a [Mark] that says
// which stack owns it; other objects of its revision through an [Expansion].
//
// What a kind gives: [Changes] between a want and a state, a [Report] of what is wrong with a manifest, [Facts] for other kinds, an
// [Export], and errors of the classes [ErrBusy], [ErrNotYet], [ErrRejected], [ErrGone] and the others beside them.
//
// Specs and states are untyped here. Package typed makes kinds of functions over types of their own.
package kind
