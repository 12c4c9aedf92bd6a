package plan

import (
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// Plan is what a revision would do to the cloud now.
type Plan struct {
	Stack  string
	Commit string
	// Steps are in the order in which they could run one by one.
	Steps []Step
	// Workloads are the objects of the stack that have nothing of their own in
	// the cloud, in the order of the manifests.
	Workloads []Workload
	// Owned counts the objects of the stack in the cloud, without those that it only left there.
	Owned int
	// OwnedKinds counts them by kind.
	OwnedKinds map[string]int
	// Unlisted explains which collections could not be seen; nothing was decided
	// about them.
	Unlisted []string
	// Closed is how many of these are about entries that could not log in, which is tried
	// again by each pass.
	Closed int
	// At is when it was made.
	At time.Time
	// Ignored are the files and documents of the commit that were left alone: no step follows from them.
	Ignored []manifest.Ignored

	Restraint
	Outlook `json:"-"`
	Secrets *redact.Redactor `json:"-"` // what must not be shown of the plan
}

// Restraint is what policies say of a plan as a whole (see package guard).
type Restraint struct {
	// Held says why a brake stops the whole plan; nil when none does.
	Held cause.List
	// Forgetful is true where it may have been approved before, and nothing would remember that.
	Forgetful bool
	// Approved is what let a plan through that would be held; nil when nothing had to.
	Approved *Approval
	// Suspended says why nothing of the plan is carried out, whoever approves of it;
	// "" when that is not so. Manual says why every change waits for an approval.
	Suspended, Manual string
	// Elsewhere says why what the plan creates may exist in another project; zero when nothing says so.
	Elsewhere cause.Cause
	// Closes is when nothing of the plan is begun any more, HarmCloses when nothing is that destroys something (see [Step.Harm]); the zero time
	// for never.
	Closes, HarmCloses time.Time
}

// Outlook is what is known of groups once they are decided about. Failing ones shall go back. Fallbacks, in the order of the workloads, are
// kept at something else than the repository wants. The next plan has to know Seen.
type Outlook struct {
	Failing   []Failing
	Fallbacks []Fallback
	Seen      Seen
}

// Workload is an object that is not in the cloud itself: it stands for others,
// or carries data for them.
type Workload struct {
	Key    manifest.Key
	Parent manifest.Key // zero when it is written in the repository
	Origin manifest.Origin
	Notes  []kind.Note
	Data   bool // a ConfigMap or Secret

	// Want is the desired object that the workload is.
	Want *kind.Desired `json:"-"`
}

// InSync reports whether nothing is left to do or to decide.
func (p Plan) InSync() bool {
	return p.Held == nil && len(p.Unlisted) == 0 && len(p.Fallbacks) == 0 && !slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Action != Keep || len(s.Changes) > 0 })
}

// Stopped reports whether nothing of the plan may be carried out now: it is held, or its
// stack is suspended.
func (p Plan) Stopped() bool { return p.Held != nil || p.Suspended != "" }

// Unseen reports whether collections could not be seen although their entries are logged in:
// credentials may have been renewed since.
func (p Plan) Unseen() bool { return len(p.Unlisted) > p.Closed }

// Differing counts the steps for what is not as wanted.
func (p Plan) Differing() int {
	n := 0
	for _, s := range p.Steps {
		if s.Action != Keep || len(s.Changes) > 0 {
			n++
		}
	}
	return n
}

// Hash names exactly the writing steps of the plan: the same steps, on the
// same cloud objects, with the same changes, give the same hash; the order of
// steps and everything for people's eyes do not matter.
func (p Plan) Hash() string { return p.Proof().Hash(p.Stack) }

// Recorded is the plan as it is kept.
func (p Plan) Recorded() Plan { return p.MapSteps(Step.Recorded) }

// MapSteps is the plan with each step as f has it.
func (p Plan) MapSteps(f func(Step) Step) Plan {
	steps := make([]Step, len(p.Steps))
	for i, s := range p.Steps {
		steps[i] = f(s)
	}
	p.Steps = steps
	return p
}

// Policy turns steps that write into ones that do not, holds a plan, or says something about it. It never makes a step write.
type Policy func(Plan) Plan

// Apply runs the policies one after the other.
func (p Plan) Apply(policies ...Policy) Plan {
	for _, policy := range policies {
		p = policy(p)
	}
	return p
}
