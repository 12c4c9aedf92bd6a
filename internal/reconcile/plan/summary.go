package plan

import (
	"fmt"
	"strings"
)

// Summary counts the steps of a plan. Every step is counted by its action. The other counts are subsets of these counts. All reports to
// people and programs use these numbers.
type Summary struct {
	Actions

	Adopt     int `json:"adopt"`     // updates that adopt the object.
	Drifted   int `json:"drifted"`   // steps about a difference that no commit explains.
	Reported  int `json:"reported"`  // keep steps whose object differs, and that only report it.
	Stuck     int `json:"stuck"`     // refuse steps, and other steps that need a person.
	Unchanged int `json:"unchanged"` // keep steps whose object is managed and equals Git.

	Left int `json:"left,omitempty"` // keep steps that a limited plan leaves out, and whose object differs.
}

// Actions counts steps by their actions.
type Actions struct {
	Create  int `json:"create"`
	Update  int `json:"update"`
	Replace int `json:"replace"`
	Delete  int `json:"delete"`
	Detach  int `json:"detach"`
	Wait    int `json:"wait"`
	Refuse  int `json:"refuse"`
	Keep    int `json:"keep"`
}

// Summary counts the plan's steps.
func (p Plan) Summary() Summary {
	var s Summary
	for i := range p.Steps {
		s.add(&p.Steps[i])
	}
	return s
}

func (s *Summary) add(step *Step) {
	switch step.Action {
	case Create:
		s.Create++
	case Update:
		s.Update++
	case Recreate:
		s.Replace++
	case Delete:
		s.Delete++
	case Detach:
		s.Detach++
	case Wait:
		s.Wait++
	case Refuse:
		s.Refuse++
	case Keep:
		s.Keep++
	}
	also := func(count *int, holds bool) {
		if holds {
			*count++
		}
	}
	also(&s.Adopt, step.Adopts && step.Action == Update)
	also(&s.Drifted, step.Drift)
	also(&s.Reported, step.Reported())
	also(&s.Stuck, step.Stuck())
	also(&s.Unchanged, step.Silent() && !step.Unmanaged() && step.Left == "")
	also(&s.Left, step.Left != "")
}

// Reported reports whether the object differs and nothing is done about it.
func (s Step) Reported() bool { return s.Action == Keep && len(s.Changes) > 0 }

// Silent reports whether the step is left out of reports, because nothing differs.
func (s Step) Silent() bool { return s.Action == Keep && len(s.Changes) == 0 }

// Stuck reports whether the step cannot be carried out until a person does something.
func (s Step) Stuck() bool { return s.Action == Refuse || s.Error }

// Count is one number of a summary, in words: "3 to create".
type Count struct {
	Action Action
	N      int
	Text   string
}

// Counts returns the numbers that people read. The counts of objects to create, change, replace or delete are included even if they are 0,
// all other counts only if they are not 0.
func (s Summary) Counts() []Count {
	list := []Count{
		{Create, s.Create, "to create"}, {Update, s.Update, "to change"}, {Recreate, s.Replace, "to replace"}, {Delete, s.Delete, "to delete"},
		{Detach, s.Detach, "to let go"},
		{Wait, s.Wait, "waiting"}, {Refuse, s.Refuse, "refused"}, {Keep, s.Reported, "drifted, only reported"},
		{Keep, s.Left, "left"},
	}
	out := list[:0]
	for _, c := range list {
		if c.N == 0 && (!c.Action.Writes() || c.Action == Detach) {
			continue
		}
		c.Text = fmt.Sprintf("%d %s", c.N, c.Text)
		switch erring := s.Stuck - s.Refuse; {
		case c.Action == Update && s.Adopt > 0:
			c.Text += fmt.Sprintf(" (%d of them adopted)", s.Adopt)
		case c.Action == Wait && erring > 0:
			c.Text += fmt.Sprintf(" (%d with an error)", erring)
		}
		out = append(out, c)
	}
	return out
}

// String returns the counts in one line.
func (s Summary) String() string {
	var parts []string
	for _, c := range s.Counts() {
		parts = append(parts, c.Text)
	}
	return strings.Join(parts, ", ")
}

// Writes counts the steps that change the cloud.
func (s Summary) Writes() int { return s.Create + s.Update + s.Replace + s.Delete + s.Detach }
