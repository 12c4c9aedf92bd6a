package webhook

import (
	"mime"
	"net/http"
)

const (
	mediaJSON = "application/json"
	mediaForm = "application/x-www-form-urlencoded" // GitHub's default
)

// head is the information from the head of a message: its event, its media type and its claim.
type head struct {
	name, media string
	claim       claim
}

// headOf checks the head of a message. outcome is "" if the body is to be read.
func headOf(r *http.Request, from *sender) (h head, outcome Outcome) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	h = head{from.event(r.Header), media, from.claim(r)}
	switch {
	case err != nil || media != mediaJSON && media != mediaForm:
		outcome = Media
	case h.claim == nil:
		outcome = Unsigned
	case h.name == "":
		outcome = Nameless
	case r.ContentLength > MaxBody:
		outcome = TooLong
	}
	return h, outcome
}
