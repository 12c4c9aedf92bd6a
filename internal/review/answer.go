package review

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/memory"
)

// answerNew posts answers to the commands in said that have none yet. It returns c with said, and with those
// comments in answered. People who may not push get no answer.
func (r *Repository) answerNew(pull forge.Pull, c conversation, said readComments) conversation {
	c.comments, c.answered = said, maps.Clone(c.answered)
	if c.answered == nil {
		c.answered = map[int64]bool{}
	}
	for _, cmd := range said.commands {
		if cmd.first && !c.answered[cmd.comment] {
			c.answered[cmd.comment] = true
			r.answer(pull.Number, cmd, said)
		}
	}
	return c
}

// answered reports whether the agent has written a comment that answers this one. A reaction does not count.
func answered(comments []forge.Comment, id int64) bool {
	return slices.ContainsFunc(comments, func(c forge.Comment) bool {
		m, ok := memory.Of(c)
		return ok && m.Kind == memory.AnswerComment && m.To == id
	})
}

// reply returns the reaction to a command, and the text of the answer. The text is "" if the reaction is
// enough.
func reply(cmd command, s readComments) (forge.Reaction, string) {
	switch {
	case cmd.edited:
		return forge.Confused, "The agent ignores commands in edited comments: please write a new comment.\n"
	case !cmd.known():
		return forge.Confused, "I do not know that command.\n\n" + help
	case cmd.verb == verbHelp:
		return forge.Eyes, help
	case cmd.verb == verbApprove && !s.showedHash(cmd):
		return forge.Confused, "" // no plan of the pull request had that hash when the command was written
	case cmd.verb == verbApprove:
		return forge.ThumbsUp, ""
	}
	return forge.Eyes, ""
}

// answer posts the reply to a command, once.
func (r *Repository) answer(number int, cmd command, s readComments) {
	reaction, words := reply(cmd, s)
	reacts := r.Forge.Reactions != nil
	if (!reacts || slices.Contains(cmd.reactions, reaction)) && (words == "" || answered(s.ours, cmd.comment)) {
		return // an earlier process has answered
	}
	if !r.people.countAnswer(cmd.by) {
		return
	}
	r.Outbox.Put(fmt.Sprintf("answer to %d on #%d", cmd.comment, number), func(ctx context.Context) error {
		if reacts {
			if err := r.Forge.React(ctx, number, cmd.comment, reaction); err != nil || words == "" {
				return err
			}
		}
		now, err := r.Forge.Comments(ctx, number)
		if err != nil {
			return err
		}
		if answered(now, cmd.comment) {
			return nil
		}
		m := memory.Marker{Kind: memory.AnswerComment, To: cmd.comment}
		_, err = r.Forge.Post(ctx, number, m.String()+"\n"+words)
		return err
	})
}
