package agent

import (
	"context"
	"io/fs"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/schedule"
	"github.com/stackreeve/stackreeve/internal/source"
)

// Config contains the settings and functions of a [Loop]. It is complete before [New] gets it, and read-only from then on. A function
// must be set unless its comment says that it may be nil.
//
//	fields                                               set from
//	--------------------------------------------------   -----------------------------------------
//	Name, DependsOn, Open, Source, Manifests, Forge,     the stack's configuration (package session:
//	AnyProject, LeavesDrift                              LoopConfig)
//	Approved, Only, Targets, Recreate                    the command line
//	Process; Earlier                                     the process (package service)
type Config struct {
	Name string
	// DependsOn names the stacks that must be in sync before anything of this stack is carried out. Names
	// that Dependencies does not contain are ignored.
	DependsOn []string
	// Open connects to the cloud. It is called again after the cloud could not be read, so that new credentials are read.
	Open func(context.Context) (Cloud, error)

	Source
	Manifests
	Forge
	Limits
	Process
}

// Source contains the functions that read revisions, and the schedules for reading them.
type Source struct {
	// Fetch returns the newest revision, and whether it differs from the revision that the last call returned.
	Fetch func(context.Context) (source.Revision, bool, error)
	// History visits the commits of the branch before the given commit, the newest first. It may be nil.
	History func(ctx context.Context, commit string, most int, visit func(source.Revision) (more bool)) error
	// Earlier is the same function as History, or nil. The loop calls it while the newest commit is refused and no accepted one is
	// known, and the engine for a group that goes back. If it is nil, neither goes back.
	Earlier func(ctx context.Context, commit string, most int, visit func(source.Revision) (more bool)) error
	// Verify reports who signed a commit. last is the last verified commit; "" if it is unknown. The error is an [*source.Unverified] if the
	// commit must not be used. If Verify is nil, no signatures are needed.
	Verify func(ctx context.Context, commit, last string) (source.Signed, error)
	// Poll and DriftCheck are the schedules for fetching commits and for checking the cloud.
	Poll, DriftCheck schedule.Schedule
}

// Manifests reads files.
type Manifests struct {
	// Read turns files into the objects that the stack wants. Its error is a [manifest.Problems] if only a new commit can correct
	// it. region is "" while the cloud is unknown.
	Read func(ctx context.Context, files fs.FS, region string) (resolve.Reading, error)
	// Emptied returns a [manifest.Problems] with the files of now that contain no objects, but contained some in the past. It may be nil.
	Emptied func(ctx context.Context, now resolve.Reading, past resolve.Past) error
	// Weaker reads the policies in the stack's folder at a revision, which are added to those of the configuration. It is called for
	// files that Read has accepted, and for newer files that Read has refused. It may be nil.
	Weaker func(files fs.FS) ([]plan.Policy, error)
}

// Forge reads the data that people and earlier processes stored at the forge. Each function may be nil.
type Forge struct {
	// Approvals returns the plans that people approved. It is called while a commit is held.
	Approvals func(ctx context.Context, commit string) []plan.Approval
	// Applied reports whether a commit is known to have been in sync. Its error means that the forge does not answer now. It is
	// called, for example, after a start until there is an answer.
	Applied func(ctx context.Context, commit string) (bool, error)
	// Existed reports whether a commit is known to have been in sync, and if so whether it had any object.
	Existed func(ctx context.Context, commit string) (known, any bool, err error)
}

// Limits restricts the plans that may be carried out.
type Limits struct {
	// Approved are the plans that the brake lets through.
	Approved []plan.Approval
	// Only, when set, is the hash of the only plan that may be carried out.
	Only string
	// Targets limit passes to some objects; nil if there is none.
	Targets []plan.Target
	// Recreate is true if a person has requested that the targets are recreated.
	Recreate bool
	// AnyProject is true if the configuration names a project. Then the project is not compared with the
	// project in which the stack was last in sync.
	AnyProject bool
	// LeavesDrift means that drift is reported and not corrected, unless the manifests or the revision's
	// policies say otherwise.
	LeavesDrift bool
}

// Process contains the objects that a loop shares with other parts of its process.
type Process struct {
	// Signals start runs. For example, webhooks and people send them.
	*Signals
	// Progress is a watcher of the engine that Open returns.
	Progress *Progress
	// Dependencies, when set, are those that the loop joins (see [Dependencies.Join]).
	Dependencies *Dependencies
	// Turns, when set, limits how many stacks of the process work at the same time.
	Turns *Turns
	// Record, when set, is the file in which this process stores its knowledge for the next process.
	Record Record
	// Report is called with every run that has something to report.
	Report func(report.Run)
	// Traced is true if [report.Run.Trace] must contain the durations of the parts of each run.
	Traced bool
	// NoticedBy, when set, returns [State.NoticedBy].
	NoticedBy func() string
	// Looked, when set, is called with the result of every look.
	Looked func(engine.Moved, engine.Looked)
	// Leave, when set, ends [Loop.Serve] once it is closed and the pass in progress has ended.
	Leave <-chan struct{}
}
