package guard

import (
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Suspend makes a plan suspended: nothing of it is carried out, and an approval does not change that. The argument why tells people where
// the suspension is configured.
func Suspend(why string) plan.Policy {
	return func(p plan.Plan) plan.Plan {
		if p.Suspended == "" {
			p.Suspended = why
		}
		return p
	}
}

// Within allows a plan to be carried out only at certain times. open returns why a time is not one of them, or "". closes is
// when the allowed time ends; the zero time means never.
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

// DestroyWithin is like [Within], but applies only to steps that do harm (see [plan.Step.Harm]). Other steps are carried out
// at any time.
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

// sooner returns the earlier of two times. The zero time means never.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// Manual makes every change wait for an approval. The argument why tells people where that is configured.
func Manual(why string) plan.Policy {
	return func(p plan.Plan) plan.Plan {
		if p.Manual == "" {
			p.Manual = why
		}
		return p
	}
}

// NoPrune keeps the stack's objects that have no manifest any more.
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

// Unverified keeps the objects without a manifest while the newest commit is not verified, because that commit may have the manifests.
func Unverified(p plan.Plan) plan.Plan {
	return p.MapSteps(func(s plan.Step) plan.Step {
		if s.Action == plan.Detach || s.Action == plan.Delete && !s.Surplus && !s.Spare {
			s.Error = false
			return s.WithAction(plan.Keep, cause.Of(cause.Gone), cause.Of(cause.KeptUnverified))
		}
		return s
	})
}

// ReportDrift makes plans only report drift, and not correct it. byDefault applies to objects whose annotations do not decide
// that.
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

// Cautious is the policy for a revision if a newer one may have been applied since. It creates missing objects. It corrects
// only objects that this very revision's manifests made. It deletes nothing, and changes nothing that other manifests made.
func Cautious(p plan.Plan) plan.Plan {
	return p.MapSteps(func(s plan.Step) plan.Step {
		s = s.WithoutLosses()
		if s.Surplus || !s.Action.Writes() || s.Action == plan.Create || !s.Action.Destroys() && (s.Drift || s.ManifestUnchanged) {
			return s
		}
		return s.WithAction(plan.Keep, cause.Of(cause.Cautious))
	})
}

// HoldIfOtherProject makes a plan wait for an approval if it creates objects, because these may already exist in another project than
// that of the credentials. Without always, it applies only if the project has no object of the stack.
func HoldIfOtherProject(why cause.Cause, always bool) plan.Policy {
	return func(p plan.Plan) plan.Plan {
		if (always || p.Owned == 0) && slices.ContainsFunc(p.Steps, func(s plan.Step) bool { return s.Action == plan.Create }) {
			p.Elsewhere = why
		}
		return p
	}
}

// Ending is the policy for a plan that ends a stack. The cause of its deletions is that the stack ends, and not that a
// manifest is gone.
func Ending() plan.Policy {
	return func(p plan.Plan) plan.Plan {
		return p.MapSteps(func(s plan.Step) plan.Step {
			s.Causes = s.Causes.Instead(cause.Gone, cause.StackEnds)
			return s
		})
	}
}
