package agent

import "github.com/stackreeve/stackreeve/internal/source"

// sameFiles reports whether two commits have the same files in the folder of the stack: nothing that is wanted differs, and what is elsewhere in the
// repository is not the stack's.
func sameFiles(a, b source.Revision) bool {
	return a.Tree != "" && a.Tree == b.Tree && a.Root == b.Root
}

// carry has what is known of a commit hold for another one with the same files, an approval, too: the files are those of which the plan was made that
// people have seen.
func (s *Loop) carry(from, to string) {
	s.state.sync = s.state.sync.SameFiles(from, to)
	c := &s.control
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.given != nil && c.given.Commit == from {
		given := *c.given
		given.Commit = to
		c.given = &given
		s.keep()
	}
}
