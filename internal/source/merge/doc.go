// Package merge merges two commits as git does (merge-ort with its defaults), within
// one folder of a repository, and writes nothing:
//
//	Commits      finds the merge bases, and merges the trees        commits.go, bases.go, history.go
//	followMoves  puts what was moved where it went, on both sides   follow.go, differences.go, settle.go, edit.go
//	folder       merges folders entry by entry, files line by line  folders.go, lines.go, attributes.go
//
// Where the result is not sure to be git's there is a conflict, which a person
// resolves. The time that a merge takes is bounded, whatever the histories and files.
//
// It knows commits, folders and files in a [store.Store], and no server: what is
// missing comes through [History].
package merge
