// Package reconcile decides what must change in a cloud so that it holds what a
// repository says, and drives those changes.
//
// Its pure half takes data and returns data: [Resolve] turns manifests into
// [Desired] objects, [Make] compares them with a [Snapshot] and answers with a
// [Plan], policies weaken that plan; [Differences] compares two revisions by
// themselves. None of it performs I/O, reads a clock or
// logs. The other half, [Engine], lists the cloud, applies the plan's steps as
// soon as what they lean on is ready, and looks again until nothing is left to
// do.
//
// The package knows no kind: what is particular to networks or servers comes
// through [Define]. It knows no HTTP either; drivers classify their errors with
// [ErrBusy], [ErrRejected] and [ErrGone].
//
// # Vocabulary
//
//   - desired: an object as the repository wants it, decoded and validated
//   - live: an object as the cloud has it
//   - owned: live, and carrying a [Mark] of this stack
//   - snapshot: all live objects by collection; a collection that could not be
//     listed is unknown, never empty
//   - step: one decision for one key
//   - plan: the ordered steps; data, safe to print, compare and hash
//   - harm: what a step destroys, its object or its data; a brake holds a plan
//     whose toll is over the limits, an approval lets it and its rest through
//   - pass: the record of carrying out one plan
//   - trace: who changed a live object, and when, as far as the cloud tells
package reconcile
