// Package definition implements kinds that users write. A Definition in the config repository declares the fields of
// a kind's objects, and the objects of other kinds to which each of them expands.
//
// The package implements SimpleSchema, templates and CEL, and uses the terms of kro's ResourceGraphDefinition. A
// definition becomes a [kind.Kind] like the kinds that are written in Go. Its spec is a [manifest.Type], so that the
// same code reads, explains and describes its manifests. The package contains no cloud and no built-in kind.
//
// # Purity
//
// The manifest of an object alone determines the objects to which it expands. templates, includeWhen and forEach can
// use the object's metadata and spec and the variables of forEach. They cannot use the cloud, the clock or random
// numbers. status and readyWhen can use the state of the cloud. They are evaluated when somebody reads the status,
// and change nothing.
//
// # Bounds
//
// Anybody who can open a pull request can write a definition. So every expression is limited in length, depth, cost
// and memory. The cost of all expressions together is limited for every object and for every revision, and so is the
// nesting of definitions. The functions of the language are listed in functions.go: each of them reads only its
// arguments.
package definition
