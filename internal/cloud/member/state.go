package member

import (
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// State contains the facts that are known of every kind of member.
type State struct {
	PortID     string
	Address    string
	Others     []string // addresses of the other machines of its cluster.
	Unrecorded bool     // its port does not record yet that there was a member.
	Lost       string   // why the whole cluster does not work; "" if it works, or never existed.
	Failure    string   // the machine's own reason why it cannot begin.
}

// Diff reports a change if the port does not record yet that there was a member. Without the record, nobody would know that after the member is gone.
// The argument of is the thing that the member is a part of.
func (s *State) Diff(c *kind.Changes, of string) {
	if s.Unrecorded {
		c.Add(kind.Change{Field: "record", Want: "there was a " + of})
	}
}

// ClusterDown sets the state of a member whose whole cluster does not work. lost is the reason.
func ClusterDown(l *kind.Live, s *State, down, message, lost string) {
	l.Phase, l.Down, l.Message, s.Lost = kind.Degraded, down, message, lost
}

// WaitsForLeaving returns the reason why a machine that works is not changed yet: the member with that name, which is not wanted any more, leaves first. Only one
// member changes at a time.
func WaitsForLeaving(name string) string { return name + " leaves the cluster first" }

// Live returns the member of a machine with the facts that its port gives. The member's own answer is not known yet.
func Live[Spec, S any](k Kind[Spec], m *Machine[Spec], state *S) typed.Live[S] {
	l := kind.Live{ID: "port " + m.PortID, Name: m.Key.Name, InOwnProject: true, Mark: &kind.Mark{Owner: m.Owner}, Tokens: []string{k.Token + " " + m.Address},
		Lag: time.Second, Facts: kind.Facts{Address: m.Address}}
	for _, id := range []string{m.PortID, m.Host.ID} {
		if id != "" {
			l.Uses = append(l.Uses, id)
		}
	}
	return typed.Live[S]{Live: l, State: state}
}

// Judge completes a member after its phase is known. The machine's own failure becomes the message, and a member that is not ready makes its machine unwell.
func Judge(l *kind.Live, s *State) {
	l.Message = Failure("its machine", s.Failure, l.Message)
	if l.Phase != kind.Ready {
		l.Unwell = slices.Clone(l.Uses)
	}
}

// Queue makes unwanted members leave one at a time, the last one first. It contains the ID of the member that was added before.
type Queue string

// Join adds a member. It returns uses with the ID of the member that was added before, so that the new member leaves first.
func (q *Queue) Join(id string, uses []string) []string {
	if *q != "" {
		uses = append(uses, string(*q))
	}
	*q = Queue(id)
	return uses
}
