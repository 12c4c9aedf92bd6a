package agent

import (
	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/insync"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/source"
)

// state is what a loop knows. Each of the first three is a table of its own: a value, which an event turns into the next.
type state struct {
	sync    insync.State // which commit was in sync
	contact contact
	footing footing
	last    source.Revision // the newest that was fetched and looked at
	refused *report.Refusal // what was wrong with last; nil where nothing was
	asked   asked
	first   string // the commit of the first pass of a process that serves
}

// asked are answers about the past, which do not change while the process lives.
type asked struct {
	nowhere bool // the forge knows of no commit that was in sync with an object
	looked  bool // wanted is known
	wanted  map[manifest.Key]checksum.Sum
}

// contact is whether the source answers.
type contact int

const (
	answers contact = iota
	silent
)

// looked is what came of a look at the source.
type looked struct {
	failed  bool
	changed bool // there is a new revision
	always  bool // a pass is asked for without one
	ended   bool // the process ends
}

// visit is what follows from it.
type visit int

const (
	rests   visit = iota // nothing, and nothing is reported
	fails                // the failure is reported: there is no revision to keep the cloud at
	lingers              // the failure is reported, with the revision that the cloud is kept at
	passes               // a pass, with the last revision where the source does not answer
)

// look is a table. What was reported while the source was silent is over only if the cloud is as the revision says, so that its
// return has a pass. kept says that there is a revision which the cloud is kept at.
//
//	the source      was      and                           is now   follows
//	--------------  -------  ----------------------------  -------  -------
//	fails           any      nothing is kept, or the end   silent   fails
//	fails           any      a pass is asked for, or news  silent   passes
//	fails           any      neither                       silent   lingers
//	answers         any      a pass is asked for, or news  answers  passes
//	answers         silent   neither                       answers  passes
//	answers         answers  neither                       answers  rests
func (c contact) look(at looked, kept bool) (contact, visit) {
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

// footing is the revision that the cloud is kept at. g is that of a state, r that of an event, c a commit that is refused:
//
//	state          accepted r  wentBack r, known/not  nothingBefore c  foundInSync
//	-------------  ----------  ---------------------  ---------------  -----------
//	none           firm r      firm r/withCaution r   none, c          none
//	firm g         firm r      firm g                 firm g           firm g
//	withCaution g  firm r      withCaution g          withCaution g    firm g
//
// A revision is accepted when its manifests are. While there is none the loop goes back from one that is refused: to one that
// is known to have been in sync, or with caution (see [guard.Cautious]) to one of which that is not known.
type footing struct {
	on   ground
	good source.Revision // the newest that was accepted
	// noGoodBefore is the refused commit before which none is to be kept.
	noGoodBefore string
}

type ground int

const (
	none ground = iota
	firm
	withCaution
)

// kept reports whether there is a revision that the cloud is kept at.
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
