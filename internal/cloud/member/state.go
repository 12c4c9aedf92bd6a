package member

import (
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// State is what is known of every member.
type State struct {
	PortID     string
	Address    string
	Others     []string // addresses of the other machines of its cluster.
	Unrecorded bool     // its port does not record yet that there was a member.
	Lost       string   // why the whole cluster does not work; "" if it works, or never existed.
	Failure    string   // the machine's own reason why it cannot begin.
}

// Diff reports that nothing says yet, for when it is gone, that there was what a member is of.
func (s *State) Diff(c *kind.Changes, of string) {
	if s.Unrecorded {
		c.Add(kind.Change{Field: "record", Want: "there was a " + of})
	}
}

// Stands marks a member whose whole cluster does not work; lost says why. The member stays as it is.
func Stands(l *kind.Live, s *State, down, message, lost string) {
	l.Phase, l.Down, l.Message, s.Lost = kind.Degraded, down, message, lost
}

// Leaving says why a machine that works is not changed yet: one member changes at a time, and one that is not wanted any more leaves first.
func Leaving(name string) string { return name + " leaves the cluster first" }

// Live is the member of a machine, by its port, before it is known what it says.
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

// Queue makes unwanted members leave one at a time, the last one first. It holds the ID of the member that joined before.
type Queue string

// Join adds a member, which uses the one before.
func (q *Queue) Join(id string, uses []string) []string {
	if *q != "" {
		uses = append(uses, string(*q))
	}
	*q = Queue(id)
	return uses
}
