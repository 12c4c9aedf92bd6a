package service

import (
	"cmp"
	"sync"

	"github.com/stackreeve/stackreeve/internal/events"
)

// maxNames is the maximum number of users of a cloud whose names are stored.
const maxNames = 1000

// userNames are the names of the users of a cloud, by their IDs. Some services send only the ID of a user, and others also the name. All stacks with
// the same source of messages share them.
type userNames struct {
	mu sync.Mutex
	of map[string]string
}

// learn stores the name of a user, if a message has both.
func (n *userNames) learn(u events.User) {
	if u.ID == "" || u.Name == "" {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.of == nil || len(n.of) >= maxNames && n.of[u.ID] == "" {
		n.of = map[string]string{}
	}
	n.of[u.ID] = u.Name
}

// name returns the name of a user, or the ID if no message has named the user.
func (n *userNames) name(id string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return cmp.Or(n.of[id], id)
}
