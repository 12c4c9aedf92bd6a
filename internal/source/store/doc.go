// Package store stores the packs that a Git server has sent, in a folder or in memory. It reads the
// commits, folders and files in them.
//
//	pack ──▶ scanned, deltas resolved, indexed ──▶ Store ──▶ commit ──▶ root tree ──▶ folder ──▶ fs.FS
//
// A server is not trusted. There are limits on the number of objects, their sizes, the work for
// deltas, names and depths. The content of an object must match its hash.
//
// The package does not use the network and never requests objects. It stores nothing that could not
// be fetched again: the cache folder may be wiped at any moment.
package store
