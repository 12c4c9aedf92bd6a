package forge

import (
	"context"
	"slices"
	"time"
)

// Task is one thing that the agent does with a forge or with a repository on it. Programs read the
// names of tasks.
type Task string

// These are the tasks, in the order in which they are shown to people. A forge may lack some of
// them.
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

// Tasks returns all tasks, in the order of the constants.
func Tasks() []Task {
	return []Task{
		TaskLogin, TaskRepository, TaskClone, TaskPulls, TaskComments, TaskWriteComments, TaskPeople, TaskHistory, TaskStatuses, TaskWriteStatuses,
		TaskVote, TaskChecks, TaskWebhooks,
	}
}

// Compare orders tasks as [Tasks] does.
func (t Task) Compare(other Task) int { return slices.Index(Tasks(), t) - slices.Index(Tasks(), other) }

// Credentials reports what the credentials in use may do. Its methods create nothing on the forge
// that people can see.
type Credentials interface {
	// RightsByTask returns the right that each task requires, in the forge's own terms. A task that
	// the forge does not have is missing in the map.
	RightsByTask() map[Task]string
	// Owner returns the account that the credentials belong to.
	Owner(ctx context.Context) (Owner, error)
	// Reach checks that the credentials can read the repository.
	Reach(ctx context.Context) error
	// Held returns the results of the tasks, as far as the forge reports them. It writes to no pull
	// request and to no commit. A task about which the forge reports nothing is missing in the map.
	Held(ctx context.Context, at Sample) (map[Task]TaskResult, error)
}

// Owner is the account of the credentials. Until is the time when the credentials expire, or zero
// if the forge does not report it.
type Owner struct {
	Person
	Until time.Time
}

// Sample names objects that can be read: a branch, its newest commit, a file in that commit, and an
// open pull request. A field is zero if there is no such object.
type Sample struct {
	Branch, Commit, File string
	Pull                 int
}

// TaskResult is the result that a forge reports for one task.
type TaskResult struct {
	Result Result
	Why    string // for people
}

// Result says whether the credentials allow a task.
type Result string

// The results.
const (
	Works      Result = "works"
	Missing    Result = "missing"
	NotOffered Result = "not offered" // the forge does not offer it to these credentials, and the agent works without it.
	NotTried   Result = "not tried"   // only a write would show the result, or something that the check needs is missing.
	NoAnswer   Result = "no answer"   // the forge is unreachable, too slow, failing, or asks the agent to wait.
)

// Finding is the result for a task, and the right that the task requires.
type Finding struct {
	Task   Task   `json:"task"`
	Result Result `json:"result"`
	Right  string `json:"right,omitempty"`
	Reason string `json:"reason,omitempty"`
}
