package forge

import (
	"context"
	"slices"
	"time"
)

// Task is one thing that the agent does with a forge or with a repository on it. Programs read it.
type Task string

// The tasks, in the order in which people read of them. Not every forge has all of them.
const (
	TaskLogin         Task = "login"
	TaskRepository    Task = "repository"
	TaskClone         Task = "clone"
	TaskPulls         Task = "pulls"
	TaskComments      Task = "comments"
	TaskWriteComments Task = "write-comments"
	TaskPeople        Task = "people"
	TaskHistory       Task = "history"
	TaskStatuses      Task = "statuses"
	TaskWriteStatuses Task = "write-statuses"
	TaskVote          Task = "vote"
	TaskChecks        Task = "checks"
	TaskWebhooks      Task = "webhooks"
)

// Tasks are all of them, in their order.
func Tasks() []Task {
	return []Task{
		TaskLogin, TaskRepository, TaskClone, TaskPulls, TaskComments, TaskWriteComments, TaskPeople, TaskHistory, TaskStatuses, TaskWriteStatuses,
		TaskVote, TaskChecks, TaskWebhooks,
	}
}

// Compare orders tasks as [Tasks] does.
func (t Task) Compare(other Task) int { return slices.Index(Tasks(), t) - slices.Index(Tasks(), other) }

// Credentials tells what the credentials in use may do. Its methods leave nothing behind that
// people see.
type Credentials interface {
	// RightsByTask names the right that each task takes, in the forge's own words. A task that the
	// forge does not have is left out.
	RightsByTask() map[Task]string
	// Owner returns the account that the credentials belong to.
	Owner(ctx context.Context) (Owner, error)
	// Reach reads the repository itself.
	Reach(ctx context.Context) error
	// Held returns what the forge tells about tasks, without a write to a pull request or a
	// commit. The forge tells nothing about the tasks that are left out.
	Held(ctx context.Context, at Sample) (map[Task]Held, error)
}

// Owner is the account of credentials, and when they end; the zero time if the forge does not say.
type Owner struct {
	Person
	Until time.Time
}

// Sample is what is there to be read: a branch, its newest commit, a file in that, and an open pull
// request. Zero values are for what is not there.
type Sample struct {
	Branch, Commit, File string
	Pull                 int
}

// Held is what a forge tells about one task.
type Held struct {
	Result Result
	Why    string // for people
}

// Result is what is known about a task.
type Result string

// The results.
const (
	Works      Result = "works"
	Missing    Result = "missing"
	NotOffered Result = "not offered" // the agent does without
	NotTried   Result = "not tried"   // only a write would tell, or something else is missing first
	NoAnswer   Result = "no answer"   // the forge is away, slow, failing or asks to wait
)

// Finding is what is known about a task, and the right that it takes.
type Finding struct {
	Task   Task   `json:"task"`
	Result Result `json:"result"`
	Right  string `json:"right,omitempty"`
	Reason string `json:"reason,omitempty"`
}
