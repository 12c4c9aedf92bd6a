package plan

import (
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// Plan has the steps that would make the cloud match a revision now.
type Plan struct {
	Stack  string
	Commit string
	// Steps are in an order in which they could run one by one.
	Steps []Step
	// Workloads are the objects of the stack that are not in the cloud themselves, in the order of the manifests.
	Workloads []Workload
	Stock
	Lists
	// At is when the plan was made.
	At time.Time
	// Ignored are the files and documents of the commit that were ignored: no step follows from them.
	Ignored []manifest.Ignored

	Restraint
	Outlook `json:"-"`
	Secrets *redact.Redactor `json:"-"` // secrets that must not be shown
}

// Stock counts the objects of the stack in the cloud, without those that it left there and no longer manages.
type Stock struct {
	Owned      int
	OwnedKinds map[string]int // by kind
}

// Lists says what of the cloud was not seen.
type Lists struct {
	// Unlisted explains which collections could not be listed. Nothing was decided about their objects.
	Unlisted []string
	// Closed is how many of Unlisted are about entries that could not log in. Each pass tries to log in again.
	Closed int
}

// Restraint is what policies say about a plan as a whole (see package guard).
type Restraint struct {
	// Held says why a brake holds the whole plan; nil when none does.
	Held cause.List
	// Forgetful is true if the plan may have been approved before, and nothing would remember that.
	Forgetful bool
	// Approved is the approval by which a plan goes on that would otherwise be held; nil where none was needed.
	Approved *Approval
	// Suspended says why nothing of the plan is carried out, even if it is approved; "" if it is not suspended. Manual says why every change waits
	// for an approval; "" if none does.
	Suspended, Manual string
	// Elsewhere says why objects that the plan creates may exist in another project; zero if nothing suggests that.
	Elsewhere cause.Cause
	// Closes is the time from which no step of the plan is started, HarmCloses the time from which no step is that destroys something (see
	// [Step.Harm]). The zero time means never.
	Closes, HarmCloses time.Time
}

// Outlook is what is known about groups after the decisions. Failing are the groups that should go back. Fallbacks are those that are kept at an
// earlier state than the repository's, in the order of the workloads. The next plan has to know Seen.
type Outlook struct {
	Failing   []Failing
	Fallbacks []Fallback
	Seen      Seen
}

// Workload is an object that is not in the cloud itself: it stands for other objects, or holds data for them.
type Workload struct {
	Key    manifest.Key
	Parent manifest.Key // zero when it is written in the repository
	Origin manifest.Origin
	Notes  []kind.Note
	Data   bool // a ConfigMap or Secret

	// Want is the workload as a desired object.
	Want *kind.Desired `json:"-"`
}

// InSync reports whether nothing is left to do and nothing to decide.
func (p Plan) InSync() bool {
	return p.Held == nil && len(p.Unlisted) == 0 && len(p.Fallbacks) == 0 && !slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Action != Keep || len(s.Changes) > 0 })
}

// Stopped reports whether nothing of the plan may be carried out now: it is held, or its stack is suspended.
func (p Plan) Stopped() bool { return p.Held != nil || p.Suspended != "" }

// Unseen reports whether collections could not be listed although their entries are logged in. The credentials may have been renewed since.
func (p Plan) Unseen() bool { return len(p.Unlisted) > p.Closed }

// Differing counts the steps whose objects differ from Git.
func (p Plan) Differing() int {
	n := 0
	for _, s := range p.Steps {
		if s.Action != Keep || len(s.Changes) > 0 {
			n++
		}
	}
	return n
}

// Hash stands for exactly the writing steps of the plan. The same steps on the same cloud objects with the same changes have the same hash. The order
// of the steps, and details that are only for people, do not matter.
func (p Plan) Hash() string { return p.Proof().Hash(p.Stack) }

// Recorded is the plan as it is stored.
func (p Plan) Recorded() Plan { return p.MapSteps(Step.Recorded) }

// MapSteps is the plan with f applied to each step.
func (p Plan) MapSteps(f func(Step) Step) Plan {
	steps := make([]Step, len(p.Steps))
	for i, s := range p.Steps {
		steps[i] = f(s)
	}
	p.Steps = steps
	return p
}

// Policy turns steps that write into others that do not, holds a plan, or adds a note to it. It never makes a step write.
type Policy func(Plan) Plan

// Apply runs the policies one after the other.
func (p Plan) Apply(policies ...Policy) Plan {
	for _, policy := range policies {
		p = policy(p)
	}
	return p
}
