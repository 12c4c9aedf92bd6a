package plan

import (
	"cmp"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// Action is what a step does.
type Action string

// The actions. A step is one of these and nothing else.
const (
	Keep     Action = "keep"    // as wanted
	Create   Action = "create"  // make it
	Update   Action = "update"  // change it where it stands
	Recreate Action = "replace" // delete it and create it again
	Delete   Action = "delete"  // remove it
	Detach   Action = "detach"  // take its mark off: it stays in the cloud, and no stack owns it
	Wait     Action = "wait"    // nothing can be done before something else happens
	Refuse   Action = "refuse"  // will not be done until a person decides
)

// Writes reports whether the action changes the cloud.
func (a Action) Writes() bool {
	return a == Create || a == Update || a == Recreate || a == Delete || a == Detach
}

// Destroys reports whether the action deletes something.
func (a Action) Destroys() bool { return a == Recreate || a == Delete }

// Step is one decision for one key. It is data: printing, comparing or hashing
// it changes nothing.
type Step struct {
	Key    manifest.Key
	Action Action
	// Causes are why the step is what it is, the reason before what follows from it.
	Causes cause.List
	// Error is true when the step cannot go on without a person: the manifest,
	// the cloud's offer or a brake must change.
	Error bool
	Drift bool // the difference is not explained by a commit
	// Trace is who made the difference, of drift; nil where nobody asked the cloud, and
	// the zero Trace where it does not report it. No hash knows it.
	Trace   *kind.Trace
	Changes []kind.Change
	// Ignored are the differences that stay because the object's annotation
	// stackreeve.dev/ignore-fields names them: nothing is done about them, and the
	// plan's hash does not know them.
	Ignored []kind.Change
	// Awaits are the keys that must be ready first, Blockers, as Kind/name,
	// objects in the cloud that must detach from this one first.
	Awaits   []manifest.Key
	Blockers []string
	Origin   manifest.Origin
	Parent   manifest.Key
	Notes    []kind.Note
	// Loss is what is lost with the object, besides its ID, when the step deletes
	// or replaces it, or what the object loses when the step changes it; for people.
	Loss []string
	// Adopts is true when the object in the cloud belongs to no stack so far, and becomes the
	// stack's because spec.import.id names it.
	Adopts bool
	// Within is the group that the object was a member of, or a part of a member, when
	// its manifest is gone because the group has fewer members now; for people.
	Within manifest.Key
	// From is the name that the object was made for, where that is another one; "" where it is not.
	From string
	// Turn is what the step has to come after, besides what it refers to: another member of its group, or what has to be seen first.
	Turn cause.Cause
	// Names say what IDs among the values of Changes and Ignored stand for, by ID:
	// "Network/front" is an object of the stack or one that it imports, "Network front"
	// what else the cloud has.
	Names map[string]string

	// What follows is for the program; a step is written down without it.
	Object     `json:"-"`
	Manner     `json:"-"`
	Membership `json:"-"`
	Consent    `json:"-"`
}

// Object is what a step is about, as its manifest and the cloud have it.
type Object struct {
	Want   *kind.Desired // nil of what no manifest stands for any more
	Have   *kind.Live    // nil when there is none
	Viewed *kind.Want    // Want as its kind sees it, see [Step.View]
	Lost   string        // the ID of an object that was there and is gone, if it is known
	// Surplus is true of a copy: the object with this mark exists besides.
	Surplus bool
	// Obstacle is why what the manifest only refers to cannot be used; "" where nothing is in the way.
	Obstacle Obstacle
	// Aside are the differences of an object that is suspended, or left as it is: like those that are ignored
	// they are counted nowhere.
	Aside   []kind.Change
	Upkeep  *kind.Upkeep     // what time makes due of it; nil for nothing ever
	Secrets *redact.Redactor // what must not be shown of it
}

// Manner is by which rule a step came about, where its action does not say that.
type Manner struct {
	Frozen      bool // it stays as it is: by its group, or since what stays uses it or needs its place
	OfSuspended bool // no manifest has it any more, and what is suspended had
	InUse       bool // nothing but a user is in the way of its deletion
	Spare       bool // it was made for a member that its group does not need any more
	Healing     bool // it brings a member back
	Unused      bool // it replaces an object that nobody could use yet: nothing is lost with it
	Tends       bool // it does what time makes due
	OfThis      bool // this very manifest was applied to the object last, or nothing was yet
}

// Membership is what the groups of the stack know of a step of a member of theirs.
type Membership struct {
	Part        *Part     // where members stand in for each other; nil for what is a part of none
	Settles     *Settling // what others wait for, of an object that has to be well again first; nil when nobody waits
	IsWorker    bool      // the object does the work of a member
	Sick        string    // why it does not serve, as the member's probes have found; "" when they have not
	Unanswering bool      // the probes are sure of that
	Crowded     string    // with which objects it shares a host that are to be kept apart from it; "" for none
	Judges      []string  // kinds of what says whether the members of its group serve: they have been listed no earlier than the object that the step interrupts
}

// Consent is what people approve of with a step, and what they have said of it.
type Consent struct {
	Bound       *Bound // what an approval binds of the manifest; nil where nothing is written
	Follows     bool   // the object has to be written because what it refers to gets a new ID
	Target      string // what the machine that it makes shall bear if people approved of it (see package decide, target.go)
	Continues   bool   // they have approved of it before this process began
	DataAtStake bool   // it loses data which is nowhere else
	LossAllowed *bool  // what manifests say of that; nil for nothing
}

// Disruption is the worst that the step does to users of the object.
func (s Step) Disruption() kind.Disruption {
	switch s.Action {
	case Recreate, Delete:
		return kind.Replace
	case Update:
		return Worst(s.Changes)
	case Keep, Create, Detach, Wait, Refuse:
	}
	return kind.InPlace
}

// ID is the object's identifier in the cloud, "" when there is none.
func (s Step) ID() string {
	if s.Have == nil {
		return ""
	}
	return s.Have.ID
}

// fingerprint is of the step exactly as it is shown.
func (s Step) fingerprint() Print {
	changes := slices.Clone(s.Changes)
	slices.SortStableFunc(changes, func(a, b kind.Change) int { return cmp.Compare(a.Field, b.Field) })
	all := checksum.New("exact")
	all.Add(s.Key.Group, s.Key.String(), string(s.Action), s.ID())
	for _, c := range changes {
		all.Add(c.Field, resolve.Canonical(c.Have), resolve.Canonical(c.Want), c.Disruption.String(), c.Way)
	}
	all.AddSums(s.Bound.whole())
	return all.Sum()
}

// Alters reports whether what others see of the object may be another after the step: more than its mark is written.
func (s Step) Alters() bool {
	return s.Action == Create || s.Action == Recreate ||
		s.Action == Update && slices.ContainsFunc(s.Changes, func(c kind.Change) bool { return c.Field != kind.MarkField })
}

// Unmanaged reports whether the step is about an object that is only used.
func (s Step) Unmanaged() bool { return s.Want != nil && s.Want.Unmanaged }

// Recorded is the step as it is kept: without what it was planned with, which
// would keep a whole round's planner and lists alive.
func (s Step) Recorded() Step {
	s.Viewed = nil
	if s.Have != nil {
		have := *s.Have
		s.Have = &have
	}
	return s
}

// Identity identifies a step across rounds.
func (s Step) Identity() string {
	if s.Surplus || s.Want == nil {
		return s.Key.String() + "#" + s.ID()
	}
	return s.Key.String()
}

// Reason is why the step is what it is, and what it has to come after, in words.
func (s Step) Reason() string {
	if s.Turn.IsZero() {
		return s.Causes.String()
	}
	return s.Why()
}

// Why says in few words what a step is about.
func (s Step) Why() string { return s.Because().And(s.Turn).String() }

// Because is what a step is about: where nothing else is said, the first field that differs.
func (s Step) Because() cause.List {
	if len(s.Causes) > 0 || len(s.Changes) == 0 {
		return s.Causes
	}
	return cause.List{cause.Of(cause.Field, s.Changes[0].Field)}
}

// Worst is the worst that changes do to users of an object.
func Worst(list []kind.Change) kind.Disruption {
	d := kind.InPlace
	for _, c := range list {
		d = max(d, c.Disruption)
	}
	return d
}

// Through is the entry of clouds.yaml that the step is carried out through: the manifest's,
// where that shows the object, and otherwise the one that the object was found by.
func (s Step) Through() string {
	switch {
	case s.Want != nil && !s.Surplus && (s.Have == nil || s.Have.As(s.Want.Entry) != nil):
		return s.Want.Entry
	case s.Have != nil:
		return s.Have.Through
	}
	return ""
}

// Others are the further entries that show the object of a step, where no manifest says by which one it is made: it may
// have been made by any of them.
func (s Step) Others() (entries []string) {
	if s.Have == nil || s.Want != nil && !s.Surplus {
		return nil
	}
	for i := range s.Have.Also {
		if entry := s.Have.Also[i].Through; entry != s.Through() {
			entries = append(entries, entry)
		}
	}
	return entries
}

// View is that object as its kind's driver sees it. A recorded step has none.
func (s Step) View() kind.Want {
	if s.Viewed == nil {
		return kind.Want{}
	}
	return *s.Viewed
}

// Settling is what others of its group, or the group itself, wait for of an object.
type Settling struct {
	Whom     manifest.Key  // the member, where the object only reports of it; zero for the object itself
	Until    time.Time     // when it has worked for long enough; the zero time when something else is waited for
	Patience time.Duration // how long they wait; 0 where the group does not say
	Failing  time.Time     // since when it has not served after it was changed; the zero time where that is not sure
}

// Settling is true when something else waits until the object is well again.
func (s Step) Settling() bool { return s.Settles != nil }

// Until is when what is settling has worked for long enough; the zero time when something
// else is waited for.
func (s Step) Until() time.Time {
	if s.Settles == nil {
		return time.Time{}
	}
	return s.Settles.Until
}

// Patience is how long others wait for what is settling; 0 where the group does not say. Failing is since when
// it has not served after it was changed; the zero time where that is not sure.
func (s Step) Patience() (limit time.Duration, failing time.Time) {
	if s.Settles == nil {
		return 0, time.Time{}
	}
	return s.Settles.Patience, s.Settles.Failing
}

// Whom is the member of a group that the object reports not to serve, of one that is waited for because of that; zero for others.
func (s Step) Whom() manifest.Key {
	if s.Settles == nil {
		return manifest.Key{}
	}
	return s.Settles.Whom
}

// WithAction is the step with another action, and why; what it had to come after counts no more.
func (s Step) WithAction(action Action, causes ...cause.Cause) Step {
	s.Action, s.Causes, s.Turn = action, cause.List(nil).And(causes...), cause.Cause{}
	return s
}

// Recording is the step with what a machine bears that it makes by an approval.
func (s Step) Recording() Step {
	if s.Target == "" || s.Viewed == nil {
		return s
	}
	view := *s.Viewed
	view.Mark.Target = s.Target
	s.Viewed = &view
	return s
}
