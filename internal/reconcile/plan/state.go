package plan

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// State is what an object comes to, in a word or two: the first of these that is
// true of it. Besides them it can be what the kind says of one that is down, such
// as "stopped".
type State string

// The states, in the order in which they are decided.
const (
	StateUnknown   State = "unknown"             // the cloud could not be asked
	StateRefused   State = "refused"             // not done until a person decides
	StateHeld      State = "held"                // would be done, and the whole plan is held
	StateDiffers   State = "suspended (differs)" // suspended, and not as its manifest says
	StateSuspended State = "suspended"           // suspended, and as its manifest says as far as can be seen
	StateFailed    State = "failed"              // broken in the cloud, its step failed, or a person must change the manifest
	StateWaiting   State = "waiting"             // something else must happen first: see Status.WaitsFor
	StateDrifted   State = "drifted"             // no commit explains the difference; undone or only reported
	StateCreate    State = "to create"
	StateChange    State = "to change"
	StateReplace   State = "to replace"
	StateDelete    State = "to delete"
	StateDetach    State = "to detach" // no longer in the repository, and will be let go
	StateDegraded  State = "degraded"  // usable, and the cloud reports something of it, or of a part of it, unwell
	StateOutdated  State = "outdated"  // a member of a group whose strategy leaves it as it is
	StateKept      State = "kept"      // no longer in the repository, and left in the cloud
	StateInSync    State = "in sync"
)

// gravest orders states for those who sum up: the first is the worst.
var gravest = []State{StateRefused, StateFailed, StateUnknown, StateHeld, StateWaiting, StateDrifted, StateReplace, StateDelete,
	StateCreate, StateChange, StateDetach, StateDegraded, StateDiffers, StateSuspended, StateOutdated, StateKept, StateInSync}

// gravity is how bad a state is: the lower, the worse. What a kind says of an object
// that is down is as bad as a failure.
func (s State) gravity() int {
	if at := slices.Index(gravest, s); at >= 0 {
		return at
	}
	return slices.Index(gravest, StateFailed)
}

// Fine reports whether an object in this state needs no attention.
func (s State) Fine() bool {
	return s == StateInSync || s == StateSuspended || s == StateOutdated || s == StateKept
}

// theCloud is who is waited for when it works on the object itself.
const theCloud = "the cloud"

// states decides about the steps of one plan.
type states struct {
	held  bool
	off   bool // the whole stack is suspended
	at    map[manifest.Key]*Step
	going map[string]bool // names of objects that the plan destroys
	stuck map[manifest.Key]string
}

func statesOf(p Plan) states {
	st := states{held: p.Held != "", off: p.Suspended != "", at: map[manifest.Key]*Step{}, going: map[string]bool{}, stuck: map[manifest.Key]string{}}
	for i := range p.Steps {
		s := &p.Steps[i]
		if !s.surplus {
			st.at[s.Key] = s
		}
		if s.Action.Destroys() && s.have != nil {
			st.going[s.secrets.Text(liveText(s.Key.Kind, s.have))] = true
		}
	}
	return st
}

// of is the state of a step's object, and what it waits for.
func (st states) of(s Step) (state State, waitsFor string) {
	waitsFor = st.waits(s)
	switch {
	case s.Action == Wait && s.Error && s.condition == "":
		return StateUnknown, ""
	case s.Action == Refuse:
		return StateRefused, ""
	case s.Action.Writes() && st.off:
		return StateDiffers, ""
	case s.Action.Writes() && st.held:
		return StateHeld, ""
	case s.suspended():
		return s.suspension(), ""
	case s.outdated():
		return StateOutdated, ""
	case s.Error, s.failed.Text != "", (s.Action == Recreate || s.Action == Keep) && s.broken():
		return StateFailed, ""
	case s.Drift || s.Action == Keep && len(s.Changes) > 0:
		return StateDrifted, waitsFor
	case waitsFor != "":
		return StateWaiting, waitsFor
	}
	switch s.Action {
	case Create:
		return StateCreate, ""
	case Update:
		return StateChange, ""
	case Recreate:
		return StateReplace, ""
	case Delete:
		return StateDelete, ""
	case Detach:
		return StateDetach, ""
	case Keep, Wait, Refuse:
	}
	return s.asIs(), ""
}

// awaited says what an object waits for that is not made yet, in K-ORC's words; "" where it is something else, or more.
func (st states) awaited(s Step) string {
	if s.have != nil || s.Error || s.Action != Create || len(s.Awaits) != 1 || st.root(s.Awaits[0]) == "" {
		return ""
	}
	key, end := s.Awaits[0], "ready"
	if target := st.at[key]; target != nil && target.want != nil && target.want.Absent() {
		end = "created"
	}
	return "Waiting for " + key.String() + " to be " + end
}

func (s Step) suspended() bool {
	return s.Action == Keep && (s.ofSuspended || s.want != nil && s.want.Options.Suspend)
}

// outdated reports whether the object is not as wanted because its group leaves it so.
func (s Step) outdated() bool {
	return s.left && !s.Drift && (len(s.aside) > 0 || s.have == nil || s.want == nil)
}

func (s Step) suspension() State {
	if s.have == nil || s.ofSuspended || len(s.aside) > 0 || s.have.Phase == kind.Failed || s.have.Phase == kind.Deleting {
		return StateDiffers
	}
	return StateSuspended
}

// asIs is the state of an object that nothing is done about.
func (s Step) asIs() State {
	switch {
	case s.have != nil && s.have.Phase == kind.Failed:
		return StateFailed
	case s.have != nil && s.have.Down != "":
		return State(s.have.Down)
	case s.have != nil && (s.have.Phase == kind.Degraded || s.have.Message != "" || s.sick != "" || s.crowded != "" || s.overdue() != ""):
		return StateDegraded
	case s.want == nil && s.have != nil && s.Action == Keep:
		return StateKept
	}
	return StateInSync
}

// waits names what a step waits for and the plan does not bring about: "" when it
// can go on in its turn.
func (st states) waits(s Step) string {
	switch {
	case s.Error || s.Action == Keep || s.Action == Refuse:
		return ""
	case s.Action == Wait && len(s.Awaits) == 0:
		return theCloud
	}
	for _, key := range s.Awaits {
		if root := st.root(key); root != "" {
			return root
		}
	}
	if s.Action == Wait {
		return s.Awaits[0].String()
	}
	if s.Action.Destroys() || s.Action == Detach {
		for _, name := range s.Blockers {
			if !st.going[name] {
				return name
			}
		}
	}
	return ""
}

// root is the first of what a key waits for that does not go on by itself; "" when
// all of it does. It is worked out once for each key, and ends where keys wait for
// each other.
func (st states) root(key manifest.Key) string {
	if known, ok := st.stuck[key]; ok {
		return known
	}
	st.stuck[key] = ""
	s := st.at[key]
	switch {
	case s == nil:
	case s.Error || s.Action == Refuse || s.Action == Wait || s.Action == Keep:
		if s.have == nil || s.Error || s.Action == Refuse || s.Action == Wait || !s.have.Phase.Usable() {
			st.stuck[key] = key.String()
		}
	default:
		st.stuck[key] = st.waits(*s)
	}
	return st.stuck[key]
}

// message is what people read beside the state.
func (s Step) message() string {
	var said []string
	add := func(text string) {
		if text != "" && !slices.Contains(said, text) {
			said = append(said, text)
		}
	}
	add(s.Drifted())
	add(s.failed.Text)
	add(s.Reason())
	add(s.plain())
	if s.Action == Keep && s.have != nil && len(s.Changes) > 0 {
		add("differs in " + fieldNames(s.Changes))
	}
	if len(s.aside) > 0 {
		add("differs in " + fieldNames(s.aside))
	}
	add(s.sick)
	add(s.crowded)
	add(s.overdue())
	switch {
	case s.have == nil || s.have.Message != "" && s.Causes.Names(s.have.Message):
	case s.have.Phase != kind.Ready:
		add(cmp.Or(s.have.Message, string(s.have.Phase)))
	default:
		add(s.have.Message)
	}
	return strings.Join(said, "; ")
}

// broken reports whether the cloud shows the object as failed.
func (s Step) broken() bool { return s.have != nil && s.have.Phase == kind.Failed }

// plain is what is to be done.
func (s Step) plain() string {
	switch s.Action {
	case Create:
		return "to be created"
	case Update:
		return s.updating()
	case Recreate:
		return "to be deleted and made again"
	case Delete:
		return "to be deleted"
	case Detach:
		return "to be let go"
	case Keep, Wait, Refuse:
	}
	return ""
}

// updating is what an update does.
func (s Step) updating() string {
	if s.OnlyNoted() {
		return "to be adopted; nothing changes"
	}
	return "to be changed: " + fieldNames(s.Known())
}
