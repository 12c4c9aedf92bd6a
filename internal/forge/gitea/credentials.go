package gitea

import (
	"context"
	"errors"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// RightsByTask implements [forge.Credentials].
func (r *Repository) RightsByTask() map[forge.Task]string {
	const read = "scope read:repository, permission Read"
	return map[forge.Task]string{
		forge.TaskLogin:         "scope read:user",
		forge.TaskRepository:    read,
		forge.TaskClone:         read,
		forge.TaskPulls:         read,
		forge.TaskComments:      "scope read:issue, permission Read",
		forge.TaskWriteComments: "scope write:issue, permission Read",
		forge.TaskPeople:        "scope read:repository, permission Administrator",
		forge.TaskHistory:       read,
		forge.TaskStatuses:      read,
		forge.TaskWriteStatuses: "scope write:repository, permission Write",
		forge.TaskWebhooks:      "the secret of the webhook",
	}
}

// Owner implements [forge.Credentials].
func (r *Repository) Owner(ctx context.Context) (forge.Owner, error) {
	api, err := r.api(ctx)
	if err != nil {
		return forge.Owner{}, err
	}
	me, resp, err := api.GetMyUserInfo()
	if err := r.fail("ask who owns the token", resp, err); err != nil {
		return forge.Owner{}, err
	}
	return forge.Owner{Person: forge.Person{ID: me.ID, Login: me.UserName}}, nil
}

// Reach implements [forge.Credentials].
func (r *Repository) Reach(ctx context.Context) error {
	_, err := r.read(ctx)
	return err
}

func (r *Repository) read(ctx context.Context) (*sdk.Repository, error) {
	api, err := r.api(ctx)
	if err != nil {
		return nil, err
	}
	found, resp, err := api.GetRepo(r.owner, r.name)
	return found, r.fail("read the repository", resp, err)
}

// No repository has a pull request of this number, nor this commit.
const (
	noPull   = 1<<31 - 1
	noCommit = "0000000000000000000000000000000000000000"
)

// Held implements [forge.Credentials]. Gitea reports the permissions of the token's user, but not
// the scopes of the token. It checks the scopes before it looks for the object of a request. So
// Held writes a comment and a status for objects that do not exist. The answers show the scopes,
// and nothing is stored.
func (r *Repository) Held(ctx context.Context, _ forge.Sample) (map[forge.Task]forge.TaskResult, error) {
	found, err := r.read(ctx)
	if err != nil {
		return nil, err
	}
	held, may := map[forge.Task]forge.TaskResult{}, sdk.Permission{}
	if found.Permissions != nil {
		may = *found.Permissions
	}
	if !may.Admin {
		held[forge.TaskPeople] = forge.TaskResult{Result: forge.Missing, Why: "the token's user does not administer the repository; Gitea shows only to administrators who may write"}
	}
	if found.Archived {
		archived := forge.TaskResult{Result: forge.Missing, Why: "the repository is archived"}
		held[forge.TaskWriteComments], held[forge.TaskWriteStatuses] = archived, archived
		return held, nil
	}
	_, err = r.Post(ctx, noPull, "nothing")
	held[forge.TaskWriteComments] = resultOf(err)
	if !may.Push {
		held[forge.TaskWriteStatuses] = forge.TaskResult{Result: forge.Missing, Why: "the token's user may not write to the repository"}
		return held, nil
	}
	held[forge.TaskWriteStatuses] = resultOf(r.SetStatus(ctx, noCommit, forge.Status{Context: "stackreeve", State: forge.Pending}))
	return held, nil
}

// resultOf returns the result that follows from the error of a write for an object that does not
// exist.
func resultOf(err error) forge.TaskResult {
	switch {
	case err == nil:
		return forge.TaskResult{Result: forge.NotTried, Why: "Gitea reported success for a write to an object that does not exist"}
	case errors.Is(err, forge.ErrNotFound):
		return forge.TaskResult{Result: forge.Works}
	case errors.Is(err, forge.ErrRefused):
		return forge.TaskResult{Result: forge.Missing, Why: err.Error()}
	}
	return forge.TaskResult{Result: forge.NoAnswer, Why: err.Error()}
}
