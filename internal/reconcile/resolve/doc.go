// Package resolve turns the manifests of a revision into desired objects.
//
// A [Reader] decodes the manifests and expands the objects that stand for others. It reads their options, resolves references, and orders
// the objects so that references point backwards. It reports all mistakes together. [Bounds] limits the cost of a revision, before anything
// is created.
package resolve
