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

// conversation contains the comments of a pull request as they were last read.
type conversation struct {
	comments readComments
	answered map[int64]bool // comments that this process has answered.

	updated time.Time // the update time of the pull request when the comments were read.
	settled bool      // the comments were read twice at this update time. Update times are in whole seconds, so the first reading may have missed a comment.
	read    time.Time // time of the last reading, by the agent's clock.
	failed  bool      // the last attempt to read the comments failed.
}

// readComments contains the parts of a conversation that count: the agent's comments, and the commands of people who
// may push.
type readComments struct {
	ours     []forge.Comment
	commands []command
	// unread is true if there are more comments than the agent reads.
	unread bool
	// `unasked` is true if the forge must still be asked about the rights of at least one author.
	unasked bool
}

// lastAsked returns the time of the last request for a plan, by the forge's clock.
func (s readComments) lastAsked() (at time.Time) {
	for _, cmd := range s.commands {
		if cmd.verb == verbPlan && cmd.known() && cmd.at.After(at) {
			at = cmd.at
		}
	}
	return at
}

// conversations stores the conversations of open pull requests.
type conversations struct {
	mu   sync.Mutex
	list map[int]conversation
	// changed is the time of the last known change, by pull request.
	changed map[int]time.Time
}

// maxChanged is the maximum number of pull requests in changed. If there are more, all conversations are
// read again.
const maxChanged = 10_000

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

// failed stores whether the last attempt to read a conversation failed.
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

// invalidate marks a conversation as outdated, so that it is read again.
func (c *conversations) invalidate(number int, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changed == nil || len(c.changed) > maxChanged {
		c.changed, c.list = map[int]time.Time{}, nil
	}
	c.changed[number] = now
}

// fresh reports whether the conversation has no known change since it was read.
func (c *conversations) fresh(number int, read time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	changed, ok := c.changed[number]
	return time.Since(read) < conversationAge && (!ok || read.After(changed))
}

// retain forgets all conversations except those of the pull requests in open.
func (c *conversations) retain(open map[int]bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.list, func(number int, _ conversation) bool { return !open[number] })
	maps.DeleteFunc(c.changed, func(number int, _ time.Time) bool { return !open[number] })
}

// conversationAge is the time after which a conversation is read again even if it seems unchanged. Comments can be edited and deleted, and
// not every forge updates the time of the pull request then. A conversation in which an approval counts is read every time.
const conversationAge = 10 * time.Minute

// conversationOf reads a pull request's comments if they may have changed, and answers the new ones.
func (r *Repository) conversationOf(ctx context.Context, pull forge.Pull) (conversation, error) {
	c, now := r.conversations.get(pull.Number), time.Now()
	if c.updated.Equal(pull.Updated) && c.settled && len(c.comments.approvals()) == 0 && r.conversations.fresh(pull.Number, c.read) {
		return c, nil
	}
	comments, unread, err := r.comments(ctx, pull.Number)
	if errors.Is(err, forge.ErrRefused) {
		// The pull request is planned without its comments, because its status can be set.
		r.Complain("comments cannot be read: approvals and requests for plans are ignored", err)
		comments, err = nil, nil
	}
	if err != nil {
		return c, err
	}
	said, err := r.readConversation(ctx, pull.Base, comments)
	if err != nil {
		return c, err
	}
	said.unread = unread
	c = r.answerNew(pull, c, said)
	c.settled = c.updated.Equal(pull.Updated) && !c.comments.unasked
	c.updated, c.read = pull.Updated, now
	r.conversations.put(pull.Number, c)
	return c, nil
}

// comments reads a conversation. If it is too long, only its beginning counts, and unread is true.
func (r *Repository) comments(ctx context.Context, number int) (list []forge.Comment, unread bool, err error) {
	list, err = r.Forge.Comments(ctx, number)
	if unread = errors.Is(err, forge.ErrTooMany); unread {
		r.Complain(fmt.Sprintf("pull request %d has more comments than the agent reads; later comments are ignored", number), err)
		err = nil
	}
	return list, unread, err
}

// readConversation finds the agent's comments in a conversation, and the commands of people who may push. It keeps nothing else, and it does
// not parse other comments, because anybody can write very many of them.
func (r *Repository) readConversation(ctx context.Context, branch string, comments []forge.Comment) (s readComments, err error) {
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
			return readComments{}, err
		}
		if ok {
			s.commands = append(s.commands, commands(c)...)
		}
	}
	return s, nil
}
