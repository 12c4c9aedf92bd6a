package report

import (
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// LimitDoc says, for programs, to which objects a plan is limited.
type LimitDoc struct {
	Targets []string      `json:"targets"`
	Missing []string      `json:"missing,omitempty"` // the targets that name no object; then the plan writes nothing
	Left    []LeftStepDoc `json:"left"`              // objects that differ and that the plan leaves as they are
}

// LeftStepDoc is a step that a limited plan leaves out.
type LeftStepDoc struct {
	Key    KeyDoc      `json:"key"`
	Action plan.Action `json:"action"`
	Reason string      `json:"reason,omitempty"`
}

func limitDoc(p plan.Plan) *LimitDoc {
	if p.Limit == nil {
		return nil
	}
	doc := LimitDoc{Targets: p.Limit.Targets, Missing: p.Limit.Missing, Left: []LeftStepDoc{}}
	for _, s := range p.Steps {
		if s.Left != "" {
			doc.Left = append(doc.Left, LeftStepDoc{keyDoc(s.Key), s.Left, s.FullCause()})
		}
	}
	return &doc
}

// leaves lists the steps that a limited plan leaves out.
func (t Text) leaves(p plan.Plan) {
	if p.Limit == nil {
		return
	}
	fmt.Fprintf(t.W, "\n%s %s; this says nothing about other objects.\n", t.paint(yellow, "Limited to"), Clean(some(p.Limit.Targets)))
	for _, name := range p.Limit.Missing {
		fmt.Fprintf(t.W, "%s no object of the stack is called %s, so nothing is carried out; `stackreeve status` lists all objects.\n", t.paint(red, "!"), Clean(name))
	}
	list := slices.DeleteFunc(slices.Clone(p.Steps), func(s plan.Step) bool { return s.Left == "" })
	more := 0
	if len(list) > MaxLeft && !t.Verbose {
		list, more = list[:MaxLeft], len(list)-MaxLeft
	}
	for _, s := range list {
		fmt.Fprintf(t.W, "left: %s (%s)\n", Clean(s.Key.String()), s.Left)
	}
	if more > 0 {
		fmt.Fprintf(t.W, "left: %s more%s\n", Plural(more, "object"), t.flagged(" (-v names them)"))
	}
}
