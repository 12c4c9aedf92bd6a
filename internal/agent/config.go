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

// Config is what a [Loop] is given. It is read-only once the loop runs. A function that may be nil says so.
type Config struct {
	Name string
	// DependsOn are the stacks that have to be in sync before anything of this one is carried out, as far as Standing
	// knows them.
	DependsOn []string
	// Open connects to the cloud. It is called again after the cloud could not
	// be seen, so that new credentials are read.
	Open func(context.Context) (Cloud, error)

	Source
	Manifests
	Forge
	Limits
	Process
}

// Source is where revisions come from, and when they are looked for.
type Source struct {
	// Fetch returns the newest revision and whether it is another one than
	// before.
	Fetch func(context.Context) (source.Revision, bool, error)
	// History visits the commits that the branch was before one, the newest first. It may be nil.
	History func(ctx context.Context, commit string, most int, visit func(source.Revision) (more bool)) error
	// Earlier visits the same commits. It is asked while the newest is refused and no other is known. It may be nil: then nothing
	// earlier is applied.
	Earlier func(ctx context.Context, commit string, most int, visit func(source.Revision) (more bool)) error
	// Poll and DriftCheck say when to fetch commits, and when to check the cloud.
	Poll, DriftCheck schedule.Schedule
}

// Manifests is how files are read.
type Manifests struct {
	// Read turns files into what the stack wants. Its error is a
	// [manifest.Problems] when a commit has to correct it. The region is "" while
	// the cloud is not known.
	Read func(ctx context.Context, files fs.FS, region string) (resolve.Reading, error)
	// Emptied reports which files of a reading made objects in the past and hold none any more, as a
	// [manifest.Problems]. It may be nil.
	Emptied func(ctx context.Context, now resolve.Reading, past resolve.Past) error
	// Weaker reads which policies a revision has besides those of the
	// configuration. It is asked about files that Read has accepted, and about newer
	// ones that it refused. It may be nil.
	Weaker func(files fs.FS) ([]plan.Policy, error)
}

// Forge is what people and processes before this one have left elsewhere. Each function may be nil.
type Forge struct {
	// Approvals finds what people approved of. It is asked while a commit is held.
	Approvals func(ctx context.Context, commit string) []plan.Approval
	// Applied reports whether it is known that a commit was in
	// sync; its error says that it cannot be asked now. It is asked after a start, until
	// there is an answer.
	Applied func(ctx context.Context, commit string) (bool, error)
	// Existed reports whether it is known that a commit was in sync, and if so whether there was any object.
	Existed func(ctx context.Context, commit string) (known, any bool, err error)
}

// Limits is what may be carried out.
type Limits struct {
	// Approved are the plans that the brake may let through.
	Approved []plan.Approval
	// Only, when set, is the hash of the one plan that may be carried out.
	Only string
	// AnyProject says that nothing is compared with the project of the last state that was in sync: the configuration names one.
	AnyProject bool
	// LeavesDrift says that drift is not corrected by itself, where neither manifests nor
	// the revision say anything else.
	LeavesDrift bool
}

// Process is what a loop shares with the process that it runs in.
type Process struct {
	Standing *Standing
	// Turns, when set, are shared with the other stacks of the process.
	Turns *Turns
	// Record, when set, keeps what is known for the next process.
	Record Record
	// Report is called with every check that had something to say.
	Report func(report.Run)
	// Traced says to record what each run spends its time on, in [report.Run.Trace].
	Traced bool
	// Leave, when set, ends [Loop.Serve] once it is closed and the pass in progress has ended.
	Leave <-chan struct{}
}
