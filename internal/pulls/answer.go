package pulls

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// converse finds out what people ask for in comments and owes them an answer.
// People who may not push are not answered.
func (r *Repository) converse(ctx context.Context, number int, t *talk, comments []forge.Comment) error {
	ours, said, err := r.hear(ctx, comments)
	if err != nil {
		return err
	}
	t.ours, t.said, t.asked = ours, said, time.Time{}
	for _, cmd := range said {
		if cmd.verb == verbPlan && cmd.known() && cmd.at.After(t.asked) {
			t.asked = cmd.at
		}
		if cmd.first && !t.answered[cmd.comment] {
			t.answered[cmd.comment] = true
			r.answer(number, cmd, ours)
		}
	}
	return nil
}

// answered tells whether a comment has an answer of ours in words.
func answered(comments []forge.Comment, id int64) bool {
	return slices.ContainsFunc(comments, func(c forge.Comment) bool {
		m, ok := c.Marker()
		return ok && m.Kind == answerKind && m.To == id
	})
}

// replied is the sign that a command was seen, and the words, where they are
// wanted.
func replied(cmd command, ours []forge.Comment) (forge.Reaction, string) {
	switch {
	case cmd.edited:
		return forge.Confused, "Commands in a comment that was edited do not count: please write a new comment.\n"
	case !cmd.known():
		return forge.Confused, "I do not know that command.\n\n" + help
	case cmd.verb == verbHelp:
		return forge.Eyes, help
	case cmd.verb == verbApprove && !shownAnywhere(cmd, ours):
		return forge.Confused, "" // no plan here had that hash when it was said
	case cmd.verb == verbApprove:
		return forge.ThumbsUp, ""
	}
	return forge.Eyes, ""
}

// answer owes the forge the reply to a command, once.
func (r *Repository) answer(number int, cmd command, ours []forge.Comment) {
	reaction, words := replied(cmd, ours)
	if slices.Contains(cmd.reactions, reaction) && (words == "" || answered(ours, cmd.comment)) {
		return // by a process before this one
	}
	if !r.people.mayAnswer(cmd.by) {
		return
	}
	r.Outbox.Put(fmt.Sprintf("answer to %d on #%d", cmd.comment, number), func(ctx context.Context) error {
		if err := r.Forge.React(ctx, number, cmd.comment, reaction); err != nil || words == "" {
			return err
		}
		now, err := r.Forge.Comments(ctx, number)
		if err != nil {
			return err
		}
		if answered(now, cmd.comment) {
			return nil
		}
		m := forge.Marker{Kind: answerKind, To: cmd.comment}
		_, err = r.Forge.Post(ctx, number, m.String()+"\n"+words)
		return err
	})
}
