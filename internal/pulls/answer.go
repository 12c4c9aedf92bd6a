package pulls

import (
	"context"
	"fmt"
	"time"

	"github.com/stackreeve/stackreeve/internal/report/forge"
)

// converse answers what people ask for in comments and returns when a plan was
// last asked for. People who may not push are not answered.
func (r *Repository) converse(ctx context.Context, number int, t *talk) (asked time.Time, err error) {
	for _, c := range t.comments {
		for i, cmd := range commands(c) {
			ok, err := r.people.mayWrite(ctx, cmd.by)
			if err != nil {
				return asked, err
			}
			if !ok {
				continue
			}
			if cmd.verb == verbPlan && cmd.at.After(asked) {
				asked = cmd.at
			}
			if i == 0 && !t.answered[c.ID] {
				t.answered[c.ID] = true
				r.answer(number, cmd, t.comments)
			}
		}
	}
	return asked, nil
}

// answer owes the forge a sign that a command was seen and, where words are
// wanted, the words, once.
func (r *Repository) answer(number int, cmd command, comments []forge.Comment) {
	reaction, words := forge.Eyes, ""
	switch {
	case cmd.verb == verbHelp:
		words = help
	case !cmd.known():
		reaction, words = forge.Confused, "I do not know that command.\n\n"+help
	case cmd.verb == verbApprove && len(stepsOf(comments, cmd.hash)) == 0:
		reaction = forge.Confused // no plan here has that hash, or none has it any more
	case cmd.verb == verbApprove:
		reaction = forge.ThumbsUp
	}
	r.Outbox.Put(fmt.Sprintf("answer to %d on #%d", cmd.comment, number), func(ctx context.Context) error {
		if err := r.Forge.React(ctx, number, cmd.comment, reaction); err != nil || words == "" {
			return err
		}
		now, err := r.Forge.Comments(ctx, number)
		if err != nil {
			return err
		}
		for _, c := range now {
			if m, ok := forge.ParseMarker(c.Body); ok && c.Mine && m.Kind == answerKind && m.To == cmd.comment {
				return nil
			}
		}
		m := forge.Marker{Kind: answerKind, To: cmd.comment}
		_, err = r.Forge.Post(ctx, number, m.String()+"\n"+words)
		return err
	})
}
