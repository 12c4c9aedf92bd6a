package webhook

import (
	"mime"
	"net/http"
)

const (
	mediaJSON = "application/json"
	mediaForm = "application/x-www-form-urlencoded" // what GitHub sends unless configured otherwise
)

// head judges a message by its head; outcome is "" when its body is worth
// reading.
func head(r *http.Request, forge Forge) (name, media string, claimed []byte, outcome Outcome) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	name, claimed = eventName(r.Header, forge), signature(r.Header, forge)
	switch {
	case err != nil || media != mediaJSON && media != mediaForm:
		outcome = Media
	case claimed == nil:
		outcome = Unsigned
	case name == "":
		outcome = Nameless
	case r.ContentLength > MaxBody:
		outcome = TooLong
	}
	return name, media, claimed, outcome
}

func eventName(h http.Header, forge Forge) string {
	if forge == Gitea {
		for _, name := range []string{"X-Forgejo-Event", "X-Gitea-Event"} {
			if event := only(h, name); event != "" {
				return event
			}
		}
	}
	return only(h, "X-GitHub-Event")
}

// only is the value of a header that is there once.
func only(h http.Header, name string) string {
	if all := h.Values(name); len(all) == 1 && len(all[0]) <= 100 {
		return all[0]
	}
	return ""
}
