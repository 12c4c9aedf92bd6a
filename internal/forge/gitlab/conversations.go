package gitlab

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/pattern"
)

// Comments implements [forge.Conversations]. It leaves out notes that GitLab itself writes, and
// notes that only members can read, because everybody must be able to see approvals.
func (r *Repository) Comments(ctx context.Context, number int) ([]forge.Comment, error) {
	me, err := r.myID(ctx)
	if err != nil {
		return nil, err
	}
	var comments []forge.Comment
	size := 0
	what := fmt.Sprintf("read the comments of !%d", number)
	path := fmt.Sprintf("merge_requests/%d/notes", number)
	err = list(ctx, r, what, path, url.Values{"order_by": {"created_at"}, "sort": {"asc"}}, func(page []note) error {
		for _, n := range page {
			size += len(n.Body)
			if n.ID > 0 && !bool(n.System || n.Internal || n.Confidential) && n.Type != "DiffNote" {
				comments = append(comments, r.comment(n, number, me))
			}
		}
		if size > forge.MaxConversation {
			return fmt.Errorf("%w: more than %d bytes", forge.ErrTooMany, forge.MaxConversation)
		}
		return nil
	})
	// The list can change while its pages are read, so the same comment may come twice.
	slices.SortFunc(comments, func(a, b forge.Comment) int { return cmp.Compare(a.ID, b.ID) })
	return slices.CompactFunc(comments, func(a, b forge.Comment) bool { return a.ID == b.ID }), err
}

// robot matches the names of accounts of project and group tokens, and of accounts for programs.
var robot = pattern.Of(`^((project|group)_[0-9]+_bot|service_account_)|\[bot\]$`)

func (r *Repository) comment(n note, iid int, me number) forge.Comment {
	return forge.Comment{
		ID: int64(n.ID), URL: r.noteURL(iid, n.ID), Author: string(n.Author.Username), AuthorID: int64(n.Author.ID),
		Mine: n.Author.ID == me && me > 0, Bot: n.Author.ID <= 0 || robot.MatchString(strings.ToLower(string(n.Author.Username))),
		Body: string(n.Body), Created: n.CreatedAt.Time, Edited: !n.UpdatedAt.Equal(n.CreatedAt.Time),
	}
}

// noteURL is the address of a comment for people, which GitLab does not report.
func (r *Repository) noteURL(iid int, id number) string {
	return fmt.Sprintf("%s/%s/-/merge_requests/%d#note_%d", strings.TrimSuffix(r.api, "/api/v4/"), r.path, iid, id)
}

// Post implements [forge.Conversations].
func (r *Repository) Post(ctx context.Context, number int, body string) (forge.Comment, error) {
	me, err := r.myID(ctx)
	if err != nil {
		return forge.Comment{}, err
	}
	var n note
	what := fmt.Sprintf("comment on !%d", number)
	if err := r.call(ctx, what, http.MethodPost, fmt.Sprintf("merge_requests/%d/notes", number), map[string]string{"body": body}, &n); err != nil {
		return forge.Comment{}, err
	}
	if n.ID <= 0 {
		return forge.Comment{}, r.refused(what, fmt.Errorf("%w: an answer without a number", forge.ErrUnavailable))
	}
	return r.comment(n, number, me), nil
}

// Edit implements [forge.Conversations].
func (r *Repository) Edit(ctx context.Context, number int, id int64, body string) error {
	path := fmt.Sprintf("merge_requests/%d/notes/%d", number, id)
	return r.call(ctx, fmt.Sprintf("edit a comment on !%d", number), http.MethodPut, path, map[string]string{"body": body}, nil)
}

// Delete implements [forge.Conversations].
func (r *Repository) Delete(ctx context.Context, number int, id int64) error {
	path := fmt.Sprintf("merge_requests/%d/notes/%d", number, id)
	return r.call(ctx, fmt.Sprintf("delete a comment on !%d", number), http.MethodDelete, path, nil, nil)
}
