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
	sync        insync.State // which commit was in sync
	contact     contact
	inForce     revisionInForce
	last        source.Revision // the newest revision that was fetched and handled.
	refused     *report.Refusal // the reason why last was refused; nil if it was not.
	pastAnswers pastAnswers
	first       string // the commit of the first pass, in a process that serves. approvalMayBeLost sets it.
}

// pastAnswers contains answers about the past. They do not change while the process runs.
type pastAnswers struct {
	noneWithObjects bool // the forge knows no commit that was in sync and had objects.
	computed        bool // wanted has been computed; it may be nil.
	wanted          map[manifest.Key]checksum.Sum
}

// contact is the state of the source: whether it answers.
type contact int

const (
	answering contact = iota
	silent
)

// fetchResult is the result of a fetch from the source, with the state of the loop at that time.
type fetchResult struct {
	failed  bool
	changed bool // there is a new revision.
	always  bool // a pass is requested even without a new revision.
	ended   bool // the process is ending.
}

// followUp is the action of the loop after a fetch.
type followUp int

const (
	doNothing       followUp = iota // do nothing, and report nothing.
	reportError                     // report the failure; there is no revision at which the cloud is kept.
	reportErrorKeep                 // report the failure, with the revision at which the cloud is kept.
	doPass                          // run a pass, with the last revision if the source does not answer.
)

// next returns the next state of the source, and the action of the loop. If a source answers again, a pass follows, because the failures
// that were reported are over only once the cloud equals the revision. kept means that there is a revision at which the cloud is kept.
//
//	the fetch  contact before  condition                                    contact after  followUp
//	---------  --------------  -------------------------------------------  -------------  ---------------
//	fails      any             no revision is kept, or the process is       silent         reportError
//	                             ending
//	fails      any             a pass is requested                          silent         doPass
//	fails      any             none of these                                silent         reportErrorKeep
//	succeeds   any             a pass is requested, or a revision is new    answering      doPass
//	succeeds   silent          none of these                                answering      doPass
//	succeeds   answering       none of these                                answering      doNothing
func (c contact) next(at fetchResult, kept bool) (contact, followUp) {
	reason := at.always || at.changed
	switch {
	case at.failed && (!kept || at.ended):
		return silent, reportError
	case at.failed && !reason:
		return silent, reportErrorKeep
	case at.failed:
		return silent, doPass
	case reason, c == silent:
		return answering, doPass
	}
	return answering, doNothing
}

// revisionInForce is the revision that the agent makes the cloud equal to while newer commits may be refused. In the table, a row is a state, a
// column is an event, and the cell is the next state. g is the revision of the state, r is the revision of the event, and c is a refused
// commit.
//
//	state       accepted r  wentBack r, known/not  nothingBefore c  foundInSync
//	----------  ----------  ---------------------  ---------------  -----------
//	none        certain r   certain r/cautious r   none, c          none
//	certain g   certain r   certain g              certain g        certain g
//	cautious g  certain r   cautious g             cautious g       certain g
//
// A revision is accepted if its manifests are accepted. Until the loop has accepted a revision, it goes back from a refused commit. It
// goes back to a commit that is known to have been in sync. If that is unknown, it goes back with caution (see [guard.Cautious]).
type revisionInForce struct {
	certainty certainty
	good      source.Revision // the newest accepted revision
	// noGoodBefore is the refused commit before which there is no revision to keep.
	noGoodBefore string
}

type certainty int

const (
	none certainty = iota
	certain
	cautious
)

// exists reports whether there is a revision that the agent makes the cloud equal to.
func (f revisionInForce) exists() bool { return f.certainty != none }

func (f revisionInForce) accepted(rev source.Revision) revisionInForce {
	return revisionInForce{certainty: certain, good: rev}
}

func (f revisionInForce) wentBack(rev source.Revision, known bool) revisionInForce {
	switch {
	case f.certainty != none:
		return f
	case known:
		return revisionInForce{certainty: certain, good: rev}
	}
	return revisionInForce{certainty: cautious, good: rev}
}

func (f revisionInForce) nothingBefore(commit string) revisionInForce {
	if f.certainty != none {
		return f
	}
	return revisionInForce{noGoodBefore: commit}
}

func (f revisionInForce) foundInSync() revisionInForce {
	if f.certainty == cautious {
		f.certainty = certain
	}
	return f
}
