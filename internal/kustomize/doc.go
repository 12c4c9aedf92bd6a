// Package kustomize makes documents of a folder with a kustomization. It checks every file that the kustomization reaches.
// It gives kustomize a copy without any path that the author of the files wrote, and finds the places of the results.
//
//	files ─compile─▶ Input ─Build─▶ Output ─locate─▶ manifest.Built
//	                          └ package child: another process
//
// kustomize can fetch addresses, run git and run programs, and a pull request says what it does. So the package writes each
// kustomization again, with only the fields in [Kustomization]. Every path in it is the name of a file that the package has
// read itself. Names of the repository's files never reach kustomize.
//
// kustomize sees no encrypted value: see [manifest.Seal].
//
// The package performs no I/O besides reading the files of the revision. It does not import kustomize.
package kustomize
