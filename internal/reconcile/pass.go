package reconcile

import (
	"fmt"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
)

// Result is one step that was carried out, or tried.
type Result struct {
	Step    Step
	Err     error
	Started time.Time
	Took    time.Duration
}

// Failure is why a key is not as wanted at the end of a pass.
type Failure struct {
	Key    manifest.Key
	Origin manifest.Origin
	Reason string
	// Dependents lean on the key and had to wait.
	Dependents []manifest.Key
}

// Pass is the record of one reconcile of one revision.
type Pass struct {
	Stack   string
	Commit  string
	Started time.Time
	Took    time.Duration
	// First is the plan the pass set out with, Last the one it ended with.
	First, Last Plan
	// Late is the drift that began, or showed, after the first plan was made.
	Late []Step
	// Rounds counts how often the cloud was compared with the manifests.
	Rounds   int
	Results  []Result
	Failures []Failure
	// Interrupted is true when the pass was told to stop.
	Interrupted bool
	// Superseded is what an interrupted pass gave way to; "" when it was the end of
	// the process.
	Superseded Superseded
	want       []Desired
}

// Outcome is how a pass, or a plan, ends, and the exit code that says so.
type Outcome int

// The outcomes, with the exit codes of the outside contract.
const (
	InSync    Outcome = 0
	Broken    Outcome = 1
	OutOfSync Outcome = 2
	Invalid   Outcome = 3
)

// String is one word or two for people.
func (o Outcome) String() string {
	return [...]string{"in sync", "failed", "differences remain", "refused input"}[o]
}

// Outcome tells how the pass ended.
func (p Pass) Outcome() Outcome {
	if p.Interrupted || len(p.Failures) > 0 {
		return Broken
	}
	return p.Last.Outcome()
}

// Outcome tells what the plan means when nothing more is done about it.
func (p Plan) Outcome() Outcome {
	switch {
	case len(p.Unlisted) > 0 || slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Error }):
		return Broken
	case p.InSync():
		return InSync
	default:
		return OutOfSync
	}
}

// Writes counts the steps that changed the cloud.
func (p Pass) Writes() int {
	n := 0
	for _, r := range p.Results {
		if r.Err == nil {
			n++
		}
	}
	return n
}

// Drifted counts the objects whose difference no commit explains, whichever
// round found it.
func (p Pass) Drifted() int {
	return p.First.Summary().Drifted + len(p.Late)
}

// failuresOf explains everything that the last plan leaves undone because of
// an error, each with what leans on it. errs are the last errors by key.
func failuresOf(last Plan, errs map[manifest.Key]error) []Failure {
	var list []Failure
	at := map[manifest.Key]int{}
	add := func(s Step, reason string) {
		if _, dup := at[s.Key]; !dup {
			at[s.Key] = len(list)
			list = append(list, Failure{Key: s.Key, Origin: s.Origin, Reason: reason})
		}
	}
	for _, s := range last.Steps {
		err := errs[s.Key]
		switch {
		case s.Action == Keep:
		case err != nil:
			add(s, err.Error())
		case s.Error:
			add(s, s.Reason)
		}
	}
	for _, s := range last.Steps {
		for _, key := range s.Awaits {
			if i, ok := at[key]; ok {
				list[i].Dependents = append(list[i].Dependents, s.Key)
			} else if !s.Error && errs[s.Key] == nil {
				add(s, fmt.Sprintf("waits for %s", key))
			}
		}
		if len(s.Blockers) > 0 && errs[s.Key] == nil && s.Action.Destroys() {
			add(s, fmt.Sprintf("cannot be deleted while %s uses it", printable.Name(s.Blockers[0])))
		}
	}
	for _, reason := range last.Unlisted {
		list = append(list, Failure{Key: manifest.Key{Kind: "cloud"}, Reason: reason})
	}
	return list
}
