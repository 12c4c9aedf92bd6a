// Package insync answers whether a commit was in sync: whether the cloud was last made equal to it, and no other commit
// has changed anything since. What differs from such a commit is drift.
//
// It is a table of values. It knows what is noted in a [State], and nothing of clouds, forges, passes and clocks. Who
// decides that a pass ended in sync, or asks a forge, is elsewhere: `agent` for what a pass may take for drift, `branch`
// for what a commit says.
package insync

// An Answer says whether a commit was in sync.
type Answer int

// Ask means that only a process before this one can know: the forge is to be asked.
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
// In Begun a commit has changed something, and nobody was asked whether it was in sync before; of another one the forge
// is not asked, as its answer is out of date. In Changed nothing was in sync last, which is known. A commit "" is none: it
// was not in sync, and changes no state. [State.SameFiles] changes the commit of a state, and no state.
type State struct {
	is     known
	commit string // that the state is about: which is in sync, or has changed something
}

type known int

const (
	unknown known = iota
	begun
	inSync
	changed
)

// Of is a commit that was in sync.
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

// Changed notes that something was changed for a commit: no other one is in sync any more.
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

// Answered notes what a process before this one has left on the forge about a commit.
func (s State) Answered(commit string, was bool) State {
	switch {
	case was:
		return s.InSync(commit)
	case s.is == unknown, s.is == begun:
		return State{changed, s.commit}
	}
	return s
}

// SameFiles notes that a commit has the same files as one before: what is known of that holds for it.
func (s State) SameFiles(before, commit string) State {
	if before != "" && s.commit == before {
		s.commit = commit
	}
	return s
}

// Replaced reports which commit is in sync no more once something is changed for another one: the one that is; where
// none is known to be, parent, which may have been for a process before this one. It is "" where that was said.
func (s State) Replaced(by, parent string) string {
	switch {
	case by == "", s.commit == by && s.is != unknown:
		return ""
	case s.is == inSync:
		return s.commit
	}
	return parent
}

// Since is the commit that has changed something, or was in sync, since another one was; "" for none.
func (s State) Since(commit string) (by string) {
	if s.commit == commit {
		return ""
	}
	return s.commit
}
