package guard

import (
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Suspend has nothing of a plan carried out, and nobody can approve of it. why says
// where that is written, for people.
func Suspend(why string) plan.Policy {
	return func(p plan.Plan) plan.Plan {
		if p.Suspended == "" {
			p.Suspended = why
		}
		return p
	}
}

// Within has a plan carried out only at certain times. open says of a moment whether it is one of them, and if not why; closes
// is when that is no longer so, the zero time for never.
func Within(open func(at time.Time) (closes time.Time, why string)) plan.Policy {
	return func(p plan.Plan) plan.Plan {
		closes, why := open(p.At)
		if why != "" {
			return Suspend(why)(p)
		}
		p.Closes = sooner(p.Closes, closes)
		return p
	}
}

// DestroyWithin is [Within] for what deletes, replaces or wipes objects; all else is carried out at any time.
func DestroyWithin(open func(at time.Time) (closes time.Time, why string)) plan.Policy {
	return func(p plan.Plan) plan.Plan {
		closes, why := open(p.At)
		if why == "" {
			p.HarmCloses = sooner(p.HarmCloses, closes)
			return p
		}
		return p.MapSteps(func(s plan.Step) plan.Step {
			if _, harms := s.Harm(); !harms {
				return s
			}
			return s.WithAction(plan.Refuse, cause.Of(cause.Window, why))
		})
	}
}

// sooner is the sooner of two moments, of which the zero time is never.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// Manual has every change wait for an approval. why says where that is written, for
// people.
func Manual(why string) plan.Policy {
	return func(p plan.Plan) plan.Plan {
		if p.Manual == "" {
			p.Manual = why
		}
		return p
	}
}

// NoPrune keeps what the stack owns and the repository no longer has.
func NoPrune(p plan.Plan) plan.Plan {
	return p.MapSteps(func(s plan.Step) plan.Step {
		if s.Action == plan.Detach {
			return s.WithAction(plan.Keep, cause.Of(cause.Gone), cause.Of(cause.MarkUnpruned))
		}
		if s.Action == plan.Delete && !s.Surplus && !s.Spare || s.InUse {
			s.Error = false
			return s.WithAction(plan.Keep, cause.Of(cause.Gone), cause.Of(cause.KeptUnpruned))
		}
		return s
	})
}

// ReportDrift leaves drift as it is, so that it shows in the plan and nothing
// more, for all objects whose annotations do not say otherwise.
func ReportDrift(byDefault bool) plan.Policy {
	reports := func(s *plan.Step) bool {
		report := byDefault
		if s.Want != nil && s.Want.Options.Report != nil {
			report = *s.Want.Options.Report
		}
		return report && s.Drift && s.Action.Writes()
	}
	return func(p plan.Plan) plan.Plan {
		some := false
		for i := range p.Steps {
			some = some || reports(&p.Steps[i])
		}
		if !some {
			return p // a copy of the steps is megabytes
		}
		return p.MapSteps(func(s plan.Step) plan.Step {
			if !reports(&s) {
				return s
			}
			var reason cause.List
			switch {
			case s.Broken():
				reason = s.Causes
			case s.Action == plan.Create:
				s.Changes = []kind.Change{{Field: "metadata.name", Have: "", Want: s.Key.Name}}
			}
			return s.WithAction(plan.Keep, reason.And(cause.Of(cause.OnlyReported))...)
		})
	}
}

// Cautious is for a revision if a newer one may have been applied since. It
// creates missing objects. It corrects only objects that this very revision's
// manifests made. It deletes nothing, and changes nothing that other manifests
// made.
func Cautious(p plan.Plan) plan.Plan {
	return p.MapSteps(func(s plan.Step) plan.Step {
		s = s.WithoutLosses()
		if s.Surplus || !s.Action.Writes() || s.Action == plan.Create || !s.Action.Destroys() && (s.Drift || s.OfThis) {
			return s
		}
		return s.WithAction(plan.Keep, cause.Of(cause.Cautious))
	})
}

// Elsewhere notes that what a plan creates may exist in another project than the one that the credentials are of: such a plan
// waits for an approval. Without always, that says nothing about a project that holds anything of the stack.
func Elsewhere(why cause.Cause, always bool) plan.Policy {
	return func(p plan.Plan) plan.Plan {
		if (always || p.Owned == 0) && slices.ContainsFunc(p.Steps, func(s plan.Step) bool { return s.Action == plan.Create }) {
			p.Elsewhere = why
		}
		return p
	}
}

// Ending is the policy of a plan that ends a stack: its objects go for that reason, and not because a manifest is gone.
func Ending() plan.Policy {
	return func(p plan.Plan) plan.Plan {
		return p.MapSteps(func(s plan.Step) plan.Step {
			s.Causes = s.Causes.Instead(cause.Gone, cause.StackEnds)
			return s
		})
	}
}
