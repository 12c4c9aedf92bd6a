package agent

import "github.com/stackreeve/stackreeve/internal/source"

// sameFiles reports whether two commits have the same files in the folder of the stack. If so, the stack wants the same objects in both,
// because other folders of the repository do not belong to the stack.
func sameFiles(a, b source.Revision) bool {
	return a.Tree != "" && a.Tree == b.Tree && a.Root == b.Root
}

// carry copies the knowledge about a commit to another commit with the same files. This includes an approval, because the plan that people
// have seen was made from the same files.
func (s *Loop) carry(from, to string) {
	s.state.sync = s.state.sync.SameFiles(from, to)
	c := &s.control
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.approval != nil && c.approval.Commit == from {
		given := *c.approval
		given.Commit = to
		c.approval = &given
		s.writeRecord()
	}
}
