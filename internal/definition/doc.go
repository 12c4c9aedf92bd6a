// Package definition implements kinds that users write. A Definition in the config repository says which fields objects
// of a kind have, and which objects of other kinds each of them stands for.
//
// It knows SimpleSchema, templates and CEL, and uses the terms of kro's ResourceGraphDefinition. A definition becomes a
// [kind.Kind] like those that are written in Go. Its spec is a [manifest.Type], so that the same code reads, explains
// and describes its manifests. It knows no cloud and no built-in kind.
//
// # Purity
//
// The manifest of an object alone determines what the object stands for. templates, includeWhen and forEach see the
// object's metadata and spec and the variables of forEach. They see nothing of the cloud, the clock or chance. status
// and readyWhen see the cloud. They are evaluated when somebody asks for the status, and change nothing.
//
// # Bounds
//
// Anybody who can open a pull request can write a definition. So every expression is bounded in length, depth, cost and
// memory. The cost of all expressions together is bounded for every object and for every revision, and so is the nesting
// of definitions. The functions of the language are listed in functions.go: none of them reads anything but its
// arguments.
package definition
