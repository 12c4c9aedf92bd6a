package cause

// These are the codes of causes whose text comes from elsewhere: the cloud, a kind, a policy, a manifest.
const (
	Reported Code = "reported"  // text of the cloud.
	Unlisted Code = "unlisted"  // the reason why a list failed.
	Field    Code = "field"     // a field that differs.
	Policy   Code = "policy"    // text of a policy of the configuration.
	Window   Code = "window"    // the reason why nothing may be destroyed at this time.
	Phase    Code = "phase"     // the state of the object in the cloud.
	Failed   Code = "failed"    // the object is broken; text of the cloud.
	Told     Code = "told"      // text of the agent that serves the stack.
	Kind     Code = "kind-says" // text of a kind about its service.
	Tried    Code = "tried"     // the reason why a request failed.
)

// Codes about the present state of objects.
const (
	NotLooked       Code = "not-looked-up"
	SameMark        Code = "same-mark"
	NotThere        Code = "not-there"
	NameTaken       Code = "name-taken"
	NameAdoptable   Code = "name-adoptable"
	PerhapsThrough  Code = "perhaps-through-another-entry"
	BeingDeleted    Code = "being-deleted"
	RecreatedLater  Code = "recreated-when-gone"
	Suspended       Code = "suspended"
	ValueUnknown    Code = "value-unknown"
	CannotCreate    Code = "cannot-be-created"
	AnotherDoubtful Code = "another-may-be-refused"
	AnotherCannot   Code = "another-cannot-be-created"
	UsedApart       Code = "object-of-another-stack"
	Was             Code = "was"
	Cautious        Code = "newer-commit"
	OnlyReported    Code = "only-reported"
	Due             Code = "due"
	WithoutLate     Code = "without-late"
	SameUnderName   Code = "same-under-another-name"
	AsksForTheSame  Code = "asks-for-the-same"
	ElsewhereByMark Code = "in-another-project"
	NoProjectLeads  Code = "no-project-leads-there"
	OtherProject    Code = "manifest-names-another-project"
)

// Codes about objects that are no longer wanted.
const (
	Gone             Code = "gone"
	StackEnds        Code = "stack-ends"
	FewerMembers     Code = "fewer-members"
	StillReferred    Code = "still-referred-to"
	PartOfSuspended  Code = "part-of-suspended"
	MarkStays        Code = "mark-stays"
	MarkHeld         Code = "mark-held"
	LetGo            Code = "let-go"
	LeftAsAsked      Code = "left-as-asked"
	GoneAnd          Code = "gone-and"
	Beyond           Code = "beyond-the-size"
	SpareUnneeded    Code = "spare-unneeded"
	KeptUnpruned     Code = "kept-unpruned"
	MarkUnpruned     Code = "mark-kept-unpruned"
	KeptUnverified   Code = "kept-unverified"
	KeptForUser      Code = "kept-for-user"
	KeptForGroup     Code = "kept-for-group"
	KeptInstead      Code = "kept-instead"
	KeptForOthers    Code = "kept-for-others"
	HoldsBack        Code = "holds-back"
	CannotDelete     Code = "cannot-be-deleted"
	CannotReplace    Code = "cannot-be-replaced"
	StillUsed        Code = "still-used"
	UserLetGo        Code = "user-let-go"
	UserBecause      Code = "user-because"
	ReplaceTogether  Code = "replace-together"
	UseAnother       Code = "use-another"
	CopyGoing        Code = "copy-going"
	HalfMade         Code = "half-made"
	HalfMadeLeft     Code = "half-made-left"
	AddressesOfOther Code = "addresses-of-another"
)

// Codes about marks.
const (
	MarkOfImported Code = "mark-of-imported"
	AdoptedTwice   Code = "adopted-twice"
	Misplaced      Code = "misplaced-mark"
	Several        Code = "several-have-the-mark"
	SeveralNames   Code = "exists-under-both-names"
	Contested      Code = "several-owners"
	Copied         Code = "copied-mark"
	OnlyCopied     Code = "only-copied"
	CopyBeside     Code = "copy-beside"
	Unmark         Code = "unmark"
	UnmarkBy       Code = "unmark-by"
	LeftBehind     Code = "left-behind"
)

// Codes about imports and adoptions.
const (
	WaitsFor         Code = "waits-for"
	NotDescribed     Code = "not-in-the-repository"
	NoID             Code = "no-such-id"
	NoSuch           Code = "no-such"
	NoMatch          Code = "no-match"
	NoName           Code = "no-such-name"
	CorrectName      Code = "correct-the-name"
	NearestNames     Code = "nearest-names"
	ImportFailed     Code = "import-failed"
	ManyMatch        Code = "many-match"
	ManyNamed        Code = "many-match-named"
	Vanished         Code = "vanished"
	NamelessPart     Code = "nameless-part"
	Nameless         Code = "nameless"
	NoneNamedPart    Code = "none-named-part"
	NoneNamed        Code = "none-named"
	NoneMatches      Code = "none-matches"
	SeveralToAdopt   Code = "several-to-adopt"
	SeveralToAdoptOf Code = "several-to-adopt-named"
	RenameOthers     Code = "rename-the-others"
	NarrowOrID       Code = "narrow-or-give-id"
	NarrowImport     Code = "narrow-the-import"
	AdoptedBy        Code = "adopted-by"
	MarkUnwritable   Code = "mark-unwritable"
	UnadoptableID    Code = "unadoptable-id"
	Unadoptable      Code = "unadoptable"
	WantedOtherwise  Code = "wanted-otherwise"
	OwnedByOther     Code = "owned-by-another"
	AdoptFirst       Code = "adopt-first"
	WasAdopted       Code = "was-adopted"
	GiveID           Code = "give-an-id"
)

// Codes about changes.
const (
	FixedField    Code = "fixed-field"
	Barred        Code = "barred"
	BarredWay     Code = "barred-way"
	BarredImport  Code = "barred-import"
	OtherWay      Code = "other-way"
	MaybeUsed     Code = "maybe-used"
	Requested     Code = "requested"
	RequestBarred Code = "request-barred"
	RequestedName Code = "requested-name"
	TakesLeft     Code = "takes-what-is-left"
	ClaimRefused  Code = "claim-refused"
	Claim         Code = "claim"
	ClaimTaken    Code = "claim-taken"
	ClaimOverlaps Code = "claim-overlaps"
	ClaimRenamed  Code = "claim-overlaps-gone"
	RivalAsks     Code = "rival-asks"
	ChooseAnother Code = "choose-another"
	ChooseOthers  Code = "choose-others"
	ChooseRange   Code = "choose-another-range"
	ChooseForOne  Code = "choose-for-one"
	RivalOverlaps Code = "rival-overlaps"

	RequestedImport Code = "requested-import"
	Proposed        Code = "proposed"
)

// Codes about groups.
const (
	LeftFor         Code = "left-for"
	LeftOnDelete    Code = "left-on-delete"
	LeftPaused      Code = "left-paused"
	LeftPartition   Code = "left-partition"
	DownFor         Code = "down-for"
	Unanswering     Code = "unanswering"
	HealsOnApproval Code = "heals-on-approval"
	Turn            Code = "turn"
	TurnWorked      Code = "turn-worked"
	TurnSick        Code = "turn-sick"
	TurnMore        Code = "turn-more"
	MoreServe       Code = "more-serve"
	Drained         Code = "drained"
	WentBack        Code = "went-back" // the earlier commit of a group, and the reason why the group went back
	NoHistory       Code = "no-history"
	Seen            Code = "seen"
	AllSeen         Code = "all-seen"
)

// Codes about the needs of a plan as a whole.
const (
	Doubtful          Code = "may-be-refused"
	OfObject          Code = "of-object" // a cause, and the object that it is about
	TooFewAddresses   Code = "too-few-addresses"
	GivesAddresses    Code = "gives-addresses"
	SubnetsGive       Code = "subnets-give"
	OthersHave        Code = "others-have"
	NoZone            Code = "no-zone"
	ZonesAre          Code = "zones-are"
	TooFewHosts       Code = "too-few-hosts"
	TooFewHostsInZone Code = "too-few-hosts-in-zone"
	EntriesUnchecked  Code = "entries-unchecked"
	QuotaUnknown      Code = "quota-unknown"
	ZonesUnknown      Code = "zones-unknown"
	HostsUnknown      Code = "hosts-unknown"
)

// Codes for the reasons why a plan is held as a whole.
const (
	OverLimit        Code = "over-limit"
	OverAll          Code = "everything"
	OverKind         Code = "over-limit-of-kind"
	OverGroup        Code = "over-limit-in-group"
	LosesData        Code = "loses-data"
	EveryChange      Code = "every-change"
	OtherHash        Code = "another-hash"
	WrongApproval    Code = "wrong-approval"
	NotSince         Code = "approved-before-drift"
	Forgotten        Code = "approvals-forgotten"
	Grown            Code = "grown"
	GrownMore        Code = "grown-more"
	Approved         Code = "approved"
	ApprovedBy       Code = "approved-by"
	OtherCredentials Code = "credentials-of-another-project"
	PerhapsInSync    Code = "perhaps-in-sync-elsewhere"
	InSyncElsewhere  Code = "in-sync-elsewhere"
)

// Codes for the destructive actions of a plan.
const (
	Deletes  Code = "deletes"
	Replaces Code = "replaces"
	Wipes    Code = "wipes"
	CutsOff  Code = "cuts-off"
)

// words are the texts that people read. Each %s is an argument of the cause, in this order.
var words = map[Code]string{
	Reported: "%s", Unlisted: "%s", Field: "%s", Window: "%s", Told: "%s", Kind: "%s", Unanswering: "%s", Tried: "%s", WentBack: "%s",
	Policy: "policy %s",
	Phase:  "%s %s",
	Failed: "failed: %s",

	NotLooked:       "not looked up yet",
	SameMark:        "the object would have the same owner mark as %s; rename one of the two",
	NotThere:        "it does not exist",
	NameTaken:       "the name %s is taken by %s, which stack %s did not make; rename one of the two",
	NameAdoptable:   "the name %s is taken by %s, which stack %s did not make; rename one of the two, or adopt it with spec.import.id: %s",
	PerhapsThrough:  "the object may exist already, made through %s, whose objects cannot be listed (%s); the object is not created until this list can be read, or until the entry is removed from spec.clouds of the stack's configuration",
	BeingDeleted:    "is being deleted",
	RecreatedLater:  "recreated after it is deleted",
	Suspended:       "suspended",
	ValueUnknown:    "a value that the object needs is unknown: %s",
	CannotCreate:    "cannot be created: %s",
	AnotherDoubtful: "the cloud may refuse to create the new object: %s; to replace the object nevertheless, set the annotation %s: allow",
	AnotherCannot:   "the new object cannot be created: %s",
	UsedApart:       "%s: %s belongs to stack %s, and no other stack may use it; move this manifest to that stack, or set sync.objectsOfOtherStacks: allow in the configuration of stack %s",
	Was:             "was %s",
	Cautious:        "not changed, because a newer commit may have been applied already; that commit is refused now",
	OnlyReported:    "only reported",
	WithoutLate:     "created without its references to %s, which are added later",
	Due:             "is due",
	SameUnderName:   "%[1]s is the same except for its name; to rename this object instead of deleting it, give %[1]s the annotation %[2]s: %[3]s",
	AsksForTheSame:  "%[1]s asks for a value that this object has and that only one object can have; to rename this object instead of deleting it, give %[1]s the annotation %[2]s: %[3]s",

	ElsewhereByMark: "%s has the mark of this object, but is in project %s, which %s; it is not changed; to manage it, name that project in the manifest; if you do not want that, %s",
	NoProjectLeads:  "no Project manifest of the repository describes",
	OtherProject:    "its manifest does not name",

	Gone:             "no longer in the repository",
	StackEnds:        "the stack ends",
	FewerMembers:     "%s has fewer members now",
	StillReferred:    "cannot be deleted while other manifests refer to it",
	PartOfSuspended:  "not changed: its name says that it is a part of %s, which is suspended",
	MarkStays:        "stays in the cloud with its mark, because the cloud cannot remove the mark of a %s",
	MarkHeld:         "stays in the cloud, and keeps its mark while %s",
	HoldsBack:        "it uses %s, which is to be deleted or replaced",
	LetGo:            "is no longer managed, and stays in the cloud as its annotation asked",
	LeftAsAsked:      "stays in the cloud, as its manifest asked",
	GoneAnd:          "%s, and %s",
	Beyond:           "%s has %s",
	SpareUnneeded:    "a further member that its group does not need any more",
	KeptUnpruned:     "kept because prune is off",
	MarkUnpruned:     "stays in the cloud, and keeps its mark because prune is off",
	KeptUnverified:   "kept because the newest commit is not verified, and nothing is deleted until it is",
	KeptForUser:      "kept because %s uses it and is not changed",
	KeptForGroup:     "kept because %[1]s uses it, and the rollout of its group does not change %[1]s now",
	KeptInstead:      "kept because %s, which would replace it, cannot be created",
	KeptForOthers:    "kept because it serves %s, which is still in use",
	StillUsed:        "cannot be deleted while %s uses it",
	CannotDelete:     "cannot be deleted while %s uses it%s; change that object so that it does not use this one, or restore this object's manifest",
	CannotReplace:    "cannot be replaced (%s) while %s uses it%s; %s",
	UserLetGo:        " (no longer in the repository, and to be detached)",
	UserBecause:      " (%s)",
	ReplaceTogether:  "allow the replacement of that object, too, or undo the change",
	UseAnother:       "create a new object with another name and refer to it there, or undo the change",
	CopyGoing:        "a surplus copy is being deleted",
	HalfMadeLeft:     "an incomplete copy, made by an interrupted request",
	HalfMade:         "incomplete copy, made by an interrupted request",
	AddressesOfOther: "cannot be created: %s still has some of its addresses, and is not replaced now",

	MarkOfImported: "%s has the mark of %s, whose manifest now only imports an object; %s, or delete the marked object",
	AdoptedTwice:   "%s asks to adopt it by %s, but manages another object already; remove %s from that manifest",
	Misplaced:      "its mark is on an object of another kind, %s %s, and no stack owns that object; %s",
	Several:        "%d objects have the mark of %s: %s; a mark can be copied, so nothing is changed; keep the right object; for each of the others, %s, or delete the object",
	SeveralNames:   "the object exists already, and an object with its former name %s (%s) exists, too, which the annotation %s names; remove the annotation, or delete the wrong object",
	Contested:      "%s has the marks of several owners (%s), so no stack owns it and nothing is changed; for each wrong owner, %s",
	Copied:         "%s %s, and its mark is a copy, so no stack owns it and nothing is changed; %s, or adopt it with spec.import.id: %s",
	CopyBeside:     "not recreated while a copy of it exists: %s",
	OnlyCopied:     "the object is not in the cloud, but a copy of it is: %s; a new object is created as soon as the copy has no mark",
	Unmark:         "remove the mark",
	UnmarkBy:       "remove the mark (%s)",
	LeftBehind:     "%s was made by this stack for %s, whose manifest was removed while other manifests still refer to it; restore the manifest, or remove the references; to keep the object unmanaged, first apply the manifest with the annotation %s: detach, then remove the manifest",

	WaitsFor:         "waits for %s",
	NotDescribed:     "is not in the repository; objects that refer to it wait",
	NoID:             "the cloud has no %s with ID %s; correct spec.import.id",
	NoSuch:           "the cloud has no such %s; %s",
	NoMatch:          "the cloud has no %s that matches spec.import.filter; correct the filter",
	NoName:           "the cloud has no %s named %s; %s",
	CorrectName:      "correct the name, or create the object in the cloud",
	NearestNames:     "similar names are %s",
	ImportFailed:     "%s: %s; nothing can depend on it",
	ManyMatch:        "%d objects match; %s",
	ManyNamed:        "%d objects match: %s; %s",
	Vanished:         "the object was %s, which somebody deleted; %s matches, too, and is not adopted automatically; to create a new object, remove %s; to adopt the object that matches, give its ID there",
	NamelessPart:     "objects of this kind have no name in the cloud, so none can be found by name; remove this part from %s, and write a manifest of its own for it",
	Nameless:         "objects of this kind have no name in the cloud, so none can be found by name; give an ID in %s",
	NoneNamedPart:    "no %s named %s can be adopted in this project; remove %s to create one",
	NoneNamed:        "no %s named %s can be adopted in this project; remove %s to create one, or give an ID there",
	NoneMatches:      "no %s that matches %s can be adopted in this project; correct it, or remove it to create one",
	SeveralToAdopt:   "%d objects match %s; %s",
	GiveID:           "give the ID of the right one there",
	RenameOthers:     "rename the others in the cloud, or write a manifest for each part of %s, and give the ID there",
	NarrowOrID:       "make the filter more exact, or give spec.import.id instead",
	NarrowImport:     "make spec.import.filter more exact, or give the ID of one object in spec.import.id",
	SeveralToAdoptOf: "%d objects match %s: %s; %s",
	AdoptedBy:        "%s is adopted by %s; correct %s, or remove one of the two manifests",
	MarkUnwritable:   "%s has no mark, and the cloud cannot write a mark on an existing %s; use the object with managementPolicy: unmanaged",
	UnadoptableID:    "no %s with ID %s can be adopted in this project; correct %s or remove it",
	Unadoptable:      "%s cannot be adopted",
	WantedOtherwise:  "%s has the mark of %s, which is in the repository, too; correct %s, or remove one of the two manifests",
	OwnedByOther:     "%s has the mark of another owner, %s, and cannot be adopted; correct %s, or %s",
	AdoptFirst:       "one step cannot both adopt and replace an object: change the manifest to match the object in the cloud, and replace the object by a later commit",
	WasAdopted:       "the object was adopted, and is not recreated while its manifest asks to adopt an object: remove %s first",

	FixedField:      "%s cannot be changed in place",
	OtherWay:        "choose another way with %s: %s, ",
	Barred:          "%s cannot be changed in place; allow it with the annotation %s: allow, %sor undo the change",
	BarredWay:       "%s cannot be changed as %s asks: %s; choose %s, or undo the change",
	BarredImport:    "%s: the import %s now finds a different object than when this object was made, although no commit changed the import; allow the replacement with the annotation %s: %s, or import the former object by its ID",
	MaybeUsed:       "the object may have been used, so it is not recreated without permission; give permission with the annotation %s: allow, or repair the object in the cloud",
	Requested:       "a person requested the replacement",
	RequestBarred:   "the annotations of the object forbid its replacement; allow it with the annotation %s: allow",
	RequestedName:   "the ID of the object is its name, so a new object would be the same",
	TakesLeft:       "the change would delete elements that the annotation %s protects from changes: %s; remove their IDs from the annotation to allow the deletion, or undo the change",
	ClaimRefused:    "%s: %s",
	Proposed:        "a newer image is proposed for %s, and no commit asked for it",
	RequestedImport: "the stack only looks this object up, so it cannot replace it",

	Claim:         "%s of %s/%s %s",
	ClaimTaken:    "is taken by %s, which stack %s did not make; %s",
	ClaimOverlaps: "overlaps %s, which stack %s did not make; %s",
	ClaimRenamed:  "overlaps %s, which is no longer in the repository; if this is the same object under a new name, give %s the annotation %s: %s; if not, remove the old object with an earlier commit",
	ChooseAnother: "choose another value",
	ChooseOthers:  "choose other values",
	ChooseRange:   "choose other addresses for one of the two objects",
	ChooseForOne:  "choose another value for one of the two objects",
	RivalAsks:     "is also asked for by %s (%s); %s",
	RivalOverlaps: "overlaps the value of %s (%s); %s",

	LeftFor:         "not changed: %s",
	LeftOnDelete:    "not changed: %s changes a member only when somebody deletes that member",
	LeftPaused:      "not changed: %s pauses its rollout after %d members",
	LeftPartition:   "not changed: %s changes only its members from number %d on",
	DownFor:         "it has been %s for %s",
	HealsOnApproval: "its manifest has changed, so it is replaced only after somebody approves the plan",
	Turn:            "after %s, %s",
	TurnWorked:      "after %s has worked for %s, %s",
	TurnSick:        "after %s (%s), %s",
	TurnMore:        "when more members of %s serve, %s",
	MoreServe:       "when more members of %s serve",
	Drained:         "after %s has sent no new connection to it for %s",
	Seen:            "when %s can be read",
	NoHistory:       "must be changed back to an earlier commit, but the history of the repository cannot be read: %s",
	AllSeen:         "when all objects of kind %s can be listed",

	Doubtful:          "%s: %s",
	OfObject:          "%s %s",
	TooFewAddresses:   "%s, but the stack needs %d, so %d are missing; use more or larger subnets, or ask for fewer addresses",
	GivesAddresses:    "gives out %d addresses",
	SubnetsGive:       "has %s, which give out %d addresses",
	OthersHave:        "%s, of which %d are in use outside of the stack",
	NoZone:            "the %s service has no available zone with the name %s, which is requested by %s",
	ZonesAre:          "%s; its zones are %s",
	TooFewHosts:       "%s requires different hosts for its %d members, so it needs %d hosts, but the cloud has only %d available: the other members cannot be placed; use a soft policy, or fewer members",
	TooFewHostsInZone: "%s requires different hosts for its %d members, so it needs %d hosts, but its availability zone has only %d available: the other members cannot be placed; use a soft policy, or fewer members",
	EntriesUnchecked:  "the quotas and zones of the other entries of clouds.yaml are not checked",
	QuotaUnknown:      "the free %s quota is unknown: %s",
	ZonesUnknown:      "the availability zones of the %s service are unknown: %s",
	HostsUnknown:      "the number of hosts is unknown: %s",

	OverLimit:        "the plan would %s %d of the %d objects that the stack owns (%s), more than the limit of %s",
	OverAll:          "the plan would %s all objects that the stack owns (%s)",
	OverKind:         "the plan would %s %d of the %d objects of kind %s, more than the limit of %s for them",
	OverGroup:        "the plan would replace or wipe %d of the %d members of %s, one after the other, more than the limit of %s",
	LosesData:        "the plan would lose the data of %s, and neither sync.allowDataLoss nor the annotation %s allows that",
	EveryChange:      "every change waits for an approval: %s",
	OtherHash:        "only the plan with the hash %s may be carried out, and this plan has another hash",
	WrongApproval:    "the approved hash %s is not the hash of this plan",
	NotSince:         "%s was approved for the changes of its pull request, but not for changes that happened in the cloud since then",
	Forgotten:        "this agent does not remember approvals from before its start: start the agent with --data-dir, or let it report to a forge",
	Grown:            "the plan has grown since %s: it would also %s %s",
	GrownMore:        "%s and %d more",
	Approved:         "%s was approved",
	ApprovedBy:       "%s was approved by %s",
	OtherCredentials: "the stack was in sync in project %[1]s, but the credentials belong to project %[2]s: the objects that it would create exist in project %[1]s; correct the credentials, or set spec.project, or approve the plan",
	PerhapsInSync:    "the project of the credentials has no object of the stack, and it is not known yet whether the stack was in sync before",
	InSyncElsewhere:  "the forge says that the stack was in sync at commit %s, but the project of the credentials has none of its objects: they may exist in another project; correct the credentials, or set spec.project, or approve the plan",

	Deletes: "delete", Replaces: "replace", Wipes: "wipe", CutsOff: "cut off",
}
