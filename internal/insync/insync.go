// Package insync answers whether a commit was in sync. That is so if the cloud was last made equal to it, and no other
// commit has changed anything since. Any difference from such a commit is drift.
//
// It is a table of values. It knows what is noted in a [State], and nothing of clouds, forges, passes and clocks. It
// does not decide whether a pass ended in sync, and it does not ask a forge. Package agent does so to know what a pass may
// take for drift, and package branch to know what a commit says.
package insync

// An Answer says whether a commit was in sync.
type Answer int

// Ask means that only an earlier process can know, so the forge must be asked.
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
// In Begun, a commit has changed something, and nobody has asked yet whether it was in sync before. About another commit
// the forge is not asked, since its answer is out of date. In Changed it is known that no commit was in sync last. An
// empty commit is none: it was not in sync, and changes no state. [State.SameFiles] changes the commit of a state, and
// not the state itself.
type State struct {
	is     known
	commit string // the commit that is in sync, or has changed something
}

type known int

const (
	unknown known = iota
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
	case s.is == unknown, s.is == begun && s.commit == commit:
		return Ask
	case s.is == inSync && s.commit == commit:
		return Yes
	}
	return No
}

// Changed notes that something was changed for a commit: no other commit is in sync any more.
func (s State) Changed(commit string) State {
	switch {
	case commit == "", s.is == inSync && s.commit == commit:
		return s
	case s.is == unknown, s.is == begun:
		return State{begun, commit}
	}
	return State{changed, commit}
}

// InSync notes that the cloud equals a commit.
func (s State) InSync(commit string) State {
	if commit == "" {
		return s
	}
	return State{inSync, commit}
}

// Answered notes what an earlier process has left on the forge about a commit.
func (s State) Answered(commit string, was bool) State {
	switch {
	case was:
		return s.InSync(commit)
	case s.is == unknown, s.is == begun:
		return State{changed, s.commit}
	}
	return s
}

// SameFiles notes that a commit has the same files as an earlier one, so the same is known of both.
func (s State) SameFiles(before, commit string) State {
	if before != "" && s.commit == before {
		s.commit = commit
	}
	return s
}

// Replaced returns the commit that is no longer in sync once something is changed for the commit by. If no commit
// is known to be in sync, that is parent, which an earlier process may have made in sync. Replaced returns "" if
// this was reported before.
func (s State) Replaced(by, parent string) string {
	switch {
	case by == "", s.commit == by && s.is != unknown:
		return ""
	case s.is == inSync:
		return s.commit
	}
	return parent
}

// Since returns the commit that has changed something, or was in sync, since another commit was; "" for none.
func (s State) Since(commit string) (by string) {
	if s.commit == commit {
		return ""
	}
	return s.commit
}
