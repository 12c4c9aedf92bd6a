package github

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/go-github/v55/github"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// permission is a permission of a fine-grained token or an App, by the names of the API and of
// GitHub's pages.
type permission struct{ api, level, page string }

// permissions has the permission that each task requires.
var permissions = map[forge.Task]permission{
	forge.TaskRepository:    {"metadata", "read", "Metadata: read"},
	forge.TaskClone:         {"contents", "read", "Contents: read"},
	forge.TaskPulls:         {"pull_requests", "read", "Pull requests: read"},
	forge.TaskComments:      {"pull_requests", "read", "Pull requests: read"},
	forge.TaskWriteComments: {"pull_requests", "write", "Pull requests: read and write"},
	forge.TaskPeople:        {"metadata", "read", "Metadata: read, of a user who may push"},
	forge.TaskHistory:       {"contents", "read", "Contents: read"},
	forge.TaskStatuses:      {"statuses", "read", "Commit statuses: read"},
	forge.TaskWriteStatuses: {"statuses", "write", "Commit statuses: read and write"},
	forge.TaskChecks:        {"checks", "write", "Checks: read and write, of an App"},
}

// RightsByTask implements [forge.Credentials].
func (r *Repository) RightsByTask() map[forge.Task]string {
	rights := map[forge.Task]string{forge.TaskLogin: "a token that has not expired", forge.TaskWebhooks: "the secret of the webhook"}
	if r.config.App != nil {
		rights[forge.TaskLogin] = "an App that is installed on the account, with its private key"
	}
	for task, p := range permissions {
		rights[task] = p.page
	}
	return rights
}

// Owner implements [forge.Credentials].
func (r *Repository) Owner(ctx context.Context) (forge.Owner, error) {
	if r.config.App != nil {
		if _, err := r.config.App.Token(ctx); err != nil {
			return forge.Owner{}, r.fail(err, "get a token of the App")
		}
		me, err := r.ownAccount(ctx)
		return forge.Owner{Person: forge.Person{ID: me.id, Login: me.login}}, err
	}
	user, resp, err := r.client.Users.Get(ctx, "")
	if code(err) == http.StatusForbidden { // a token of an installation has no user
		me, err := r.ownAccount(ctx)
		return forge.Owner{Person: forge.Person{Login: me.login}}, err
	}
	if err != nil {
		return forge.Owner{}, r.fail(err, "find the account of the credentials")
	}
	owner := forge.Owner{Person: forge.Person{ID: user.GetID(), Login: user.GetLogin()}}
	for _, layout := range []string{"2006-01-02 15:04:05 MST", "2006-01-02 15:04:05 -0700"} {
		if until, err := time.Parse(layout, resp.Header.Get("GitHub-Authentication-Token-Expiration")); err == nil {
			owner.Until = until
		}
	}
	return owner, nil
}

// Reach implements [forge.Credentials].
func (r *Repository) Reach(ctx context.Context) error {
	_, _, err := r.client.Repositories.Get(ctx, r.owner, r.name)
	return r.fail(err, "read the repository")
}

// Held implements [forge.Credentials].
func (r *Repository) Held(ctx context.Context, _ forge.Sample) (map[forge.Task]forge.TaskResult, error) {
	found, resp, err := r.client.Repositories.Get(ctx, r.owner, r.name)
	if err != nil {
		return nil, r.fail(err, "read the repository")
	}
	held := map[forge.Task]forge.TaskResult{}
	switch {
	case found.GetArchived():
		archived := forge.TaskResult{Result: forge.Missing, Why: "the repository is archived"}
		held[forge.TaskWriteComments], held[forge.TaskWriteStatuses], held[forge.TaskChecks] = archived, archived, archived
	case r.config.App != nil:
		granted, err := r.config.App.Permissions(ctx)
		if err != nil {
			return nil, r.fail(err, "ask for the permissions of the App")
		}
		addAppResults(held, granted)
	default:
		addTokenResults(held, found, resp.Header.Get("X-OAuth-Scopes"))
	}
	return held, nil
}

// addAppResults sets the results of the tasks that write, by the permissions of an App.
func addAppResults(held map[forge.Task]forge.TaskResult, granted map[string]string) {
	for _, task := range []forge.Task{forge.TaskWriteComments, forge.TaskWriteStatuses, forge.TaskChecks} {
		p := permissions[task]
		held[task] = forge.TaskResult{Result: forge.Works}
		if level := granted[p.api]; level != p.level && level != "admin" {
			held[task] = forge.TaskResult{Result: forge.Missing, Why: fmt.Sprintf("the App has the permission %q of %s on this account", cmp.Or(level, "none"), p.api)}
		}
	}
}

// addTokenResults sets the results of the tasks that write, for a token. GitHub reports the scopes of a
// classic token, and the rights of the user of any token. It does not report the permissions of a
// fine-grained token.
func addTokenResults(held map[forge.Task]forge.TaskResult, found *github.Repository, scopes string) {
	held[forge.TaskChecks] = forge.TaskResult{Result: forge.NotOffered, Why: "GitHub accepts check runs only from Apps; plans and statuses work without check runs"}
	list := strings.FieldsFunc(scopes, func(c rune) bool { return c == ',' || c == ' ' })
	whole := slices.Contains(list, "repo") || slices.Contains(list, "public_repo") && !found.GetPrivate()
	for task, enough := range map[forge.Task]bool{forge.TaskWriteComments: whole, forge.TaskWriteStatuses: whole || slices.Contains(list, "repo:status")} {
		switch {
		case task == forge.TaskWriteStatuses && !found.GetPermissions()["push"]:
			held[task] = forge.TaskResult{Result: forge.Missing, Why: "the token's user may not push to the repository"}
		case len(list) == 0: // a fine-grained token
			held[task] = forge.TaskResult{Result: forge.NotTried, Why: "GitHub does not show the permissions of this token; only an attempt to write would show this one"}
		case !enough:
			held[task] = forge.TaskResult{Result: forge.Missing, Why: fmt.Sprintf("the classic token has the scopes %q; the scope repo gives this right", list)}
		default:
			held[task] = forge.TaskResult{Result: forge.Works}
		}
	}
}
