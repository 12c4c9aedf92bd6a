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

// conversation is what was last read of a pull request's comments.
type conversation struct {
	said     said
	answered map[int64]bool // comments, by this process

	updated time.Time // the pull request's, when it was read
	settled bool      // read once more since: times are in whole seconds
	read    time.Time // when, by our clock
	failed  bool      // it could not be read the last time
}

// said is what of a conversation counts: our comments, and what people who may
// push ask for.
type said struct {
	ours     []forge.Comment
	commands []command
	// unread is set when there are more comments than are read.
	unread bool
	// unasked is set when the forge was not asked about everybody who said something.
	unasked bool
}

// asked is when a plan was last asked for, by the forge's clock.
func (s said) asked() (at time.Time) {
	for _, cmd := range s.commands {
		if cmd.verb == verbPlan && cmd.known() && cmd.at.After(at) {
			at = cmd.at
		}
	}
	return at
}

// conversations are those of open pull requests.
type conversations struct {
	mu   sync.Mutex
	list map[int]conversation
	// changed is when they were last known to have changed.
	changed map[int]time.Time
}

// mostChanged is how many pull requests may have changed before all are read again.
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

// failed notes whether a conversation could not be read.
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

// invalidate notes that what was read of a conversation is out of date.
func (c *conversations) invalidate(number int, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changed == nil || len(c.changed) > mostChanged {
		c.changed, c.list = map[int]time.Time{}, nil
	}
	c.changed[number] = now
}

// fresh reports whether what was read then is what is known to be there.
func (c *conversations) fresh(number int, read time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	changed, ok := c.changed[number]
	return time.Since(read) < conversationAge && (!ok || read.After(changed))
}

// keep forgets all but these.
func (c *conversations) keep(open map[int]bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.list, func(number int, _ conversation) bool { return !open[number] })
	maps.DeleteFunc(c.changed, func(number int, _ time.Time) bool { return !open[number] })
}

// conversationAge is after how long a conversation is read again that seems to be
// what it was: comments can be edited and deleted, and no pull request is newer by
// that on every forge. One in which an approval counts is read every time.
const conversationAge = 10 * time.Minute

// converse reads a pull request's comments when they may have changed, and
// answers what is new.
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
	if c, err = r.answerAll(ctx, pull, c, comments); err != nil {
		return c, err
	}
	c.said.unread = unread
	c.settled = c.updated.Equal(pull.Updated) && !c.said.unasked
	c.updated, c.read = pull.Updated, now
	r.conversations.put(pull.Number, c)
	return c, nil
}

// comments reads a conversation. Of one that is too long the beginning is used:
// what was said later counts for nothing, and is unread.
func (r *Repository) comments(ctx context.Context, number int) (list []forge.Comment, unread bool, err error) {
	list, err = r.Forge.Comments(ctx, number)
	if unread = errors.Is(err, forge.ErrTooMany); unread {
		r.Complain(fmt.Sprintf("pull request %d has more comments than are read; later ones count for nothing", number), err)
		err = nil
	}
	return list, unread, err
}

// understand finds in a conversation the comments that are ours, and what people
// who may push ask for. Nothing else is kept, and of no other comment is a word
// read: anybody may write much.
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
