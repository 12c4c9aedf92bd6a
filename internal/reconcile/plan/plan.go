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
	// Workloads are the objects of the stack that are not in the cloud themselves. Each comes after the objects that it refers to.
	Workloads []Workload
	Stock
	Lists
	// At is when the plan was made.
	At time.Time
	// Ignored are the files and documents of the commit that were ignored, so no step results from them.
	Ignored []manifest.Ignored

	Restraint
	Outlook `json:"-"`
	Secrets *redact.Redactor `json:"-"` // removes secrets that must not be shown
}

// Stock counts the objects in the cloud that the stack manages. Objects that it let go do not count.
type Stock struct {
	Owned      int
	OwnedKinds map[string]int // by kind
}

// Lists says which collections of the cloud could not be listed.
type Lists struct {
	// Unlisted explains which collections could not be listed. Nothing was decided about their objects.
	Unlisted []string
	// Closed is how many texts of Unlisted are about credentials that could not log in. Each pass tries to log in again.
	Closed int
	// Refused explains which collections the cloud refuses to list although the stack most likely owns nothing in them. Their objects are unknown.
	Refused []string
}

// Restraint is the result of the policies for a plan as a whole (see package guard). The engine applies them at three stations:
//
//	station                                      fields
//	------------------------------------------   ----------------------------------------------------------
//	the policies of the configuration and the    Suspended, Manual, Closes, HarmCloses, Elsewhere, Forgetful
//	  revision, in compute: every plan
//	guard.Chosen.Limit, in planRound: every      Limit
//	  plan of a pass
//	guard.Brake and guard.OnlyWithHash, in       Held, Approved
//	  runPass: the first plan of a pass
//
// A preview passes through all three, without OnlyWithHash. While a plan is held, the brake is also applied before and after members are healed.
type Restraint struct {
	// Held says why a brake holds the whole plan; nil when none does.
	Held cause.List
	// Forgetful is true if the plan may have been approved before, and that approval is not stored anywhere.
	Forgetful bool
	// Approved is the approval because of which the plan is not held; nil if it needed none.
	Approved *Approval
	// Suspended says why nothing of the plan is carried out, even if it is approved; "" if it is not suspended. Manual says why every
	// change waits for an approval; "" if changes need no approval.
	Suspended, Manual string
	// Elsewhere says why objects that the plan creates may exist in another project; zero if nothing suggests that.
	Elsewhere cause.Cause
	// Limit says that only a part of the plan is carried out; nil for a whole plan.
	Limit *Limit
	// Closes is the time from which no step of the plan is started. HarmCloses is the time from which no step is started that destroys
	// something (see [Step.Harm]). The zero time means never.
	Closes, HarmCloses time.Time
}

// Outlook is the information about groups that the decisions result in. Failing are the groups that should go back. Fallbacks are the
// groups that have an earlier state than the repository's, in the order of the workloads. Seen is an input of the next plan.
type Outlook struct {
	Failing   []Failing
	Fallbacks []Fallback
	Seen      Seen
}

// Workload is an object that is not in the cloud itself. It expands into other objects, or contains data for them.
type Workload struct {
	Key    manifest.Key
	Parent manifest.Key // zero when it is written in the repository
	Origin manifest.Origin
	Notes  []kind.Note
	Data   bool // a ConfigMap or Secret

	// Want is the workload as a desired object.
	Want *kind.Desired `json:"-"`
}

// InSync reports whether no step has work to do, and nothing waits for a decision. A limited plan cannot say that.
func (p Plan) InSync() bool {
	return p.Limit == nil && p.Held == nil && len(p.Unlisted) == 0 && len(p.Fallbacks) == 0 && !slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Action != Keep || len(s.Changes) > 0 })
}

// Quiet reports whether the plan does nothing and shows no difference between an object and its manifest. So no other object of the cloud can
// matter to it.
func (p Plan) Quiet() bool {
	return p.InSync() && !slices.ContainsFunc(p.Steps, func(s Step) bool {
		_, due := s.Tending()
		return due || len(s.Ignored) > 0 || len(s.Uncounted) > 0
	})
}

// Stopped reports whether nothing of the plan may be carried out now: it is held, or its stack is suspended.
func (p Plan) Stopped() bool { return p.Held != nil || p.Suspended != "" }

// ListsIncomplete reports whether collections could not be listed although their entries are logged in. The credentials may have been renewed since.
func (p Plan) ListsIncomplete() bool { return len(p.Unlisted) > p.Closed }

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

// Hash returns a hash of the writing steps of the plan. The same steps on the same cloud objects with the same changes have the same hash.
// The order of the steps, and details that only people read, do not change the hash.
// A limited plan has another hash than the whole plan, even if both have the same steps.
func (p Plan) Hash() string { return p.Proof().Hash(p.Stack) }

// Recorded returns the plan in the form that is stored.
func (p Plan) Recorded() Plan { return p.MapSteps(Step.Recorded) }

// MapSteps returns the plan with f applied to each step.
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
