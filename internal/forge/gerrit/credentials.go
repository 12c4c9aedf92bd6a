package gerrit

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// RightsByTask implements [forge.Credentials].
func (r *Repository) RightsByTask() map[forge.Task]string {
	const read = "Read on refs/heads/*"
	rights := map[forge.Task]string{
		forge.TaskLogin:         "an account with an HTTP password",
		forge.TaskRepository:    read,
		forge.TaskClone:         read,
		forge.TaskPulls:         read,
		forge.TaskComments:      read,
		forge.TaskWriteComments: "Read, of an account that is logged in",
		forge.TaskPeople:        "global capability View Access",
		forge.TaskHistory:       "plugin Gitiles; " + read,
		forge.TaskStatuses:      read,
	}
	if r.label != "" {
		rights[forge.TaskVote] = "Label " + r.label + ", from -1 to +1"
	}
	return rights
}

// Owner implements [forge.Credentials].
func (r *Repository) Owner(ctx context.Context) (forge.Owner, error) {
	var me account
	err := r.send(ctx, "ask who owns the password", http.MethodGet, "accounts/self", nil, &me)
	return forge.Owner{Person: forge.Person{ID: int64(me.ID), Login: me.login()}}, err
}

// Reach implements [forge.Credentials].
func (r *Repository) Reach(ctx context.Context) error {
	return r.send(ctx, "read the project", http.MethodGet, r.projectPath(), nil, nil)
}

// Held implements [forge.Credentials]. Gerrit accepts a message from every account that can see the
// change. It reports the votes that an account may give only together with an open change.
func (r *Repository) Held(ctx context.Context, at forge.Sample) (map[forge.Task]forge.TaskResult, error) {
	held := map[forge.Task]forge.TaskResult{forge.TaskWriteComments: {Result: forge.Works}}
	if r.label == "" {
		return held, nil
	}
	if at.Pull == 0 {
		held[forge.TaskVote] = forge.TaskResult{Result: forge.NotTried, Why: "Gerrit shows who may vote only for an open change, and no change is open"}
		return held, nil
	}
	var c struct {
		Permitted map[string][]text `json:"permitted_labels"`
	}
	what := fmt.Sprintf("ask for the votes on change %d", at.Pull)
	if err := r.send(ctx, what, http.MethodGet, r.changePath(at.Pull)+"?o=DETAILED_LABELS", nil, &c); err != nil {
		return held, err
	}
	held[forge.TaskVote] = r.mayVote(c.Permitted)
	return held, nil
}

// mayVote returns the result for [forge.TaskVote]. permitted has the votes that the account may give,
// by label, as Gerrit writes them: "-1", " 0" and "+1".
func (r *Repository) mayVote(permitted map[string][]text) forge.TaskResult {
	values, ok := permitted[r.label]
	if !ok {
		return forge.TaskResult{Result: forge.Missing, Why: fmt.Sprintf("the account may not vote with %s, or the project has no such label", r.label)}
	}
	for _, wanted := range []string{"-1", "0", "+1"} {
		if !slices.ContainsFunc(values, func(v text) bool { return strings.TrimSpace(string(v)) == wanted }) {
			return forge.TaskResult{Result: forge.Missing, Why: fmt.Sprintf("the account may give only these votes with %s: %q", r.label, values)}
		}
	}
	return forge.TaskResult{Result: forge.Works}
}
