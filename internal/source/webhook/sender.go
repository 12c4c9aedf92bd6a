package webhook

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/stackreeve/stackreeve/internal/pattern"
)

// sender describes how a forge sends its messages. Each forge has a file of its own.
type sender struct {
	forge Forge
	// below is what follows the forge's name in the path; "" for nothing.
	below string
	// name is the event of every message, where only the body says more; else "".
	name string
	// names are the headers that may name the event of a message. The first one that exists counts.
	names []string
	// headers are the prefixes of the forge's own headers. An agent that forwards a message keeps these headers.
	headers []string
	// greeting is the event by which the forge checks that the address answers; "" for none.
	greeting string
	// kinds are the messages that are used, by the forge's names for them.
	kinds map[string]Kind
	// claim returns the claim of a message to come from the forge; nil when it has none of the right form.
	claim func(*http.Request) claim
	// read finds the event of a message. ok is false when the message does not concern us.
	read func(name string, body []byte) (e Event, ok bool, err error)
}

// senders are all forges.
var senders = []*sender{&github, &gitea, &gitlab, &gerrit}

// event returns the name of a message; "" when it has none.
func (s *sender) event(h http.Header) string {
	if s.name != "" {
		return s.name
	}
	for _, name := range s.names {
		if event := only(h, name, mostHeader); event != "" {
			return event
		}
	}
	return ""
}

// mostHeader is the maximal length of a header's value, in bytes.
const mostHeader = 100

// only returns the value of a header that occurs once and is not too long.
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
