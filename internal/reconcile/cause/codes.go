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
