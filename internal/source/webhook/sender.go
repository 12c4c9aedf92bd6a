package webhook

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/stackreeve/stackreeve/internal/pattern"
)

// sender is how a forge sends its messages. Each forge has a file of its own.
type sender struct {
	forge Forge
	// names are the headers that may name the event of a message. The first one that is there counts.
	names []string
	// headers are the beginnings of the names of the forge's own headers. An agent that forwards a message keeps them.
	headers []string
	// greeting is the event by which the forge checks that the address answers; "" for none.
	greeting string
	// kinds are the messages that matter, by the names that the forge gives them.
	kinds map[string]Kind
	// claim returns how a message claims to be the forge's; nil when it does not, or not in the right form.
	claim func(http.Header) claim
	// read finds what a message is about. It is not ok when it is nothing for us.
	read func(name string, body []byte) (e Event, ok bool, err error)
}

// senders are all forges.
var senders = []*sender{&github, &gitea, &gitlab}

// event returns the name of a message; "" when it has none.
func (s *sender) event(h http.Header) string {
	for _, name := range s.names {
		if event := only(h, name, mostHeader); event != "" {
			return event
		}
	}
	return ""
}

// mostHeader is the longest value of a header that is read, in bytes.
const mostHeader = 100

// only returns the value of a header that is there once and is not too long.
func only(h http.Header, name string, most int) string {
	if all := h.Values(name); len(all) == 1 && len(all[0]) <= most {
		return all[0]
	}
	return ""
}

var (
	fullName = pattern.Of(`^[-A-Za-z0-9_.]{1,100}/[-A-Za-z0-9_.]{1,100}$`)
	fullHash = pattern.Of(`^[0-9a-f]{40}$`)
)

var errNoRepository = errors.New("names no repository")

// decode reads the body of a message.
func decode(name string, body []byte, into any) error {
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("is no %s message: %w", name, err)
	}
	return nil
}
