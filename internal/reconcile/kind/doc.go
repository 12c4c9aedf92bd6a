// Package kind is the contract between the core and the kinds of objects, such as
// networks and servers.
//
// A kind is made with [Define], [DefineFlat], [DefineWorkload] or [DefineData] of
// [Rules], which are pure, and a [Driver], which alone talks to the cloud. Rules and
// drivers see a desired object as a [Want], a live one as a [Live] and a reference as
// a [Ref]; they report with [Changes] and [Report]. Drivers classify their errors
// with [ErrBusy], [ErrNotYet], [ErrRejected] and [ErrGone]. A [Mark] on an object in
// the cloud says which stack owns it.
//
// The other packages of the core see a kind as a [Kind], with its types erased.
package kind
