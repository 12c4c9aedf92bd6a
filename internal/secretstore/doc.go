// Package secretstore reads values of secrets that are not in the repository. A store has them: a folder of this machine, Vault, or Barbican.
//
// A [Reader] has the stores of one stack. It asks for versions first where a store has them, reads a value again only if its version has
// changed, and pauses after failures. A store that fails makes values unknown, and never empty.
//
// The package does not know manifests, plans, or what the values are used for. Errors and logs contain no values and no tokens.
package secretstore
