package merge

import (
	"github.com/go-git/go-git/v5/plumbing"

	"github.com/stackreeve/stackreeve/internal/source/failure"
)

// recordMergeRules reports whether a file .gitattributes may contain a rule by which a file is not merged line by line.
// It looks for the present and the earlier path of that file. If so, it records that as the reason of a conflict.
func (m *merger) recordMergeRules(path string) (bool, error) {
	for _, name := range []string{path, m.from[path]} {
		if name == "" || m.attributes == nil {
			continue
		}
		if ruled, err := m.attributes.mayRule(name); err != nil || ruled {
			if m.unsettled == 0 {
				m.recordDoubt(path, "changed on both sides, and a .gitattributes has its own rule for the merge")
			}
			return true, err
		}
	}
	return false, nil
}

const (
	maxMergedBytes = 8 << 20  // the longest file that is merged line by line
	maxLineBytes   = 64 << 20 // total length of all such files, before and after the merge
	maxLineSteps   = 500_000_000
)

// lines merges three texts line by line. A zero hash is an empty text.
func (m *merger) lines(of [3]plumbing.Hash) (l lined, err error) {
	if err := m.ctx.Err(); err != nil {
		return l, err
	}
	var texts [3][]byte
	for i, h := range of {
		if m.conflictHashes[h] {
			return l, nil
		}
		text, here := m.made.Files[h]
		if !here && !h.IsZero() {
			size, err := m.store.Size(h)
			if err != nil || size > maxMergedBytes {
				return l, err
			}
			if text, err = m.store.Blob(h); err != nil {
				return l, err
			}
		}
		texts[i] = text
		m.bytes += int64(len(text))
	}
	if m.bytes > maxLineBytes {
		return l, errEntangled
	}
	text, ok := m.work.Merge(texts[0], texts[1], texts[2])
	if m.work < 0 {
		return l, errEntangled
	}
	if ok {
		l = lined{plumbing.ComputeHash(plumbing.BlobObject, text), true}
		m.made.Files[l.hash] = text
	}
	return l, nil
}

var errEntangled = failure.New(failure.ErrContent, "too much was changed on both sides; first merge the target branch into this branch")
