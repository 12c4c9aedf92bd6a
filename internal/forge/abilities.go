package forge

import "slices"

// Ability is a feature that some forges have and others lack.
type Ability string

// These are the abilities. Each is a sentence for people.
const (
	PullRequests     Ability = "commits are reviewed before they are merged"
	ForkHeads        Ability = "a fork's commits can be fetched from the repository, without the fork's credentials"
	Merges           Ability = "the forge shows which pull request a commit came from"
	PersonRights     Ability = "the forge shows whether a person may change a branch"
	BranchStatuses   Ability = "a commit of a branch can have a status, without a pull request"
	EditableComments Ability = "the agent can edit its own comments"
	CommentReactions Ability = "a comment can be given a reaction"
	ForkStatuses     Ability = "people see the status of a fork's commit on the pull request"
	StatusAuthors    Ability = "the forge shows who set a status"
	ErrorState       Ability = "a status has a value for an unknown outcome, different from a failure"
	Dependencies     Ability = "the forge shows the pull requests on which a pull request depends, or with which it is merged"
	LineNotes        Ability = "the forge shows notes on lines of manifests at a commit"
)

// EveryAbility returns all abilities, in the order in which they are shown to people.
func EveryAbility() Abilities {
	return Abilities{
		PullRequests, ForkHeads, Merges, PersonRights, BranchStatuses, EditableComments, CommentReactions, ForkStatuses, StatusAuthors, ErrorState, Dependencies, LineNotes,
	}
}

// Abilities are the abilities that a forge declares. The suite of forgetest checks that the forge
// has them.
type Abilities []Ability

// Has reports whether an ability is declared.
func (a Abilities) Has(one Ability) bool { return slices.Contains(a, one) }
