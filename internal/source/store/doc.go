// Package store keeps what a Git server has sent and reads it: packs, in a folder
// or in memory, and the commits, folders and files in them.
//
//	pack ──▶ scanned, deltas resolved, indexed ──▶ Store ──▶ commit ──▶ root tree ──▶ folder ──▶ fs.FS
//
// What a server sends is not trusted: the number of objects, their sizes, the work
// that deltas make, names and depths are bounded, and an object is what its hash says.
//
// The package speaks to nobody and asks for nothing. It keeps no state that matters:
// the cache folder may be wiped at any moment.
package store
