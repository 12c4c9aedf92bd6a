package gitlab

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// reporter is the level of access from which members may comment, by GitLab's numbers.
const reporter = 20

// RightsByTask implements [forge.Credentials].
func (r *Repository) RightsByTask() map[forge.Task]string {
	const read = "scope api or read_api, role Reporter"
	return map[forge.Task]string{
		forge.TaskLogin:         "scope api",
		forge.TaskRepository:    read,
		forge.TaskClone:         "scope read_repository, role Reporter",
		forge.TaskPulls:         read,
		forge.TaskComments:      read,
		forge.TaskWriteComments: "scope api, role Reporter",
		forge.TaskPeople:        read,
		forge.TaskHistory:       read,
		forge.TaskStatuses:      read,
		forge.TaskWriteStatuses: "scope api, role Developer; role Maintainer for a protected branch",
		forge.TaskWebhooks:      "the secret token of the webhook",
	}
}

// tokenInfo is the PersonalAccessToken of GitLab's API. GitLab also answers with one for a token of a group or project.
type tokenInfo struct {
	Scopes  []text `json:"scopes"`
	Expires text   `json:"expires_at"` // a date
}

// Owner implements [forge.Credentials].
func (r *Repository) Owner(ctx context.Context) (forge.Owner, error) {
	var me user
	if _, err := r.send(ctx, "ask who owns the token", http.MethodGet, "user", nil, &me); err != nil {
		return forge.Owner{}, err
	}
	info, err := r.tokenInfo(ctx)
	owner := forge.Owner{Person: forge.Person{ID: int64(me.ID), Login: string(me.Username)}}
	if info != nil {
		owner.Until, _ = time.Parse(time.DateOnly, string(info.Expires)) // the zero time for a token without an end
	}
	return owner, err
}

// tokenInfo requests the data of the token. It returns nil if this version of GitLab (before 15.5),
// or this kind of token, has no such data.
func (r *Repository) tokenInfo(ctx context.Context) (*tokenInfo, error) {
	var info tokenInfo
	_, err := r.send(ctx, "ask what the token may do", http.MethodGet, "personal_access_tokens/self", nil, &info)
	switch {
	case errors.Is(err, forge.ErrRefused), errors.Is(err, forge.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &info, nil
}

// Reach implements [forge.Credentials].
func (r *Repository) Reach(ctx context.Context) error {
	_, err := r.root(ctx)
	return err
}

// projectInfo is Project, with the fields that say what is switched off.
type projectInfo struct {
	Archived      flag `json:"archived"`
	MergeRequests text `json:"merge_requests_access_level"`
	Builds        text `json:"builds_access_level"`
}

// accountRights is the data that GitLab reports about an account, its token and a project.
type accountRights struct {
	scopes  []text // nil if they are unknown
	project projectInfo
	level   number // the access level; 0 for an account that is not a member
	may     bool   // whether the account may change the branch
}

// Held implements [forge.Credentials].
func (r *Repository) Held(ctx context.Context, at forge.Sample) (map[forge.Task]forge.TaskResult, error) {
	s, err := r.rightsOn(ctx, at.Branch)
	if err != nil {
		return nil, err
	}
	return map[forge.Task]forge.TaskResult{forge.TaskWriteComments: s.comments(), forge.TaskWriteStatuses: s.statuses(at.Branch)}, nil
}

func (r *Repository) rightsOn(ctx context.Context, branch string) (s accountRights, err error) {
	info, err := r.tokenInfo(ctx)
	if err != nil {
		return s, err
	}
	if info != nil {
		s.scopes = info.Scopes
	}
	me, err := r.myID(ctx)
	if err != nil {
		return s, err
	}
	root, err := r.root(ctx)
	if err != nil {
		return s, err
	}
	if _, err := r.send(ctx, "read the project", http.MethodGet, root[:len(root)-1], nil, &s.project); err != nil {
		return s, err
	}
	var m member
	err = r.call(ctx, "ask for the role of the token's user", http.MethodGet, fmt.Sprintf("members/all/%d", me), nil, &m)
	if err != nil && !errors.Is(err, forge.ErrNotFound) {
		return s, err
	}
	if s.level = m.AccessLevel; branch == "" {
		return s, nil
	}
	s.may, err = r.MayWrite(ctx, forge.Person{ID: int64(me)}, branch)
	return s, err
}

// comments returns the result for comments on merge requests. Everybody who can see a merge request
// may comment on it. For users below Reporter, the role does not show whether they can see it.
func (s accountRights) comments() forge.TaskResult {
	if no := s.refusal("merge requests", s.project.MergeRequests); no.Result != "" {
		return no
	}
	if s.level < reporter {
		return forge.TaskResult{Result: forge.NotTried, Why: "the token's user has a lower role than Reporter; only an attempt to write a comment would show whether GitLab allows it"}
	}
	return s.allowedByRole()
}

// statuses returns the result for statuses of commits.
func (s accountRights) statuses(branch string) forge.TaskResult {
	switch no := s.refusal("CI/CD", s.project.Builds); {
	case no.Result != "":
		return no
	case s.level < developer:
		return forge.TaskResult{Result: forge.Missing, Why: fmt.Sprintf("the token's user has the access level %d in the project; Developer is %d", s.level, developer)}
	case branch == "":
		return forge.TaskResult{Result: forge.NotTried, Why: "the branch is not known, and it may be protected"}
	case !s.may:
		return forge.TaskResult{Result: forge.Missing, Why: "the token's user may neither push nor merge to the protected branch " + branch}
	}
	return s.allowedByRole()
}

// allowedByRole returns the result if the role allows the task.
func (s accountRights) allowedByRole() forge.TaskResult {
	if s.scopes == nil {
		return forge.TaskResult{Result: forge.NotTried, Why: "the role is enough; GitLab does not show the scopes of this token"}
	}
	return forge.TaskResult{Result: forge.Works}
}

// refusal returns a result if nothing may be written, whatever the role. It returns the zero value
// if writing may be possible.
func (s accountRights) refusal(feature string, level text) forge.TaskResult {
	switch {
	case s.scopes != nil && !slices.Contains(s.scopes, "api"):
		return forge.TaskResult{Result: forge.Missing, Why: fmt.Sprintf("the token has the scopes %q", s.scopes)}
	case bool(s.project.Archived):
		return forge.TaskResult{Result: forge.Missing, Why: "the project is archived"}
	case level == "disabled":
		return forge.TaskResult{Result: forge.Missing, Why: feature + " are switched off in the project"}
	}
	return forge.TaskResult{}
}
