package store

import (
	"github.com/stackreeve/stackreeve/internal/source/failure"
)

// These bounds limit the size of a repository, far above the size that manifests need.
const (
	// MaxTreeDepth is the maximal depth of folders, from the repository's root.
	MaxTreeDepth = 128
	// MaxEntries is the maximal number of files and folders below the configured folder. A folder
	// that appears several times counts each time.
	MaxEntries = 200_000

	maxObjects     = 1_000_000 // of one pack
	maxObjectBytes = 256 << 20
	maxInflated    = 4 << 30 // bytes of all objects of one pack
	maxNameBytes   = 1024
	maxPathBytes   = 4096     // from the configured folder; the limit of file systems
	maxTreeBytes   = 32 << 20 // one folder's entries
	maxTextBytes   = 4 << 20  // a commit or a tag
)

// ErrTooDeep is a [failure.ErrContent] about folders beyond [MaxTreeDepth].
var ErrTooDeep = failure.New(failure.ErrContent, "folders are nested deeper than %d", MaxTreeDepth)
