package gitea

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// Comments implements forge.Conversations.
func (r *Repository) Comments(ctx context.Context, number int) ([]forge.Comment, error) {
	me, err := r.myID(ctx)
	if err != nil {
		return nil, err
	}
	api, err := r.api(ctx)
	if err != nil {
		return nil, err
	}
	var list []forge.Comment
	size := 0
	err = pages(func(page sdk.ListOptions) (bool, error) {
		found, resp, err := api.ListIssueComments(r.owner, r.name, int64(number), sdk.ListIssueCommentOptions{ListOptions: page})
		if err := r.fail(fmt.Sprintf("list the comments of pull request %d", number), resp, err); err != nil {
			return false, err
		}
		for _, c := range some(found) {
			list = append(list, commentOf(c, me))
			size += len(c.Body)
		}
		if size > forge.MaxConversation {
			return false, fmt.Errorf("gitea: %s: read the comments of #%d: %w: more than %d bytes", r, number, forge.ErrTooMany, forge.MaxConversation)
		}
		return next(resp.Header, len(found)), nil
	})
	err = orMissing(ctx, err, r.hasPull(number))
	slices.SortFunc(list, func(a, b forge.Comment) int { return cmp.Compare(a.ID, b.ID) })
	return slices.CompactFunc(list, func(a, b forge.Comment) bool { return a.ID == b.ID }), err
}

func commentOf(c *sdk.Comment, me int64) forge.Comment {
	one := forge.Comment{ID: c.ID, URL: c.HTMLURL, Body: c.Body, Created: c.Created, Edited: c.Updated.After(c.Created)}
	// A comment that was imported from another forge has no author here, although Gitea names the
	// account that imported it.
	if c.Poster != nil && c.OriginalAuthor == "" {
		one.Author, one.AuthorID, one.Mine = c.Poster.UserName, c.Poster.ID, c.Poster.ID == me
		// The accounts of Gitea itself have numbers that are not positive.
		one.Bot = c.Poster.ID <= 0 || strings.HasSuffix(strings.ToLower(c.Poster.UserName), "[bot]")
	}
	return one
}

// Post implements forge.Conversations.
func (r *Repository) Post(ctx context.Context, number int, body string) (forge.Comment, error) {
	me, err := r.myID(ctx)
	if err != nil {
		return forge.Comment{}, err
	}
	api, err := r.api(ctx)
	if err != nil {
		return forge.Comment{}, err
	}
	c, resp, err := api.CreateIssueComment(r.owner, r.name, int64(number), sdk.CreateIssueCommentOption{Body: body})
	err = r.fail(fmt.Sprintf("comment on pull request %d", number), resp, err)
	if err != nil {
		return forge.Comment{}, orMissing(ctx, err, r.hasPull(number))
	}
	return commentOf(c, me), nil
}

// Edit implements forge.Conversations.
func (r *Repository) Edit(ctx context.Context, number int, id int64, body string) error {
	api, err := r.api(ctx)
	if err != nil {
		return err
	}
	_, resp, err := api.EditIssueComment(r.owner, r.name, id, sdk.EditIssueCommentOption{Body: body})
	return r.fail(fmt.Sprintf("edit comment %d on pull request %d", id, number), resp, err)
}

// Delete implements forge.Conversations.
func (r *Repository) Delete(ctx context.Context, number int, id int64) error {
	api, err := r.api(ctx)
	if err != nil {
		return err
	}
	resp, err := api.DeleteIssueComment(r.owner, r.name, id)
	return r.fail(fmt.Sprintf("delete comment %d on pull request %d", id, number), resp, err)
}

// React implements forge.Reactions.
func (r *Repository) React(ctx context.Context, number int, id int64, reaction forge.Reaction) error {
	api, err := r.api(ctx)
	if err != nil {
		return err
	}
	_, resp, err := api.PostIssueCommentReaction(r.owner, r.name, id, string(reaction))
	return r.fail(fmt.Sprintf("react to comment %d on pull request %d", id, number), resp, err)
}

// hasPull returns a function that checks whether a pull request exists.
func (r *Repository) hasPull(number int) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := r.Pull(ctx, number)
		return err
	}
}
