// Package source reads the files of one folder of one branch of a Git repository, read-only, and
// says when they have changed.
//
// It knows Git servers: addresses, credentials, transports, references. It knows which errors a
// person has to fix and which go away by themselves.
//
// The fetched objects are read by [github.com/stackreeve/stackreeve/internal/source/store], and
// merged by [github.com/stackreeve/stackreeve/internal/source/merge]. Imports point one way:
//
//	source ─▶ merge ─▶ store ─▶ failure
//
// Package source does not know what the files mean. It keeps no state that matters: the cache
// folder may be wiped at any moment.
//
// There is no work tree anywhere. Every fetch asks for one commit without its history, and the
// files are read straight from the object store:
//
//	reference ──▶ commit ──▶ root tree ──▶ tree of the path ──▶ fs.FS
//
// A local repository is read as it was committed: changes that are not committed are not seen.
package source
