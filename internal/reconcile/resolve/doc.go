// Package resolve turns the manifests of a revision into desired objects.
//
// A [Reader] decodes them, expands those that stand for others, reads their options, resolves
// references, and orders the objects so that references point backwards. It reports all mistakes at
// once. [Bounds] limits the cost of a revision, before anything is created.
package resolve
