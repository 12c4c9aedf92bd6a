package review

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/memory"
)

// conversation is the last reading of a pull request's comments.
type conversation struct {
	said     said
	answered map[int64]bool // comments answered by this process.

	updated time.Time // of the pull request, when it was read.
	settled bool      // it was read once more since: times are in whole seconds
	read    time.Time // when, by the agent's clock
	failed  bool      // the last attempt to read it failed
}

// said is the part of a conversation that counts: the agent's comments, and the commands of people who may push.
type said struct {
	ours     []forge.Comment
	commands []command
	// unread is set when there are more comments than the agent reads.
	unread bool
	// `unasked` is set when the forge was not asked about every author.
	unasked bool
}

// lastAsked is when a plan was last requested, by the forge's clock.
func (s said) lastAsked() (at time.Time) {
	for _, cmd := range s.commands {
		if cmd.verb == verbPlan && cmd.known() && cmd.at.After(at) {
			at = cmd.at
		}
	}
	return at
}

// conversations are the conversations of open pull requests.
type conversations struct {
	mu   sync.Mutex
	list map[int]conversation
	// changed is the time of the last known change, by pull request.
	changed map[int]time.Time
}

// mostChanged is how many pull requests may be in changed before all are read again.
const mostChanged = 10_000

func (c *conversations) get(number int) conversation {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.list[number]
}

func (c *conversations) put(number int, one conversation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.list == nil {
		c.list = map[int]conversation{}
	}
	c.list[number] = one
}

// failed stores whether a conversation could not be read.
func (c *conversations) failed(number int, failed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if one, ok := c.list[number]; ok || failed {
		if one.failed = failed; c.list == nil {
			c.list = map[int]conversation{}
		}
		c.list[number] = one
	}
}

// invalidate marks a conversation as outdated.
func (c *conversations) invalidate(number int, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changed == nil || len(c.changed) > mostChanged {
		c.changed, c.list = map[int]time.Time{}, nil
	}
	c.changed[number] = now
}

// fresh reports whether no change is known since the conversation was read.
func (c *conversations) fresh(number int, read time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	changed, ok := c.changed[number]
	return time.Since(read) < conversationAge && (!ok || read.After(changed))
}

// keep forgets all conversations except these.
func (c *conversations) keep(open map[int]bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.list, func(number int, _ conversation) bool { return !open[number] })
	maps.DeleteFunc(c.changed, func(number int, _ time.Time) bool { return !open[number] })
}

// conversationAge is the time after which a conversation is read again even if it seems unchanged. Comments can be edited and deleted, and
// not every forge updates the time of the pull request then. A conversation in which an approval counts is read every time.
const conversationAge = 10 * time.Minute

// converse reads a pull request's comments if they may have changed, and answers the new ones.
func (r *Repository) converse(ctx context.Context, pull forge.Pull) (conversation, error) {
	c, now := r.conversations.get(pull.Number), time.Now()
	if c.updated.Equal(pull.Updated) && c.settled && len(c.said.approvals()) == 0 && r.conversations.fresh(pull.Number, c.read) {
		return c, nil
	}
	comments, unread, err := r.comments(ctx, pull.Number)
	if errors.Is(err, forge.ErrRefused) {
		// It is planned all the same: a status can be set.
		r.Complain("comments cannot be read: approvals and requests for plans are ignored", err)
		comments, err = nil, nil
	}
	if err != nil {
		return c, err
	}
	said, err := r.understand(ctx, pull.Base, comments)
	if err != nil {
		return c, err
	}
	said.unread = unread
	c = r.answerNew(pull, c, said)
	c.settled = c.updated.Equal(pull.Updated) && !c.said.unasked
	c.updated, c.read = pull.Updated, now
	r.conversations.put(pull.Number, c)
	return c, nil
}

// comments reads a conversation. Of a conversation that is too long, only the beginning counts, and unread is true.
func (r *Repository) comments(ctx context.Context, number int) (list []forge.Comment, unread bool, err error) {
	list, err = r.Forge.Comments(ctx, number)
	if unread = errors.Is(err, forge.ErrTooMany); unread {
		r.Complain(fmt.Sprintf("pull request %d has more comments than are read; later ones count for nothing", number), err)
		err = nil
	}
	return list, unread, err
}

// understand finds the agent's comments in a conversation, and the commands of people who may push. Nothing else is kept, and no word of
// other comments is read: anybody may write much.
func (r *Repository) understand(ctx context.Context, branch string, comments []forge.Comment) (s said, err error) {
	later := r.people.later(branch, comments)
	s.unasked = len(later) > 0
	for _, c := range comments {
		if c.Mine && memory.Marked(c.Body) {
			s.ours = append(s.ours, c)
			continue
		}
		who := person{forge.Person{ID: c.AuthorID, Login: c.Author}, branch}
		if !mayAsk(c) || later[who] {
			continue
		}
		ok, err := r.people.mayWrite(ctx, who)
		if err != nil {
			return said{}, err
		}
		if ok {
			s.commands = append(s.commands, commands(c)...)
		}
	}
	return s, nil
}
