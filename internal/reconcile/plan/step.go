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

// The actions of a step.
const (
	Keep     Action = "keep"    // equal to its manifest; nothing is done.
	Create   Action = "create"  // make the object.
	Update   Action = "update"  // change it in place.
	Recreate Action = "replace" // delete it and create it again.
	Delete   Action = "delete"  // delete it.
	Detach   Action = "detach"  // remove its mark: it stays in the cloud, and no stack owns it.
	Wait     Action = "wait"    // nothing can be done before something else happens.
	Refuse   Action = "refuse"  // nothing is done until a person decides.
)

// Writes reports whether the action changes the cloud.
func (a Action) Writes() bool {
	return a == Create || a == Update || a == Recreate || a == Delete || a == Detach
}

// Destroys reports whether the action deletes something.
func (a Action) Destroys() bool { return a == Recreate || a == Delete }

// Step is one decision for one key. It is data: printing, comparing or hashing it changes nothing.
type Step struct {
	Key    manifest.Key
	Action Action
	// Causes say why the step is what it is, each reason before its consequences.
	Causes cause.List
	// Error is true when the step cannot go on without a person: the manifest, what the cloud offers, or a limit of the brake must change.
	Error bool

	Source
	Comparison
	Order
	Remarks

	// These parts are for the program. They are not stored with a step.
	Object     `json:"-"`
	Manner     `json:"-"`
	Membership `json:"-"`
	Consent    `json:"-"`
}

// Source says which manifest a step comes from, and what its object belonged to.
type Source struct {
	Origin manifest.Origin
	Parent manifest.Key
	// Within is the group that an object without a manifest belonged to as a member, or as a part of one. Its manifest is gone because the group has
	// fewer members now. It is for people.
	Within manifest.Key
	// From is the name that the object was made for, if that is another name than the present one.
	From string
}

// Comparison is how the object in the cloud differs from its manifest.
type Comparison struct {
	Changes []kind.Change
	// Ignored are the differences that stay because the annotation stackreeve.dev/ignore-fields of the object names them. The plan's hash does not
	// include them.
	Ignored []kind.Change
	// Names say which objects IDs in the values of Changes and Ignored stand for, by ID. "Network/front" is an object of the stack, or one that it
	// imports. "Network front" is any other object of the cloud.
	Names map[string]string
	// Adopts is true when the object in the cloud belongs to no stack yet, and the step makes it the stack's. Its manifest asks for that by
	// spec.import or by an annotation.
	Adopts bool
	Drift  bool // no commit explains the difference
	// Trace says who made a difference that is drift. It is nil where nobody asked the cloud, and the zero Trace where the cloud does not report it.
	// No hash includes it.
	Trace *kind.Trace
}

// Order is what a step has to wait for.
type Order struct {
	// Awaits are the keys that must be ready first. Blockers are the objects in the cloud, as Kind/name, that must first detach from this one.
	Awaits   []manifest.Key
	Blockers []string
	// Turn is what the step has to come after, in addition to what it refers to: another member of its group, or a list that has to be complete
	// first.
	Turn cause.Cause
}

// Remarks are for people.
type Remarks struct {
	Notes []kind.Note
	// Loss is what is lost besides the object's ID when the step deletes or replaces the object, or what the object loses when the step changes it.
	Loss []string
}

// Object has the object of a step, as its manifest and as the cloud describe it.
type Object struct {
	Want   *kind.Desired // nil if no manifest describes the object any more.
	Have   *kind.Live    // nil if the cloud has none.
	Viewed *kind.Want    // Want as its kind sees it, see [Step.View].
	Lost   string        // the ID of an object that existed and is gone, if known.
	// Surplus is true of a copy: another object has this mark, too.
	Surplus bool
	// Obstacle is why an object that the manifest only refers to cannot be used; "" if it can.
	Obstacle Obstacle
	// Aside are the differences of an object that is suspended or frozen. Like Ignored, they are not counted anywhere.
	Aside   []kind.Change
	Upkeep  *kind.Upkeep     // upkeep that time makes due; nil for an object without any.
	Secrets *redact.Redactor // secrets that must not be shown.
}

// Manner says by which rule a step came about, where its action does not say that.
type Manner struct {
	Frozen      bool // the object stays as it is: its group keeps it so, an object that stays uses it, or a new object that needs its place cannot be created.
	OfSuspended bool // no manifest describes the object any more, and it was a part of a suspended one.
	InUse       bool // only a user of the object prevents its deletion.
	Spare       bool // the object was made for a spare that its group no longer needs.
	Healing     bool // the step heals a member.
	Unused      bool // the step replaces an object that nobody could use yet: nothing is lost with it.
	Tends       bool // the step is upkeep that time makes due.
	OfThis      bool // this very manifest was applied to the object last, or none was yet.
}

// Membership is what groups know about a step of one of their members.
type Membership struct {
	Part        *Part     // the group and the member of the object; nil if it belongs to none.
	Settles     *Settling // why others wait until the object is well; nil if nobody waits.
	IsWorker    bool      // the object does the work of the member.
	Sick        string    // why the member does not serve, as its probes found; "" if they found nothing.
	Unanswering bool      // the probes are sure of that.
	Crowded     string    // the objects on the same host that should be kept apart from this one; "" for none.
	Judges      []string  // kinds of the objects that report whether the other members serve. Their lists must be at least as new as the list of this object.
}

// Consent is what people approve with a step, and what they have said about it.
type Consent struct {
	Bound       *Bound // what an approval binds of the manifest; nil if the step writes nothing.
	Follows     bool   // the object has to be written because an object that it refers to gets a new ID.
	Target      string // the sum that the created machine will bear if people approved it (see package decide, target.go).
	Continues   bool   // people approved the step before this process began.
	DataAtStake bool   // the step loses data that exists nowhere else.
	LossAllowed *bool  // what manifests say about that loss; nil if they say nothing.
}

// Disruption is the worst effect of the step on users of the object.
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

// ID is the object's ID in the cloud; "" when there is none.
func (s Step) ID() string {
	if s.Have == nil {
		return ""
	}
	return s.Have.ID
}

// fingerprint stands for the step exactly as it is shown.
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

// Alters reports whether users of the object may see a change after the step: it writes more than the mark.
func (s Step) Alters() bool {
	return s.Action == Create || s.Action == Recreate ||
		s.Action == Update && slices.ContainsFunc(s.Changes, func(c kind.Change) bool { return c.Field != kind.MarkField })
}

// Unmanaged reports whether the step is about an object that the stack only imports.
func (s Step) Unmanaged() bool { return s.Want != nil && s.Want.Unmanaged }

// Recorded is the step as it is stored, without what it was planned with: that would keep the planner and the lists of a whole round alive.
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

// Reason is, in words, why the step is what it is, and what it has to come after.
func (s Step) Reason() string {
	if s.Turn.IsZero() {
		return s.Causes.String()
	}
	return s.Why()
}

// Why is, in few words, the cause of the step.
func (s Step) Why() string { return s.Because().And(s.Turn).String() }

// Because are the causes of the step; without any, the first field that differs.
func (s Step) Because() cause.List {
	if len(s.Causes) > 0 || len(s.Changes) == 0 {
		return s.Causes
	}
	return cause.List{cause.Of(cause.Field, s.Changes[0].Field)}
}

// Worst is the worst effect of changes on users of an object.
func Worst(list []kind.Change) kind.Disruption {
	d := kind.InPlace
	for _, c := range list {
		d = max(d, c.Disruption)
	}
	return d
}

// Through is the entry of clouds.yaml whose credentials carry out the step: the manifest's entry if that shows the object, otherwise the one that
// found the object.
func (s Step) Through() string {
	switch {
	case s.Want != nil && !s.Surplus && (s.Have == nil || s.Have.As(s.Want.Entry) != nil):
		return s.Want.Entry
	case s.Have != nil:
		return s.Have.Through
	}
	return ""
}

// Others are the further entries that show an object without a manifest. The object may have been made through any of them.
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

// View is the desired object as the driver of its kind sees it. A recorded step has none.
func (s Step) View() kind.Want {
	if s.Viewed == nil {
		return kind.Want{}
	}
	return *s.Viewed
}

// Settling is what the other members of a group, or the group itself, wait for from an object.
type Settling struct {
	Whom     manifest.Key  // the member that the object reports on; zero for the object itself.
	Until    time.Time     // when it has worked for long enough; the zero time when the others wait for something else.
	Patience time.Duration // how long the others wait; 0 where the group does not say.
	Failing  time.Time     // since when it has not served after a change; the zero time where that is not certain.
}

// Settling is true when others wait until the object is well again.
func (s Step) Settling() bool { return s.Settles != nil }

// Until is when the object has worked for long enough; the zero time when others wait for something else.
func (s Step) Until() time.Time {
	if s.Settles == nil {
		return time.Time{}
	}
	return s.Settles.Until
}

// Patience is how long others wait for the object; 0 where the group does not say. failing is since when it has not served after a change; the zero
// time where that is not certain.
func (s Step) Patience() (limit time.Duration, failing time.Time) {
	if s.Settles == nil {
		return 0, time.Time{}
	}
	return s.Settles.Patience, s.Settles.Failing
}

// Whom is the member that the object reports as not serving, if others wait for that; zero otherwise.
func (s Step) Whom() manifest.Key {
	if s.Settles == nil {
		return manifest.Key{}
	}
	return s.Settles.Whom
}

// WithAction is the step with another action and its causes. The Turn that it had no longer counts.
func (s Step) WithAction(action Action, causes ...cause.Cause) Step {
	s.Action, s.Causes, s.Turn = action, cause.List(nil).And(causes...), cause.Cause{}
	return s
}

// Recording is the step with the sum that its machine will bear once the step is approved.
func (s Step) Recording() Step {
	if s.Target == "" || s.Viewed == nil {
		return s
	}
	view := *s.Viewed
	view.Mark.Target = s.Target
	s.Viewed = &view
	return s
}
