// Package insync answers whether a commit was in sync. A commit was in sync if the cloud was last made equal to
// it, and no other commit has changed anything since then. Any difference from such a commit is drift.
//
// The package is a table of values. It uses only the facts in a [State], and no clouds, forges, passes or
// clocks. It does not decide whether a pass ended in sync, and it sends no request to a forge. Package agent
// sends the requests to a forge to decide which differences are drift, and package branch to decide the status of a commit.
package insync

// An Answer says whether a commit was in sync.
type Answer int

// Ask means that only an earlier process can know the answer, so the agent must read it from the forge.
const (
	No Answer = iota
	Yes
	Ask
)

// State is what a process knows of one stack. The zero value is Unknown; c and d are commits:
//
//	state      Was(d)          Changed(d)           InSync(d)  Answered(d, yes)  Answered(d, no)
//	---------  --------------  -------------------  ---------  ----------------  ---------------
//	Unknown    Ask             Begun d              InSync d   InSync d          Changed
//	Begun c    d is c: Ask     Begun d              InSync d   InSync d          Changed c
//	           else: No
//	InSync c   d is c: Yes     d is c: InSync c     InSync d   InSync d          InSync c
//	           else: No        else: Changed d
//	Changed c  No              Changed d            InSync d   InSync d          Changed c
//
// In the state Begun, a commit has changed something, and nobody has asked the forge yet whether that commit was
// in sync before. The forge is not asked about another commit, because its answer is out of date. In the state
// Changed, it is known that no commit is in sync any more. The empty commit means that there is no commit: it
// was not in sync, and changes no state. [State.SameFiles] changes only the commit of a state.
type State struct {
	knowledge knowledge
	commit    string // the commit that is in sync, or has changed something
}

type knowledge int

const (
	unknown knowledge = iota
	begun
	inSync
	changed
)

// Of returns the state in which a commit was in sync.
func Of(commit string) State { return State{}.InSync(commit) }

// Was reports whether a commit was in sync.
func (s State) Was(commit string) Answer {
	switch {
	case commit == "":
		return No
	case s.knowledge == unknown, s.knowledge == begun && s.commit == commit:
		return Ask
	case s.knowledge == inSync && s.commit == commit:
		return Yes
	}
	return No
}

// Changed returns the state after something was changed for a commit. Then no other commit is in sync any more.
func (s State) Changed(commit string) State {
	switch {
	case commit == "", s.knowledge == inSync && s.commit == commit:
		return s
	case s.knowledge == unknown, s.knowledge == begun:
		return State{begun, commit}
	}
	return State{changed, commit}
}

// InSync returns the state after the cloud was made equal to a commit.
func (s State) InSync(commit string) State {
	if commit == "" {
		return s
	}
	return State{inSync, commit}
}

// Answered returns the state after the forge has answered about a commit. An earlier process has stored this
// answer on the forge.
func (s State) Answered(commit string, inSync bool) State {
	switch {
	case inSync:
		return s.InSync(commit)
	case s.knowledge == unknown, s.knowledge == begun:
		return State{changed, s.commit}
	}
	return s
}

// SameFiles returns the state for a commit that has the same files as an earlier commit. Then the same facts are
// known about both.
func (s State) SameFiles(before, commit string) State {
	if before != "" && s.commit == before {
		s.commit = commit
	}
	return s
}

// Replaced returns the commit that is no longer in sync after something is changed for the commit by. If no
// commit is known to be in sync, this is parent, because an earlier process may have made parent in sync.
// Replaced returns "" if this was reported before.
func (s State) Replaced(by, parent string) string {
	switch {
	case by == "", s.commit == by && s.knowledge != unknown:
		return ""
	case s.knowledge == inSync:
		return s.commit
	}
	return parent
}

// Since returns the commit that has changed something or was in sync after another commit was in sync. It
// returns "" if there is none.
func (s State) Since(commit string) (by string) {
	if s.commit == commit {
		return ""
	}
	return s.commit
}
