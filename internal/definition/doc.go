// Package definition is the kinds that users write: a Definition in the config repository says what objects of a
// kind may hold, and which objects of other kinds each of them stands for.
//
// It knows SimpleSchema, templates and CEL, in the words of kro's ResourceGraphDefinition. A definition becomes a
// [kind.Kind] like those that are written in Go: its spec is a struct type, so that manifests are read, explained and
// described by the same code. It knows no cloud and no built-in kind.
//
// # Purity
//
// What an object stands for follows from its manifest alone: templates, includeWhen and forEach see the object's
// metadata and spec and the variables of forEach, and nothing of the cloud, the clock or chance. What the cloud shows is
// seen in status and readyWhen, which are read when somebody asks for the status, and change nothing.
//
// # Bounds
//
// Whoever can open a pull request can write a definition. So every expression is bounded in length, depth, cost and
// memory, every object and every revision in what its expressions cost together, and definitions in how deep they
// are nested. The functions of the language are listed in functions.go: none of them reads anything but its arguments.
package definition
