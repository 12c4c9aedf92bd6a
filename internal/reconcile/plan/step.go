package plan

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// Action is what a step does.
type Action string

// The actions of a step.
const (
	Keep     Action = "keep"    // nothing is done, usually because the object equals its manifest.
	Create   Action = "create"  // make the object.
	Update   Action = "update"  // change it in place.
	Recreate Action = "replace" // delete it and create it again.
	Delete   Action = "delete"  // delete it.
	Detach   Action = "detach"  // remove its mark: it stays in the cloud, and no stack owns it.
	Wait     Action = "wait"    // nothing can be done before something else happens.
	Refuse   Action = "refuse"  // nothing is done until a person corrects or decides something.
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
	// Causes say why the step has its action. Each reason comes before its consequences.
	Causes cause.List
	// Error is true if the step cannot be carried out until a person changes something: the manifest, the cloud's offer, or a limit of the
	// brake.
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
	// Within is the group that an object without a manifest belonged to, as a member or as a part of a member. The manifest is gone because
	// the group has fewer members now. Within is only shown to people.
	Within manifest.Key
	// From is the earlier name for which the object was created; "" if its name has not changed.
	From string
}

// Comparison is how the object in the cloud differs from its manifest.
type Comparison struct {
	Changes []kind.Change
	// Ignored are the differences that stay because the annotation stackreeve.dev/ignore-fields of the object names them. The plan's hash does not
	// include them.
	Ignored []kind.Change
	// Names has, for each ID in the values of Changes and Ignored, the name of the object with that ID. "Network/front" is an object of the
	// stack, or one that it imports. "Network front" is any other object of the cloud.
	Names map[string]string
	// Adopts is true if the object in the cloud belongs to no stack yet, and the step makes it an object of the stack. The manifest
	// requests that with spec.import or an annotation.
	Adopts bool
	Drift  bool // no commit explains the difference
	// Trace says who caused drift. It is nil if the cloud was not asked, and the zero Trace if the cloud does not report it. No hash
	// includes it.
	Trace *kind.Trace
}

// Order has the conditions that a step has to wait for.
type Order struct {
	// Awaits are the keys that must be ready first. Blockers are the objects in the cloud, as Kind/name, that must first detach from this one.
	Awaits   []manifest.Key
	Blockers []string
	// Turn is another reason to wait: another member of the group comes first, or a list has to be complete first. The objects that the step then waits
	// for are in Awaits, too.
	Turn cause.Cause
}

// Remarks are only shown to people.
type Remarks struct {
	Notes []kind.Note
	// Loss lists what is lost, besides the ID, if the step deletes or replaces the object. If the step changes the object, Loss lists what
	// the object loses.
	Loss []string
}

// Object has the object of a step, as its manifest and as the cloud describe it.
type Object struct {
	Want   *kind.Desired // nil if no manifest describes the object any more.
	Have   *kind.Live    // nil if the cloud has none.
	Viewed *kind.Want    // Want in the form that the functions of its kind get, see [Step.View]. Package decide sets it, and [Step.Recorded] drops it.
	Lost   string        // the ID of an object that existed and is gone, if known.
	// Surplus is true for a copy: another object in the cloud has the same mark, and that one is the stack's.
	Surplus bool
	// Obstacle is why an object that the manifest only refers to cannot be used; "" if it can.
	Obstacle Obstacle
	// Uncounted are the differences of an object that is suspended or frozen. Like Ignored, these differences are not counted anywhere.
	Uncounted []kind.Change
	Upkeep    *kind.Upkeep     // upkeep that becomes due with time; nil for an object without any.
	Secrets   *redact.Redactor // removes secrets that must not be shown.
}

// Manner says which special rules led to the step. A field without a value means that its rule does not apply.
type Manner struct {
	Frozen      bool // the object is not changed, because its group freezes it, an object that stays uses it, or a new object that would replace it cannot be created.
	OfSuspended bool // no manifest describes the object any more, and it was a part of a suspended object.
	InUse       bool // the object would be deleted if no other object used it.
	Spare       bool // the object was made for a spare that its group no longer needs.
	Healing     bool // the step heals a member.
	Unused      bool // the step replaces an object that was never usable, so nothing is lost.
	Proposed    bool // an import finds a newer object, and no commit asked for the change.
	IsUpkeep    bool // the step is upkeep that became due with time.
	// Outrun are the changes that are not made because they only result from an import that finds a newer object now.
	Outrun []kind.Change
	// Left is the action that the step would have if the plan were not limited to other objects; "" if the step is not left out.
	Left              Action
	ManifestUnchanged bool // the last manifest that was applied to the object is the present one, or none was applied yet.
}

// Membership has the facts that a group knows about a step of one of its members. Package group sets them through the steps that it gets, and
// package decide sets Crowded. Part is set after all objects of a plan are decided, the other fields when its steps are finished:
//
//	field                   set by
//	---------------------   ------------------------------------------------------------------------------
//	Part                    everyGroup
//	Judges                  takeTurns
//	Settles                 [Step.AwaitServing]; also for objects that send traffic to members or report on them
//	IsWorker, Unanswering   MarkWorkers
//	Sick                    MarkWorkers; ExplainUnhealed adds why the member is not healed
//	Crowded                 markCrowded (decide/crowded.go)
type Membership struct {
	Part        *Part     // the group and the member of the object; nil if it belongs to none.
	Settles     *Settling // why the pass checks the object again until it serves; nil if it need not.
	IsWorker    bool      // the object does the work of the member; false until MarkWorkers has run.
	Unanswering bool      // the probes are sure that the member does not serve.
	Sick        string    // why the member does not serve according to its probes, and why it is not healed; "" for neither.
	Crowded     string    // the objects on the same host that should be kept apart from this one; "" if there is none.
	Judges      []string  // kinds of the objects that report whether the other members serve. Their lists must be at least as new as the list of this object.
}

// Consent has the values that an approval of the step includes, and the decisions of people about it.
type Consent struct {
	Bound            *Bound // checksums of the manifest that an approval binds; nil if the step writes nothing.
	FollowsReference bool   // the object has to be written because an object that it refers to gets a new ID.
	Continues        bool   // people approved the step before this process began.
	DataAtStake      bool   // the step loses data that exists nowhere else.
	Target           string // the checksum that the mark of the created machine will have if people approved the step (see package decide, continues.go).
	LossAllowed      *bool  // whether the manifests allow the loss of data (DataAtStake); nil if they do not say.
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

// Alters reports whether users of the object may see a change after the step: it writes more than the mark.
func (s Step) Alters() bool {
	return s.Action == Create || s.Action == Recreate ||
		s.Action == Update && slices.ContainsFunc(s.Changes, func(c kind.Change) bool { return c.Field != kind.MarkField })
}

// Unmanaged reports whether the step is about an object that the stack only imports.
func (s Step) Unmanaged() bool { return s.Want != nil && s.Want.Unmanaged }

// Recorded returns the step in the form that is stored. It has no Viewed, because otherwise the planner and all lists of a round would stay in
// memory.
func (s Step) Recorded() Step {
	s.Viewed = nil
	return s
}

// Identity returns a text that identifies the step in every round of a pass.
func (s Step) Identity() string {
	if s.Surplus || s.Want == nil {
		return s.Key.String() + "#" + s.ID()
	}
	return s.Key.String()
}

// FullCause returns, in words, the causes of the step and what it has to wait for.
func (s Step) FullCause() string { return s.Why().String() }

// Why returns the causes of the step and what it has to wait for.
func (s Step) Why() cause.List {
	if s.Turn.IsZero() {
		return s.Causes
	}
	return s.CauseList().And(s.Turn)
}

// ShortCause returns, in few words, the cause of the step, or the first field that differs.
func (s Step) ShortCause() string { return s.CauseList().And(s.Turn).String() }

// CauseList returns the causes of the step. If it has none, the cause is the first field that differs.
func (s Step) CauseList() cause.List {
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

// Entry returns the entry of clouds.yaml whose credentials carry out the step. It is the manifest's entry if that entry shows the object;
// otherwise the entry that found the object.
func (s Step) Entry() string {
	switch {
	case s.Want != nil && !s.Surplus && (s.Have == nil || s.Have.SeenBy(s.Want.Entry) != nil):
		return s.Want.Entry
	case s.Have != nil:
		return s.Have.Entry
	}
	return ""
}

// OtherEntries returns the further entries that show an object without a manifest. The object may have been created through any of them.
func (s Step) OtherEntries() (entries []string) {
	if s.Have == nil || s.Want != nil && !s.Surplus {
		return nil
	}
	for i := range s.Have.OtherViews {
		if entry := s.Have.OtherViews[i].Entry; entry != s.Entry() {
			entries = append(entries, entry)
		}
	}
	return entries
}

// View returns the desired object in the form that the driver of its kind gets. It is empty for a recorded step.
func (s Step) View() kind.Want {
	if s.Viewed == nil {
		return kind.Want{}
	}
	return *s.Viewed
}

// WithAction returns the step with another action and causes, and without a Turn.
func (s Step) WithAction(action Action, causes ...cause.Cause) Step {
	s.Action, s.Causes, s.Turn = action, cause.List(nil).And(causes...), cause.Cause{}
	return s
}

// Refused returns the step as an error: nothing is done until a person changes something.
func (s Step) Refused(causes ...cause.Cause) Step {
	s.Error = true
	return s.WithAction(Refuse, causes...)
}

// Recording returns the approved step. The mark that it writes to the machine contains Target.
func (s Step) Recording() Step {
	if s.Target == "" || s.Viewed == nil {
		return s
	}
	view := *s.Viewed
	view.Mark.Target = s.Target
	s.Viewed = &view
	return s
}
