package gerrit

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
)

const (
	// maxAsked is the number of uploaders about whom Gerrit is asked during one list, because
	// anybody may upload. Uploaders that were trusted before are not counted. Further uploaders
	// count as strangers until the next list.
	maxAsked = 10
	// maxRights is the number of answers that are remembered.
	maxRights = 10_000
	// trustedAge is the time for which the answer counts that an uploader may change the branch.
	// strangerAge is that time for the opposite answer.
	trustedAge  = 5 * time.Minute
	strangerAge = time.Hour
)

// uploader is an account that has uploaded a patch set, and the branch of its change.
type uploader struct {
	id     number
	branch string
}

// right is Gerrit's answer to the question whether an uploader may change the branch.
type right struct {
	may   bool
	asked time.Time
}

func (a right) fresh() bool {
	age := strangerAge
	if a.may {
		age = trustedAge
	}
	return time.Since(a.asked) < age
}

// MayWrite implements [forge.Rights]. A person may change a branch if Gerrit allows them to push to
// it, or to submit changes to it.
func (r *Repository) MayWrite(ctx context.Context, who forge.Person, branch string) (bool, error) {
	what := fmt.Sprintf("ask whether %s may change %s", who.Login, branch)
	id, err := r.idOf(ctx, what, who)
	if err != nil || id <= 0 {
		return false, err
	}
	for _, permission := range []string{"submit", "push"} {
		var answer struct {
			Status number `json:"status"`
		}
		query := url.Values{"account": {fmt.Sprint(int64(id))}, "ref": {"refs/heads/" + branch}, "perm": {permission}}
		if err := r.send(ctx, what, http.MethodGet, r.projectPath()+"/check.access?"+query.Encode(), nil, &answer); err != nil {
			return false, err
		}
		if answer.Status == http.StatusOK {
			return true, nil
		}
	}
	return false, nil
}

// idOf returns the number of an account: the known one, or else that of its name.
func (r *Repository) idOf(ctx context.Context, what string, who forge.Person) (number, error) {
	if who.ID != 0 || !userName.MatchString(who.Login) {
		return number(who.ID), nil
	}
	var found []account
	query := url.Values{"q": {"username:" + who.Login}, "o": {"DETAILS"}, "n": {"10"}}
	if err := r.send(ctx, what, http.MethodGet, "accounts/?"+query.Encode(), nil, &found); err != nil {
		return 0, err
	}
	for _, a := range found {
		if string(a.Username) == who.Login {
			return a.ID, nil
		}
	}
	return 0, nil
}

// trusts reports whether a patch set comes from somebody who may change the branch. The argument left is the
// number of uploaders about whom Gerrit may still be asked. If Gerrit refuses to answer, the
// uploader is a stranger.
func (r *Repository) trusts(ctx context.Context, v revision, branch string, left *int) (bool, error) {
	from := uploader{v.Uploader.ID, branch}
	if v.RealUploader != nil {
		from.id = v.RealUploader.ID
	}
	r.mu.Lock()
	answer, ok := r.rights[from]
	r.mu.Unlock()
	switch {
	case ok && answer.fresh():
		return answer.may, nil
	case from.id <= 0 || !answer.may && *left <= 0:
		return false, nil
	case !answer.may:
		*left--
	}
	may, err := r.MayWrite(ctx, forge.Person{ID: int64(from.id), Login: v.Uploader.login()}, branch)
	if err != nil && !errors.Is(err, forge.ErrRefused) && !errors.Is(err, forge.ErrNotFound) {
		return false, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.rights) > maxRights {
		r.rights = map[uploader]right{}
	}
	r.rights[from] = right{may && err == nil, time.Now()}
	return may && err == nil, nil
}
