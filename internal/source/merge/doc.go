// Package merge merges commits as git does (merge-ort with its defaults), within one folder of a repository, and
// writes nothing:
//
//	Commits      finds the merge bases, and merges the trees        commits.go, bases.go, history.go
//	followMoves  applies moves of each side to the other one        follow.go, differences.go, settle.go, edit.go
//	folder       merges folders entry by entry, files line by line  folders.go, lines.go, attributes.go
//
// If the result may differ from git's, it is a conflict, which a person resolves. The time of a merge is limited
// for all histories and files.
//
// It knows commits, folders and files in a [store.Store], but no server: [History] fetches missing commits.
package merge
