package agent

import (
	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/insync"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/source"
)

// state is the knowledge of a loop. Each of the first three fields is a state machine: an event replaces the
// field's value by the next value.
type state struct {
	sync    insync.State // which commit was in sync
	contact contact
	footing footing
	last    source.Revision // the newest revision that was fetched and handled.
	refused *report.Refusal // the reason why last was refused; nil if it was not.
	asked   asked
	first   string // the commit of the first pass, in a process that serves
}

// asked contains answers about the past. They do not change while the process runs.
type asked struct {
	nowhere bool // the forge knows no commit that was in sync and had objects.
	looked  bool // wanted has been computed; it may be nil.
	wanted  map[manifest.Key]checksum.Sum
}

// contact is the state of the source: whether it answers.
type contact int

const (
	answers contact = iota
	silent
)

// looked is the result of a fetch from the source, with the state of the loop at that time.
type looked struct {
	failed  bool
	changed bool // there is a new revision.
	always  bool // a pass is requested even without a new revision.
	ended   bool // the process is ending.
}

// followUp is the action of the loop after a fetch.
type followUp int

const (
	rests   followUp = iota // do nothing, and report nothing.
	fails                   // report the failure; there is no revision at which the cloud is kept.
	lingers                 // report the failure, with the revision at which the cloud is kept.
	passes                  // run a pass, with the last revision if the source does not answer.
)

// look returns the next state of the source, and the action of the loop. If a source answers again, a pass follows, because the failures
// that were reported are over only once the cloud equals the revision. kept means that there is a revision at which the cloud is kept.
//
//	the fetch  contact before  condition                                    contact after  followUp
//	---------  --------------  -------------------------------------------  -------------  --------
//	fails      any             no revision is kept, or the process is       silent         fails
//	                             ending
//	fails      any             a pass is requested                          silent         passes
//	fails      any             none of these                                silent         lingers
//	succeeds   any             a pass is requested, or a revision is new    answers        passes
//	succeeds   silent          none of these                                answers        passes
//	succeeds   answers         none of these                                answers        rests
func (c contact) look(at looked, kept bool) (contact, followUp) {
	reason := at.always || at.changed
	switch {
	case at.failed && (!kept || at.ended):
		return silent, fails
	case at.failed && !reason:
		return silent, lingers
	case at.failed:
		return silent, passes
	case reason, c == silent:
		return answers, passes
	}
	return answers, rests
}

// footing is the revision that the agent makes the cloud equal to while newer commits may be refused. In the table, a row is a state, a
// column is an event, and the cell is the next state. g is the revision of the state, r is the revision of the event, and c is a refused
// commit.
//
//	state          accepted r  wentBack r, known/not  nothingBefore c  foundInSync
//	-------------  ----------  ---------------------  ---------------  -----------
//	none           firm r      firm r/withCaution r   none, c          none
//	firm g         firm r      firm g                 firm g           firm g
//	withCaution g  firm r      withCaution g          withCaution g    firm g
//
// A revision is accepted if its manifests are accepted. Until the loop has accepted a revision, it goes back from a refused commit. It
// goes back to a commit that is known to have been in sync. If that is unknown, it goes back with caution (see [guard.Cautious]).
type footing struct {
	on   ground
	good source.Revision // the newest accepted revision
	// noGoodBefore is the refused commit before which there is no revision to keep.
	noGoodBefore string
}

type ground int

const (
	none ground = iota
	firm
	withCaution
)

// kept reports whether there is a revision that the agent makes the cloud equal to.
func (f footing) kept() bool { return f.on != none }

func (f footing) accepted(rev source.Revision) footing { return footing{on: firm, good: rev} }

func (f footing) wentBack(rev source.Revision, known bool) footing {
	switch {
	case f.on != none:
		return f
	case known:
		return footing{on: firm, good: rev}
	}
	return footing{on: withCaution, good: rev}
}

func (f footing) nothingBefore(commit string) footing {
	if f.on != none {
		return f
	}
	return footing{noGoodBefore: commit}
}

func (f footing) foundInSync() footing {
	if f.on == withCaution {
		f.on = firm
	}
	return f
}
