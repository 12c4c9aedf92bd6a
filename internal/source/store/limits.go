package store

import (
	"github.com/stackreeve/stackreeve/internal/source/failure"
)

// Bounds on what a repository may hold, far above what manifests need.
const (
	// MaxTreeDepth is how deep folders may be nested, from the repository's root.
	MaxTreeDepth = 128
	// MaxEntries is how many files and folders there may be below the configured
	// folder, counted where they appear.
	MaxEntries = 200_000

	maxObjects     = 1_000_000 // of one pack
	maxObjectBytes = 256 << 20
	maxInflated    = 4 << 30 // bytes of all objects of one pack
	maxNameBytes   = 1024
	maxPathBytes   = 4096     // from the configured folder; what file systems take
	maxTreeBytes   = 32 << 20 // one folder's entries
	maxTextBytes   = 4 << 20  // a commit or a tag
)

// ErrTooDeep is an [failure.ErrContent] about folders beyond [MaxTreeDepth].
var ErrTooDeep = failure.New(failure.ErrContent, "folders are nested deeper than %d", MaxTreeDepth)
