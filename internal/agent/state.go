package agent

import (
	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/insync"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/source"
)

// state is what a loop knows. Each of the first three fields is a table of its own: a value that an event turns into the next one.
type state struct {
	sync    insync.State // which commit was in sync
	contact contact
	footing footing
	last    source.Revision // the newest that was fetched and looked at
	refused *report.Refusal // why last was refused; nil when it was not
	asked   asked
	first   string // the first pass's commit, in a process that serves
}

// asked holds answers about the past, which do not change while the process runs.
type asked struct {
	nowhere bool // the forge knows no commit that was in sync with an object
	looked  bool // wanted is known
	wanted  map[manifest.Key]checksum.Sum
}

// contact says whether the source answers.
type contact int

const (
	answers contact = iota
	silent
)

// looked is the result of a look at the source.
type looked struct {
	failed  bool
	changed bool // there is a new revision
	always  bool // a pass is requested even without one
	ended   bool // the process ends
}

// followUp is what follows from a look.
type followUp int

const (
	rests   followUp = iota // nothing, and nothing is reported
	fails                   // report the failure: there is no revision to keep the cloud at.
	lingers                 // report the failure, with the revision that the cloud is kept at.
	passes                  // a pass, with the last revision when the source does not answer
)

// look is a table. A source that answers again causes a pass: the failures that were reported meanwhile are over only if the cloud equals
// the revision. kept means that there is a revision at which the cloud is kept.
//
//	the source      was      and                           is now   follows
//	--------------  -------  ----------------------------  -------  -------
//	fails           any      nothing is kept, or the end   silent   fails
//	fails           any      a pass is asked for, or news  silent   passes
//	fails           any      neither                       silent   lingers
//	answers         any      a pass is asked for, or news  answers  passes
//	answers         silent   neither                       answers  passes
//	answers         answers  neither                       answers  rests
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

// footing is the revision at which the cloud is kept. g is the revision of a state, r the revision of an event, c a refused commit:
//
//	state          accepted r  wentBack r, known/not  nothingBefore c  foundInSync
//	-------------  ----------  ---------------------  ---------------  -----------
//	none           firm r      firm r/withCaution r   none, c          none
//	firm g         firm r      firm g                 firm g           firm g
//	withCaution g  firm r      withCaution g          withCaution g    firm g
//
// A revision is accepted when its manifests are. Until one is accepted, the loop goes back from a refused one. It goes to a revision that
// is known to have been in sync, or, with caution (see [guard.Cautious]), to one for which this is unknown.
type footing struct {
	on   ground
	good source.Revision // the newest accepted one
	// noGoodBefore is the refused commit before which there is no revision to keep.
	noGoodBefore string
}

type ground int

const (
	none ground = iota
	firm
	withCaution
)

// kept reports whether there is a revision at which the cloud is kept.
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
