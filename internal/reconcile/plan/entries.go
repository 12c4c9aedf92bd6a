package plan

import (
	"errors"
	"fmt"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// inProject reports whether an object belongs to the project of the entry that d is made
// through.
func inProject(d *kind.Desired, l *kind.Live[any]) bool {
	seen := l.As(d.Entry)
	return seen != nil && seen.Mine
}

// elsewhere is the change of an object that the entry of its manifest does not show: it was
// made through another one.
func (p *planner) elsewhere(d *kind.Desired, have *kind.Live[any]) []kind.Change {
	if have.As(d.Entry) != nil {
		return nil
	}
	return []kind.Change{{Field: resolve.CloudField, Have: entryName(have.Through), Want: entryName(d.Entry), Disruption: kind.Replace}}
}

// perhapsElsewhere says why d, which no entry shows, may be in the cloud all the same; "" where
// it is not. It was perhaps made through another entry, of which its manifest was before, and
// that one does not say now what there is:
//
//	the other entry                                 d is created
//	----------------------------------------------  ----------------------------
//	offers no such service                          yes
//	could not log in                                unless it was seen before and
//	                                                the agent has not deleted it
//	may not list, or its list failed                no
func (p *planner) perhapsElsewhere(d *kind.Desired) string {
	for _, part := range p.Have[d.Key.Kind].Parts {
		switch {
		case part.Err == nil || part.Entry == d.Entry || errors.Is(part.Err, kind.ErrNoService):
		case part.Closed && p.Lost[d.Key.String()] == "":
		default:
			return fmt.Sprintf("it may have been made through %s, which does not say what it has (%v); nothing is created before it does, or before the entry is removed from spec.clouds of the stack's configuration",
				entryName(part.Entry), part.Err)
		}
	}
	return ""
}

// unseen explains which entries did not say what they have; one that could not log in is
// named once.
func (p *planner) unseen() (out []string) {
	closed := map[string]bool{}
	for _, name := range p.names {
		for _, part := range p.Have[name].Parts {
			switch {
			case part.Err == nil || part.Refused || errors.Is(part.Err, kind.ErrNoService) || closed[part.Entry]:
			case part.Closed:
				closed[part.Entry] = true
				out = append(out, through(part.Entry)+part.Err.Error())
			default:
				out = append(out, name+": "+through(part.Entry)+part.Err.Error())
			}
		}
	}
	return out
}

// entryName is what an entry is called in messages.
func entryName(entry string) string {
	if entry == "" {
		return "the main entry"
	}
	return "entry " + entry
}

// through begins a message about an entry; "" for the main one.
func through(entry string) string {
	if entry == "" {
		return ""
	}
	return entryName(entry) + ": "
}

// ThroughMain is the plan without what is carried out through further entries of clouds.yaml;
// all is false where there is something of that.
func (p Plan) ThroughMain() (main Plan, all bool) {
	main, all = p, true
	main.Steps = nil
	for _, s := range p.Steps {
		if s.Through() == "" {
			main.Steps = append(main.Steps, s)
		} else if s.Action.Writes() {
			all = false
		}
	}
	return main, all
}
