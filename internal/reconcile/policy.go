package reconcile

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Policy weakens a plan: it may turn steps that write into ones that do not,
// or hold the plan as a whole, and nothing else.
type Policy func(Plan) Plan

// Apply runs the policies one after the other.
func (p Plan) Apply(policies ...Policy) Plan {
	for _, policy := range policies {
		p = policy(p)
	}
	return p
}

func (p Plan) mapSteps(f func(Step) Step) Plan {
	steps := make([]Step, len(p.Steps))
	for i, s := range p.Steps {
		steps[i] = f(s)
	}
	p.Steps = steps
	return p
}

// NoPrune keeps what the stack owns and the repository no longer has.
func NoPrune(p Plan) Plan {
	return p.mapSteps(func(s Step) Step {
		if s.Action == Delete && !s.surplus {
			return s.hold(Keep, "no longer in the repository; kept because prune is off")
		}
		return s
	})
}

// ReportDrift leaves drift as it is, so that it shows in the plan and nothing
// more, for all objects whose annotations do not say otherwise.
func ReportDrift(byDefault bool) Policy {
	return func(p Plan) Plan {
		return p.mapSteps(func(s Step) Step {
			report := byDefault
			if s.want != nil && s.want.Options.Report != nil {
				report = *s.want.Options.Report
			}
			if !report || !s.Drift || !s.Action.Writes() {
				return s
			}
			reason := "changed in the cloud; only reported"
			if s.Action == Create {
				reason = "deleted in the cloud; only reported"
				s.Changes = []Change{{Field: "metadata.name", Have: "", Want: s.Key.Name}}
			}
			return s.hold(Keep, reason)
		})
	}
}

// Limit is how many objects one pass may delete or replace: a number, or a
// share of what the stack owns.
type Limit struct {
	Count   int
	Percent float64
	percent bool
}

// ParseLimit reads "30%" or "5".
func ParseLimit(text string) (Limit, error) {
	text = strings.TrimSpace(text)
	if share, ok := strings.CutSuffix(text, "%"); ok {
		f, err := strconv.ParseFloat(strings.TrimSpace(share), 64)
		if err != nil || f < 0 || f > 100 || math.IsNaN(f) {
			return Limit{}, fmt.Errorf("%q is not a share between 0%% and 100%%", text)
		}
		return Limit{Percent: f, percent: true}, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return Limit{}, fmt.Errorf("%q is neither a number like 5 nor a share like 30%%", text)
	}
	return Limit{Count: n}, nil
}

// of is the limit in objects, for a stack that owns so many. Shares round up,
// so that a small stack can lose one object.
func (l Limit) of(owned int) int {
	if l.percent {
		return int(math.Ceil(l.Percent / 100 * float64(owned)))
	}
	return l.Count
}

// String is the limit as it was written.
func (l Limit) String() string {
	if l.percent {
		return strconv.FormatFloat(l.Percent, 'g', -1, 64) + "%"
	}
	return strconv.Itoa(l.Count)
}

// Brake holds a plan that deletes or replaces more than the limit, or
// everything the stack owns, unless its hash is the approved one. Surplus
// copies left by interrupted requests do not count: the object itself stays.
func Brake(limit Limit, approved string) Policy {
	return func(p Plan) Plan {
		destroyed := 0
		for _, s := range p.Steps {
			if s.Action.Destroys() && !s.surplus {
				destroyed++
			}
		}
		hash := p.Hash()
		unlimited := limit.percent && limit.Percent >= 100
		switch {
		case destroyed == 0 || unlimited || approved != "" && approved == hash:
			return p
		case destroyed > limit.of(p.Owned):
			p.Held = fmt.Sprintf("it would delete or replace %d of the %d objects the stack owns, more than the limit of %s", destroyed, p.Owned, limit)
		case destroyed == p.Owned:
			p.Held = fmt.Sprintf("it would delete or replace all %d objects the stack owns", p.Owned)
		default:
			return p
		}
		if approved != "" {
			p.Held += fmt.Sprintf("; the approved hash %s is not that of this plan", approved)
		}
		return p
	}
}
