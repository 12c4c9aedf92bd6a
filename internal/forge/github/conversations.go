package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/go-github/v55/github"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// Comments implements [forge.Conversations].
func (r *Repository) Comments(ctx context.Context, number int) ([]forge.Comment, error) {
	me, err := r.ownAccount(ctx)
	if err != nil {
		return nil, err
	}
	size := 0
	list, err := pages(r, fmt.Sprintf("read the comments of #%d", number), func(page github.ListOptions) ([]*issueComment, *github.Response, error) {
		list, resp, err := r.listComments(ctx, number, page)
		for _, c := range list {
			if c != nil {
				size += len(c.GetBody())
			}
		}
		if err == nil && size > forge.MaxConversation {
			err = fmt.Errorf("%w: more than %d bytes", forge.ErrTooMany, forge.MaxConversation)
		}
		return list, resp, err
	})
	if err != nil && !errors.Is(err, forge.ErrTooMany) {
		return nil, err
	}
	comments := make([]forge.Comment, 0, len(list))
	seen := map[int64]bool{} // a comment that is deleted while pages are read moves others from page to page
	for _, c := range list {
		if !seen[c.GetID()] {
			comments = append(comments, comment(c, me))
		}
		seen[c.GetID()] = true
	}
	return comments, err
}

// issueComment adds a field that go-github does not have: the App that wrote a comment, even if it
// did so on behalf of a person.
type issueComment struct {
	github.IssueComment
	App *struct {
		ID int64 `json:"id"`
	} `json:"performed_via_github_app"`
}

func (r *Repository) listComments(ctx context.Context, number int, page github.ListOptions) ([]*issueComment, *github.Response, error) {
	path := fmt.Sprintf("repos/%s/%s/issues/%d/comments?page=%d&per_page=%d", r.owner, r.name, number, max(page.Page, 1), page.PerPage)
	req, err := r.client.NewRequest(http.MethodGet, path, nil)
	if err != nil {
		return nil, nil, err
	}
	var list []*issueComment
	resp, err := r.client.Do(ctx, req, &list)
	return list, resp, err
}

// resolution is the resolution of GitHub's times. So the times of creation and update of a comment
// may differ by less, although the comment was not edited.
const resolution = time.Second

func comment(c *issueComment, me account) forge.Comment {
	user := c.GetUser()
	return forge.Comment{
		ID: c.GetID(), URL: c.GetHTMLURL(), Author: user.GetLogin(), AuthorID: user.GetID(), Mine: me.is(user),
		Bot:  user.GetType() == "Bot" || strings.HasSuffix(strings.ToLower(user.GetLogin()), "[bot]") || c.App != nil,
		Body: c.GetBody(), Created: c.GetCreatedAt().Time, Edited: c.GetUpdatedAt().Sub(c.GetCreatedAt().Time) >= resolution, Reactions: reactions(c.GetReactions()),
	}
}

// reactions returns the reactions to a comment, without the kinds that we do not use.
func reactions(r *github.Reactions) (list []forge.Reaction) {
	for _, one := range []struct {
		count int
		is    forge.Reaction
	}{{r.GetEyes(), forge.Eyes}, {r.GetPlusOne(), forge.ThumbsUp}, {r.GetConfused(), forge.Confused}} {
		if one.count > 0 {
			list = append(list, one.is)
		}
	}
	return list
}

// Post implements [forge.Conversations].
func (r *Repository) Post(ctx context.Context, number int, body string) (forge.Comment, error) {
	c, _, err := r.client.Issues.CreateComment(ctx, r.owner, r.name, number, &github.IssueComment{Body: &body})
	if err != nil {
		return forge.Comment{}, r.fail(err, fmt.Sprintf("comment on #%d", number))
	}
	// GitHub's answer names the author of the new comment, which is the account of this agent.
	me := accountOf(c.GetUser())
	switch {
	case me.login == "":
	case r.config.App != nil:
		r.config.App.Renamed(me.login)
	default:
		r.setAccount(me)
	}
	return comment(&issueComment{IssueComment: *c}, me), nil
}

// Edit implements [forge.Conversations].
func (r *Repository) Edit(ctx context.Context, number int, id int64, body string) error {
	_, _, err := r.client.Issues.EditComment(ctx, r.owner, r.name, id, &github.IssueComment{Body: &body})
	return r.fail(err, fmt.Sprintf("edit a comment on #%d", number))
}

// Delete implements [forge.Conversations].
func (r *Repository) Delete(ctx context.Context, number int, id int64) error {
	_, err := r.client.Issues.DeleteComment(ctx, r.owner, r.name, id)
	return r.fail(err, fmt.Sprintf("delete a comment on #%d", number))
}

// React implements [forge.Reactions]. GitHub stores one reaction of each kind and person.
func (r *Repository) React(ctx context.Context, number int, id int64, reaction forge.Reaction) error {
	_, _, err := r.client.Reactions.CreateIssueCommentReaction(ctx, r.owner, r.name, id, string(reaction))
	return r.fail(err, fmt.Sprintf("react to a comment on #%d", number))
}
