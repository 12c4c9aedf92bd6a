// Package source reads the files of one folder of one branch of a Git repository. It writes nothing
// to the repository, and reports when the files have changed.
//
// It knows Git servers: addresses, credentials, transports and references. It knows which errors a
// person has to fix, and which disappear without that.
//
// The fetched objects are read by [github.com/stackreeve/stackreeve/internal/source/store], and
// merged by [github.com/stackreeve/stackreeve/internal/source/merge]. Signatures are checked by
// [github.com/stackreeve/stackreeve/internal/source/signature]. Imports point one way:
//
//	source ─▶ merge ─▶ store ─▶ failure
//	   └────▶ signature
//
// Package source does not know what the files mean. It stores nothing that it could not fetch
// again: the cache folder may be wiped at any moment.
//
// There is no work tree. Every fetch requests one commit without its history, and the files are
// read from the object store:
//
//	reference ──▶ commit ──▶ root tree ──▶ tree of the path ──▶ fs.FS
//
// Of a local repository, only commits are read. Changes in its work tree that are not committed
// have no effect.
package source
