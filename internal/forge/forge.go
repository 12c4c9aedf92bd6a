// Package forge is what Stackreeve asks of a place where people review each
// other's commits: pull requests, comments, commit statuses and checks.
//
// It knows no forge in particular and nothing of plans: the packages below it
// speak to GitHub, Gitea (and Forgejo), GitLab and Gerrit, and pass the same suite.
package forge

import (
	"context"
	"time"
)

// Forge is one repository on a forge, by what it can do: a role that it does not
// have is nil. Methods may be called from any number of goroutines. Their errors
// are, or wrap, one of [ErrRefused], [ErrNotFound], [ErrUnavailable],
// [ErrUnsupported] or a [*LimitedError].
type Forge struct {
	Can     Abilities
	Browser Browser // of people; the zero value when it is unknown

	CommitStatuses // every forge has them
	Reviews        // all or none of them
	Checks
	Credentials
}

// Reviews are the roles of a forge on which commits are reviewed before they are
// merged. [Forge.Reviewed] reports whether there are any.
type Reviews struct {
	Pulls
	History
	Rights
	Conversations
	Reactions
}

// Reviewed reports whether there are pull requests.
func (f Forge) Reviewed() bool { return f.Pulls != nil }

// Pulls finds pull requests.
type Pulls interface {
	// OpenPulls lists the open pull requests into branch, lowest number first. With
	// [ErrTooMany] they are the oldest of more.
	OpenPulls(ctx context.Context, branch string) ([]Pull, error)
	// Pull returns one pull request, open or not.
	Pull(ctx context.Context, number int) (Pull, error)
	// MergedBy returns the pull request that a commit of branch was merged by;
	// ErrNotFound when it came without one.
	MergedBy(ctx context.Context, branch, commit string) (Pull, error)
}

// History finds commits.
type History interface {
	// LastTouch returns the newest commit of branch that touched a file, given by
	// its path from the root of the repository; ErrNotFound when none did.
	LastTouch(ctx context.Context, branch, file string) (commit string, err error)
}

// Rights says what people may do.
type Rights interface {
	// MayWrite reports whether a person may change a branch now: push to it, or, where
	// the forge has no rights by branch, to the repository.
	MayWrite(ctx context.Context, who Person, branch string) (bool, error)
}

// Person is an account: whoever takes over a name that another one gave up has
// another number.
type Person struct {
	ID    int64 // 0 when it is not known
	Login string
}

// Conversations reads and writes the comments of pull requests.
type Conversations interface {
	// Comments returns all comments of a pull request, oldest first: those of the
	// conversation, not those on lines. With [ErrTooMany] they are the oldest of
	// more.
	Comments(ctx context.Context, number int) ([]Comment, error)
	Post(ctx context.Context, number int, body string) (Comment, error)
	Edit(ctx context.Context, number int, id int64, body string) error
	Delete(ctx context.Context, number int, id int64) error
}

// Reactions are given to comments.
type Reactions interface {
	// React acknowledges a comment. Doing so twice changes nothing.
	React(ctx context.Context, number int, id int64, r Reaction) error
}

// CommitStatuses reads and writes commit statuses.
type CommitStatuses interface {
	// Statuses returns the newest of our statuses of each context of a commit:
	// those that the account in use has made, as the forge reports. Whose maker the
	// forge does not report belong to no one.
	Statuses(ctx context.Context, commit string) ([]Status, error)
	SetStatus(ctx context.Context, commit string, s Status) error
}

// Checks writes check runs.
type Checks interface {
	// PutCheck makes the check of that name and commit say this, or repeats it;
	// ErrUnsupported where the credentials allow no checks.
	PutCheck(ctx context.Context, c Check) error
}

// Pull is a pull request.
type Pull struct {
	Number int
	Title  string
	URL    string // for people
	Author string // login
	// Head is the newest commit, 40 hex digits; HeadRef the reference of the base
	// repository under which it can be fetched, forks' too, such as
	// refs/pull/7/head.
	Head, HeadRef string
	Base          string // the branch it asks to be merged into
	// Fork is true when the commits come from another repository or, on a forge without
	// forks, from somebody who may not change Base.
	Fork         bool
	Open, Merged bool
	MergeCommit  string // what Base became by merging; "" before
	Updated      time.Time
	// Needs are what it needs of others, where the forge says so ([Dependencies]); in the list of [Pulls.OpenPulls] only.
	Needs []Need
}

// Comment is one comment of a conversation.
type Comment struct {
	ID     int64
	URL    string // for people
	Author string // login
	// AuthorID is the account's number, which it keeps when it is renamed.
	AuthorID int64
	Mine     bool // written by the account in use, by its number
	// Bot is true when a program wrote it, as far as the forge reports: an App, also
	// one that speaks for a person, or an account for programs.
	Bot     bool
	Body    string
	Created time.Time
	// Edited is true when it is not what it was when it was written. Forges let
	// others than its author edit a comment.
	Edited bool
	// Reactions are those that people gave it, where the forge lists them with the
	// comment.
	Reactions []Reaction
}

// State is what a status says.
type State string

// The states.
const (
	Pending State = "pending"
	Success State = "success"
	Failure State = "failure"
	Error   State = "error"
)

// Status is one line beside a commit. A newer status of the same context takes
// the place of the older.
type Status struct {
	Context     string // such as stackreeve/prod/plan
	State       State
	Description string // for people; cut to what the forge takes
	URL         string // where people read more; may be empty
	// Covered is true when somebody else's status of that context is newer and
	// says another thing: people see that one. Only in what is read.
	Covered bool
}

// Reaction is how a comment is acknowledged.
type Reaction string

// The reactions, by GitHub's names.
const (
	Eyes     Reaction = "eyes"
	ThumbsUp Reaction = "+1"
	Confused Reaction = "confused"
)

// Check is a check run: a longer text beside a commit, with notes on lines.
type Check struct {
	Name        string
	Commit      string
	State       State
	Title       string
	Summary     string // Markdown
	Text        string // Markdown, the details
	Annotations []Annotation
}

// Annotation is a note on a line of a file.
type Annotation struct {
	File    string // path from the root of the repository
	Line    int    // from 1
	Rule    Rule
	Level   Level
	Title   string
	Message string
}

// Rule is the kind of finding that an annotation is about. Programs know it by this name.
type Rule string

// The rules.
const (
	RuleProblem   Rule = "problem"   // the manifest is wrong: nothing of its stack is applied.
	RuleNote      Rule = "note"      // the manifest is applied, and something about it is worth to know.
	RuleDestroyed Rule = "destroyed" // the plan deletes, replaces or wipes the object.
	RuleRefused   Rule = "refused"   // the plan cannot make the object as the manifest says.
)

// Level is how grave an annotation is, by GitHub's names.
type Level string

// The levels.
const (
	Notice  Level = "notice"
	Warning Level = "warning"
	Grave   Level = "failure"
)
