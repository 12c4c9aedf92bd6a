// Package store keeps and reads the packs that a Git server has sent, in a folder or in memory, and
// the commits, folders and files in them.
//
//	pack ──▶ scanned, deltas resolved, indexed ──▶ Store ──▶ commit ──▶ root tree ──▶ folder ──▶ fs.FS
//
// A server is not trusted. The number of objects, their sizes, the work for deltas, names and depths
// are bounded, and the content of an object must match its hash.
//
// The package does not use the network and never requests objects. It keeps no state that matters:
// the cache folder may be wiped at any moment.
package store
