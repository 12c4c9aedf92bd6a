// Package resolve turns the manifests of a revision into desired objects.
//
// A [Reader] decodes them, expands those that stand for others, reads their options,
// finds what refers to what, and orders them so that references point backwards.
// What is wrong is reported all at once. What a revision may cost is bounded by
// [Bounds], before anything is made.
package resolve
