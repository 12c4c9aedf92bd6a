// Package kind is the contract between the core and the kinds of objects, such as networks and servers.
//
// A [Kind] is a struct of functions, most of which are pure, and an [Info] that is valid for all of its objects. Its [Driver] alone talks
// to the cloud. Decode and Name must be set. A kind that has objects in the cloud must set Diff, Match, Status and List, Create, Update,
// Delete, too. Every other function is optional, and may be nil.
//
// A kind receives a desired object as a [Want], in which each reference is a [Ref]. It receives a live object as a [Live], with a
// [Mark] that says which stack owns it. An [Expansion] gives it the other objects of its revision.
//
// A kind returns [Changes] between a want and a state, a [Report] of the mistakes in a manifest, [Facts] for other kinds and an [Export].
// Its errors have classes such as [ErrBusy], [ErrNotYet], [ErrRejected] and [ErrGone] (see errors.go).
//
// Specs and states are untyped here. Package typed makes kinds from functions over types of their own.
package kind
