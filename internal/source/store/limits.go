package store

import (
	"github.com/stackreeve/stackreeve/internal/source/failure"
)

// These are limits on the size of a repository. They are far above the size that manifests need.
const (
	// MaxTreeDepth is the maximal depth of folders, from the repository's root.
	MaxTreeDepth = 128
	// MaxEntries is the maximal number of files and folders below the configured folder. A folder
	// that appears several times counts each time.
	MaxEntries = 200_000

	maxObjects     = 1_000_000 // number of objects of one pack
	maxObjectBytes = 256 << 20
	maxInflated    = 4 << 30 // number of bytes of all objects of one pack together
	maxNameBytes   = 1024
	maxPathBytes   = 4096     // length of a path below the configured folder; file systems have this limit, too
	maxTreeBytes   = 32 << 20 // number of bytes of one folder's entries
	maxTextBytes   = 4 << 20  // number of bytes of a commit or a tag
)

// ErrTooDeep is the [failure.ErrContent] for folders that are nested deeper than [MaxTreeDepth].
var ErrTooDeep = failure.New(failure.ErrContent, "folders are nested deeper than %d", MaxTreeDepth)
