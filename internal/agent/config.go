package agent

import (
	"context"
	"io/fs"

	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/schedule"
	"github.com/stackreeve/stackreeve/internal/source"
)

// Config holds the settings and functions of a [Loop]. It is read-only once the loop runs. Functions are set unless their comment
// says that they may be nil.
//
// The owner of the loop calls [New] first, because forges and the engine are given the loop's signals and its watcher. It then sets the
// fields, all of them before the first run:
//
//	Name, DependsOn, Open, Source, Manifests, Forge      from the stack's configuration (package session: Configure)
//	Limits                                               likewise; but Approved and Only from the command line
//	Process, Earlier                                     from the process (package service); but Record as Name
type Config struct {
	Name string
	// DependsOn names the stacks that must be in sync before anything of this one is carried out, if Dependencies knows them.
	DependsOn []string
	// Open connects to the cloud. It is called again after the cloud could not be read, so that new credentials are read.
	Open func(context.Context) (Cloud, error)

	Source
	Manifests
	Forge
	Limits
	Process
}

// Source is where revisions come from, and the schedule for fetching them.
type Source struct {
	// Fetch returns the newest revision, and whether it differs from the one before.
	Fetch func(context.Context) (source.Revision, bool, error)
	// History visits the commits of the branch before one, the newest first. It may be nil.
	History func(ctx context.Context, commit string, most int, visit func(source.Revision) (more bool)) error
	// Earlier visits the same commits. It is called while the newest commit is refused and no good one is known. It may be nil: then nothing
	// earlier is applied.
	Earlier func(ctx context.Context, commit string, most int, visit func(source.Revision) (more bool)) error
	// Poll and DriftCheck are the schedules for fetching commits and for checking the cloud.
	Poll, DriftCheck schedule.Schedule
}

// Manifests reads files.
type Manifests struct {
	// Read turns files into what the stack wants. Its error is a [manifest.Problems] when a commit must correct it. The region is ""
	// while the cloud is unknown.
	Read func(ctx context.Context, files fs.FS, region string) (resolve.Reading, error)
	// Emptied reports, as a [manifest.Problems], the files of a reading that defined objects in the past and define none now.
	// It may be nil.
	Emptied func(ctx context.Context, now resolve.Reading, past resolve.Past) error
	// Weaker reads the policies of a revision that add to those of the configuration. It is called for files that Read has accepted,
	// and for newer ones that it refused. It may be nil.
	Weaker func(files fs.FS) ([]plan.Policy, error)
}

// Forge reads what people and earlier processes left at the forge. Each function may be nil.
type Forge struct {
	// Approvals returns the plans that people approved. It is called while a commit is held.
	Approvals func(ctx context.Context, commit string) []plan.Approval
	// Applied reports whether a commit is known to have been in sync. Its error means that the forge does not answer now. It is called
	// after a start until there is an answer.
	Applied func(ctx context.Context, commit string) (bool, error)
	// Existed reports whether a commit is known to have been in sync, and if so whether it had any object.
	Existed func(ctx context.Context, commit string) (known, any bool, err error)
}

// Limits restrict what may be carried out.
type Limits struct {
	// Approved are the plans that the brake lets through.
	Approved []plan.Approval
	// Only, when set, is the hash of the only plan that may be carried out.
	Only string
	// AnyProject turns off the comparison with the project in which the stack was last in sync: the configuration names a project.
	AnyProject bool
	// LeavesDrift is the default for drift where neither manifests nor the revision say anything else: it is reported and not corrected.
	LeavesDrift bool
}

// Process is what a loop shares with other loops of its process.
type Process struct {
	Dependencies *Dependencies
	// Turns, when set, are shared with the other stacks of the process.
	Turns *Turns
	// Record, when set, keeps knowledge for the next process.
	Record Record
	// Report is called with every run that has something to report.
	Report func(report.Run)
	// Traced records how long the parts of each run take, in [report.Run.Trace].
	Traced bool
	// Leave, when set, ends [Loop.Serve] once it is closed and the pass in progress has ended.
	Leave <-chan struct{}
}
