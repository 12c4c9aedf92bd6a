package comment

import (
	"fmt"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/report/forge"
)

// Page is what is known about one pull request and one stack.
type Page struct {
	Stack  string
	Number int // of the pull request; 0 when the plan is for a terminal
	// Head is the commit that was planned, Base the branch it is for, and
	// BaseCommit what that branch was then.
	Head, Base, BaseCommit string
	// Root is the stack's path from the root of the repository: the files of
	// origins lie below it.
	Root string
	// Plan is what merging would do; nil when there is none.
	Plan *reconcile.Plan
	// Differs is what the manifests say otherwise; it stands in for the plan when
	// Offline says why no cloud was asked.
	Differs []reconcile.Difference
	Offline string
	// Problems are what is wrong in the manifests.
	Problems manifest.Problems
	// Err is why there is neither plan nor problems: a conflict, a cloud that is
	// away.
	Err string
	// Approvals are those that let the plan through.
	Approvals []reconcile.Approval
	// Quiet is true when the pull request touches nothing of the stack.
	Quiet bool
	// After is what came of it once it was merged; nil before.
	After *report.Run
}

// Markdown is the page as a comment.
func (p Page) Markdown() string {
	return fmt.Sprintf("### Stack `%s`\n\n%s\n", p.Stack, p.sum())
}

// Status is the page in one line of at most [forge.MaxDescription] characters.
// ok is false when something has to be done before merging does what it should.
func (p Page) Status() (ok bool, description string) {
	return p.Err == "" && len(p.Problems) == 0 && (p.Plan == nil || p.Plan.Held == "" || len(p.Approvals) > 0), forge.Describe(p.sum())
}

func (p Page) sum() string {
	if p.Plan == nil {
		return p.Err
	}
	return p.Plan.Summary().String()
}

// Annotations are notes on the lines of manifests.
func (p Page) Annotations() []forge.Annotation { return nil }

// Split cuts a comment into several of at most limit characters each.
func Split(body string, limit int) []string {
	r := []rune(body)
	return []string{string(r[:min(limit, len(r))])}
}

// Drift is a difference between a stack and its cloud that no commit explains.
type Drift struct {
	Stack  string
	Commit string // what the stack was last made to be
	Since  time.Time
	// Corrected is true when what differed is put back; otherwise it is only
	// reported.
	Corrected bool
	Steps     []reconcile.Step
	// Traces say who changed an object and when, as far as the cloud tells.
	Traces map[manifest.Key]reconcile.Trace
	// Over is true when it was mended, or explained by a commit, since.
	Over bool
}

// Markdown is the drift as a comment.
func (d Drift) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "### Stack `%s` drifted\n\n", d.Stack)
	for _, s := range d.Steps {
		fmt.Fprintf(&b, "- `%s`\n", s.Key)
	}
	return b.String()
}
