package github

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/go-github/v55/github"

	"github.com/stackreeve/stackreeve/internal/report/forge"
)

// Comments implements [forge.Talk].
func (r *Repository) Comments(ctx context.Context, number int) ([]forge.Comment, error) {
	me, err := r.me(ctx)
	if err != nil {
		return nil, err
	}
	list, err := pages(r, fmt.Sprintf("read the comments of #%d", number), func(page github.ListOptions) ([]*github.IssueComment, *github.Response, error) {
		return r.client.Issues.ListComments(ctx, r.owner, r.name, number, &github.IssueListCommentsOptions{ListOptions: page})
	})
	if err != nil {
		return nil, err
	}
	comments := make([]forge.Comment, 0, len(list))
	seen := map[int64]bool{} // one that is deleted while pages are read moves others
	for _, c := range list {
		if !seen[c.GetID()] {
			comments = append(comments, comment(c, me))
		}
		seen[c.GetID()] = true
	}
	return comments, nil
}

func comment(c *github.IssueComment, me string) forge.Comment {
	return forge.Comment{
		ID: c.GetID(), URL: c.GetHTMLURL(), Author: c.GetUser().GetLogin(), Mine: me != "" && strings.EqualFold(c.GetUser().GetLogin(), me),
		Body: c.GetBody(), Created: c.GetCreatedAt().Time, Reactions: reactions(c.GetReactions()),
	}
}

// reactions are those that somebody gave, of the kinds that we give.
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

// Post implements [forge.Talk].
func (r *Repository) Post(ctx context.Context, number int, body string) (forge.Comment, error) {
	c, _, err := r.client.Issues.CreateComment(ctx, r.owner, r.name, number, &github.IssueComment{Body: &body})
	if err != nil {
		return forge.Comment{}, r.fail(err, fmt.Sprintf("comment on #%d", number))
	}
	// Whoever GitHub says has written it, that is us.
	me := c.GetUser().GetLogin()
	if r.config.App == nil && me != "" {
		r.am(me)
	}
	return comment(c, me), nil
}

// Edit implements [forge.Talk].
func (r *Repository) Edit(ctx context.Context, number int, id int64, body string) error {
	_, _, err := r.client.Issues.EditComment(ctx, r.owner, r.name, id, &github.IssueComment{Body: &body})
	return r.fail(err, fmt.Sprintf("edit a comment on #%d", number))
}

// Delete implements [forge.Talk].
func (r *Repository) Delete(ctx context.Context, number int, id int64) error {
	_, err := r.client.Issues.DeleteComment(ctx, r.owner, r.name, id)
	return r.fail(err, fmt.Sprintf("delete a comment on #%d", number))
}

// React implements [forge.Talk]. GitHub keeps one of each kind and person.
func (r *Repository) React(ctx context.Context, number int, id int64, reaction forge.Reaction) error {
	_, _, err := r.client.Reactions.CreateIssueCommentReaction(ctx, r.owner, r.name, id, string(reaction))
	return r.fail(err, fmt.Sprintf("react to a comment on #%d", number))
}
