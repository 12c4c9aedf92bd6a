// Package plan decides what must change in a cloud.
//
// [Compute] compares desired objects with a snapshot and answers with a [Plan]: one
// [Step] for each key. Policies weaken a plan; [Brake] holds one that destroys too
// much, and an [Approval] lets it through. Everything here is a pure
// function of its arguments.
package plan
