// Package forge defines what Stackreeve needs of a forge, where people review each other's commits: pull requests,
// comments, commit statuses and checks.
//
// It contains nothing about a certain forge and nothing about plans. The packages below it implement it for GitHub, Gitea
// (and Forgejo), GitLab and Gerrit, and all of them pass the same test suite.
package forge

import (
	"context"
	"time"
)

// Forge is one repository on a forge. Its fields are the roles of the forge; a role that the forge does not have is nil.
// Methods may be called from any number of goroutines. Their errors are, or wrap, one of [ErrRefused], [ErrNotFound],
// [ErrUnavailable], [ErrUnsupported] or a [*LimitedError].
type Forge struct {
	Can     Abilities
	Browser Browser // the addresses for people; the zero value if they are unknown.

	CommitStatuses // every forge has commit statuses.
	Reviews        // a forge has all of these roles or none, except that Reactions may be missing.
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
	// OpenPulls lists the open pull requests into branch, lowest number first. With [ErrTooMany], the list has only the
	// oldest ones.
	OpenPulls(ctx context.Context, branch string) ([]Pull, error)
	// Pull returns one pull request, open or not.
	Pull(ctx context.Context, number int) (Pull, error)
	// MergedBy returns the pull request that brought a commit to branch. The error is ErrNotFound if the commit came
	// without a pull request.
	MergedBy(ctx context.Context, branch, commit string) (Pull, error)
}

// History finds commits.
type History interface {
	// LastTouch returns the newest commit of branch that touched a file, given by its path from the root of the
	// repository. The error is ErrNotFound if no commit did.
	LastTouch(ctx context.Context, branch, file string) (commit string, err error)
}

// Rights reports the rights of people.
type Rights interface {
	// MayWrite reports whether a person may change a branch now. If the forge has no rights for single branches, it
	// reports whether the person may change the repository.
	MayWrite(ctx context.Context, who Person, branch string) (bool, error)
}

// Person is an account. If an account gives up its name and another one takes that name, their numbers still differ.
type Person struct {
	ID    int64 // 0 if it is unknown
	Login string
}

// Conversations reads and writes the comments of pull requests.
type Conversations interface {
	// Comments returns all comments of a pull request's conversation, oldest first. Comments on lines of files are left
	// out. With [ErrTooMany], the list has only the oldest ones.
	Comments(ctx context.Context, number int) ([]Comment, error)
	Post(ctx context.Context, number int, body string) (Comment, error)
	Edit(ctx context.Context, number int, id int64, body string) error
	Delete(ctx context.Context, number int, id int64) error
}

// Reactions adds reactions to comments.
type Reactions interface {
	// React adds a reaction to a comment. If the comment has this reaction of ours already, nothing changes.
	React(ctx context.Context, number int, id int64, r Reaction) error
}

// CommitStatuses reads and writes commit statuses.
type CommitStatuses interface {
	// Statuses returns our statuses of a commit, the newest of each context. A status is ours if the forge reports that
	// the account in use has made it. A status whose author the forge does not report is nobody's.
	Statuses(ctx context.Context, commit string) ([]Status, error)
	SetStatus(ctx context.Context, commit string, s Status) error
}

// Checks writes check runs.
type Checks interface {
	// PutCheck writes the check with the name and the commit of c; earlier content of that check is replaced. The error
	// is ErrUnsupported if the credentials do not allow checks.
	PutCheck(ctx context.Context, c Check) error
}

// Pull is a pull request.
type Pull struct {
	Number int
	Title  string
	URL    string // for people
	Author string // login
	// Head is the newest commit, as 40 hex digits. HeadRef is the reference in the base repository by which Head can be
	// fetched, such as refs/pull/7/head. It exists for forks, too.
	Head, HeadRef string
	Base          string // the branch into which it is to be merged
	// Fork is true if the commits come from another repository. On a forge without forks, it is true if they come from
	// somebody who may not change Base.
	Fork         bool
	Open, Merged bool
	MergeCommit  string // the commit of Base after the merge; "" before the merge
	Updated      time.Time
	// Needs are the pull requests that this one needs, if the forge has the ability [Dependencies]. Only
	// [Pulls.OpenPulls] sets them.
	Needs []Need
}

// Comment is one comment of a conversation.
type Comment struct {
	ID     int64
	URL    string // for people
	Author string // login
	// AuthorID is the account's number, which does not change if the account is renamed.
	AuthorID int64
	Mine     bool // whether the account in use has written it; accounts are compared by number
	// Bot is true if the forge reports that a program wrote the comment: an App, even if it acts for a person, or an
	// account for programs.
	Bot     bool
	Body    string
	Created time.Time
	// Edited is true if the comment was changed after it was written. Forges allow other people than the author to edit a
	// comment.
	Edited bool
	// Reactions are the reactions of people to the comment, if the forge lists them together with the comment.
	Reactions []Reaction
}

// State is the state of a commit status.
type State string

// The states.
const (
	Pending State = "pending"
	Success State = "success"
	Failure State = "failure"
	Error   State = "error"
)

// Status is a commit status: one line that a forge shows beside a commit. A newer status of the same context replaces the
// older one.
type Status struct {
	Context     string // such as stackreeve/prod/plan
	State       State
	Description string // for people; shortened to the length that the forge accepts
	URL         string // a page with details; may be empty
	// Covered is true if somebody else's status of the same context is newer and differs, because then people see that
	// one. It is set only in statuses that were read from the forge.
	Covered bool
}

// Reaction is an emoji that acknowledges a comment.
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

// Rule is the kind of finding that an annotation is about. Programs read its name.
type Rule string

// The rules.
const (
	RuleProblem   Rule = "problem"   // the manifest is wrong: nothing of its stack is applied.
	RuleNote      Rule = "note"      // the manifest is applied, and people should know something about it.
	RuleDestroyed Rule = "destroyed" // the plan deletes, replaces or wipes the object.
	RuleRefused   Rule = "refused"   // the plan cannot make the object as the manifest says.
)

// Level is the severity of an annotation, by GitHub's names.
type Level string

// The levels.
const (
	Notice  Level = "notice"
	Warning Level = "warning"
	Grave   Level = "failure"
)
