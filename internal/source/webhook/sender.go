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
	// below is the part of the path after the forge's name; "" if there is none.
	below string
	// name is the name of the event of every message, for a forge that names events only in the body; otherwise
	// "".
	name string
	// names are the headers that may name the event of a message. The first one that exists counts.
	names []string
	// headers are the prefixes of the forge's own headers. An agent that forwards a message includes these
	// headers.
	headers []string
	// greeting is the event with which the forge checks that the address answers; "" if there is none.
	greeting string
	// kinds are the kinds of the events that are used, by the forge's names of the events.
	kinds map[string]Kind
	// claim returns the part of a message with which the forge proves that it knows the secret; nil if there is
	// none of the right form.
	claim func(*http.Request) claim
	// read returns the event of a message. ok is false if the message does not concern us.
	read func(name string, body []byte) (e Event, ok bool, err error)
}

// senders has one entry for each kind of forge.
var senders = []*sender{&github, &gitea, &gitlab, &gerrit}

// event returns the name of a message's event, or "" if there is none.
func (s *sender) event(h http.Header) string {
	if s.name != "" {
		return s.name
	}
	for _, name := range s.names {
		if event := singleHeader(h, name, maxHeader); event != "" {
			return event
		}
	}
	return ""
}

// maxHeader is the maximal length of a header's value, in bytes.
const maxHeader = 100

// singleHeader returns the value of a header that occurs once and is not too long.
func singleHeader(h http.Header, name string, most int) string {
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

// decode parses the body of a message.
func decode(name string, body []byte, into any) error {
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("is no %s message: %w", name, err)
	}
	return nil
}
