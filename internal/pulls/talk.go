package pulls

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// talk is what was last read of a pull request's conversation, and what of it
// is understood.
type talk struct {
	updated  time.Time // the pull request's, when it was read
	settled  bool      // read once more since: times are in whole seconds
	read     time.Time // when, by our clock
	failed   bool      // it could not be looked at the last time
	ours     []forge.Comment
	said     []command      // by people who may push
	answered map[int64]bool // the comments that were

	asked time.Time // when a plan was last asked for, by the forge's clock
}

// approvals are the commands that approve of something.
func (t *talk) approvals() []command { return approvals(t.said) }

// talkAge is after how long a conversation is read again that seems to be what
// it was: comments can be edited and deleted, and no pull request is newer by
// that on every forge. One in which an approval counts is read every time.
const talkAge = 10 * time.Minute

func (r *Repository) talkOf(number int) *talk {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.talks[number]
	if t == nil {
		t = &talk{answered: map[int64]bool{}}
		r.talks[number] = t
	}
	return t
}

// Heard says that a pull request, or what people say there, may have changed.
func (r *Repository) Heard(number int) {
	r.touched(number)
	r.Wake()
}

// touched notes that what was read of a conversation is out of date.
func (r *Repository) touched(number int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.changed) > 10_000 {
		clear(r.changed)
		clear(r.talks)
	}
	r.changed[number] = time.Now()
}

// fresh tells whether what was read then is what is known to be there.
func (r *Repository) fresh(number int, read time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	changed, ok := r.changed[number]
	return time.Since(read) < talkAge && (!ok || read.After(changed))
}

// talk reads a conversation when it may have changed.
func (r *Repository) talk(ctx context.Context, pull forge.Pull) (*talk, error) {
	t, now := r.talkOf(pull.Number), time.Now()
	if t.updated.Equal(pull.Updated) && t.settled && len(t.approvals()) == 0 && r.fresh(pull.Number, t.read) {
		return t, nil
	}
	comments, err := r.comments(ctx, pull.Number)
	if errors.Is(err, forge.ErrRefused) {
		// It is planned all the same: a status can be set.
		r.complain("comments may not be read: nobody can approve of anything or ask for plans", err)
		comments, err = nil, nil
	}
	if err != nil {
		return t, err
	}
	if err := r.converse(ctx, pull.Number, t, comments); err != nil {
		return t, err
	}
	t.settled = t.updated.Equal(pull.Updated)
	t.updated, t.read = pull.Updated, now
	return t, nil
}

// comments reads a conversation. Of one that is too long the beginning is used:
// what was said later counts for nothing.
func (r *Repository) comments(ctx context.Context, number int) ([]forge.Comment, error) {
	list, err := r.Forge.Comments(ctx, number)
	if errors.Is(err, forge.ErrTooMany) {
		r.complain(fmt.Sprintf("pull request %d has more comments than are read; later ones count for nothing", number), err)
		err = nil
	}
	return list, err
}

// hear finds in a conversation the comments that are ours, and what people who
// may push ask for. Nothing else is kept, and of nobody else is a word read:
// anybody may write much.
func (r *Repository) hear(ctx context.Context, comments []forge.Comment) (ours []forge.Comment, said []command, err error) {
	strangers := 0
	for _, c := range comments {
		if c.Mine && forge.Marked(c.Body) {
			ours = append(ours, c)
			continue
		}
		if !asks(c) || strangers >= mostStrangers {
			continue
		}
		who := person{c.AuthorID, c.Author}
		if !r.people.knows(who) {
			strangers++
		}
		ok, err := r.people.mayWrite(ctx, who)
		if err != nil {
			return nil, nil, err
		}
		if ok {
			said = append(said, commands(c)...)
		}
	}
	return ours, said, nil
}

// mostStrangers is about how many people the forge is asked at a time whether
// they may push; about the others it is asked at the next look.
const mostStrangers = 50
