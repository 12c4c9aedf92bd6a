package pulls

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/report/forge"
)

// converse finds out what people ask for in comments and owes them an answer.
// People who may not push are not answered.
func (r *Repository) converse(ctx context.Context, number int, t *talk) error {
	stood := standFor(t.comments)
	var asked time.Time
	var approvals []approval
	for _, c := range t.comments {
		for i, cmd := range commands(c) {
			ok, err := r.people.mayWrite(ctx, cmd.by)
			if err != nil {
				return err
			}
			if !ok {
				break // a comment has one author
			}
			switch {
			case cmd.verb == verbPlan && cmd.at.After(asked):
				asked = cmd.at
			case cmd.verb == verbApprove && cmd.known():
				approvals = append(approvals, approval{cmd.hash, cmd.by, stood[cmd.hash]})
			}
			if words := cmd.verb + " " + cmd.hash; i == 0 && t.answered[c.ID] != words {
				t.answered[c.ID] = words
				r.answer(number, cmd, c, t.comments, stood)
			}
		}
	}
	t.asked, t.approvals = asked, approvals
	return nil
}

// answered tells whether a comment has an answer of ours in words.
func answered(comments []forge.Comment, id int64) bool {
	return slices.ContainsFunc(comments, func(c forge.Comment) bool {
		m, ok := c.Marker()
		return ok && m.Kind == answerKind && m.To == id
	})
}

// answer owes the forge a sign that a command was seen and, where words are
// wanted, the words, once.
func (r *Repository) answer(number int, cmd command, to forge.Comment, comments []forge.Comment, stood map[string]steps) {
	reaction, words := forge.Eyes, ""
	switch {
	case cmd.verb == verbHelp:
		words = help
	case !cmd.known():
		reaction, words = forge.Confused, "I do not know that command.\n\n"+help
	case cmd.verb == verbApprove && stood[cmd.hash] == nil:
		reaction = forge.Confused // no plan here has that hash, or none has it any more
	case cmd.verb == verbApprove:
		reaction = forge.ThumbsUp
	}
	if slices.Contains(to.Reactions, reaction) && (words == "" || answered(comments, to.ID)) {
		return // by a process before this one
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
