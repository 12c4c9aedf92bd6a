// Package kind is the contract between the core and the kinds of objects, such as
// networks and servers.
//
// A [Kind] is a struct of functions, most of which are pure; its [Driver] alone talks
// to the cloud. They see a desired object as a [Want], a live one as a [Live] and a
// reference as a [Ref]; they report with [Changes] and [Report]. Drivers classify their
// errors with [ErrBusy], [ErrNotYet], [ErrRejected] and [ErrGone]. A [Mark] on an
// object in the cloud says which stack owns it.
//
// Specs and states are untyped here. Package typed makes kinds of functions over types
// of their own.
package kind
