package webhook

import (
	"net/http"
	"strings"
	"testing"
)

// TestWhatIsAcceptedIsForwarded checks that an accepted message is forwarded once, with its signature.
// The other agent accepts it, and does not forward it again.
func TestWhatIsAcceptedIsForwarded(t *testing.T) {
	var sent []Message
	var about []Event
	from, to := newInbox(t), newInbox(t)
	forward := func(e Event, m Message) { about, sent = append(about, e), append(sent, m) }
	from.Forward, to.Forward = forward, forward
	for _, forge := range []Forge{GitHub, Gitea, GitLab, Gerrit} {
		event, body := "push", strings.ReplaceAll(push, "main", string(forge))
		if forge == GitLab {
			event, body = "Push Hook", labPush
		}
		if forge == Gerrit {
			body = gerritPush
		}
		from.send(message(forge, event, body))
		from.send(message(forge, event, body)) // the forge sends the same message again
	}
	if len(sent) != 4 || about[0].Repository != "acme/config" {
		t.Fatalf("%d were forwarded, about %+v", len(sent), about)
	}
	for _, m := range sent {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://other"+m.Path, strings.NewReader(string(m.Body)))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = m.Header
		if code, words := to.send(r); code != http.StatusAccepted {
			t.Errorf("%s: %d %s", m.Path, code, words)
		}
	}
	if len(to.events) != 4 || len(sent) != 4 {
		t.Errorf("%d events arrived, %d messages were sent", len(to.events), len(sent))
	}
}

// TestAttackForwardedMessages checks that no unsigned message is forwarded. Only the forge's own headers
// are forwarded.
func TestAttackForwardedMessages(t *testing.T) {
	var sent []Message
	i := newInbox(t)
	i.Forward = func(_ Event, m Message) { sent = append(sent, m) }
	r := message(GitHub, "push", push)
	r.Header.Set("X-Hub-Signature-256", "sha256="+sign(push, "a guess"))
	i.send(r)
	i.send(message(GitHub, "ping", `{}`))
	if len(sent) != 0 {
		t.Fatalf("forwarded: %+v", sent)
	}
	r = message(GitHub, "push", push)
	r.Header.Set("Authorization", "Bearer x")
	r.Header.Set("Cookie", "x")
	r.Header["X-Github-Other"] = []string{"a", "b"}
	i.send(r)
	if len(sent) != 1 || sent[0].Header.Get("Authorization")+sent[0].Header.Get("Cookie") != "" || sent[0].Header["X-Github-Other"] != nil || sent[0].Header.Get(Forwarded) == "" {
		t.Errorf("forwarded: %+v", sent)
	}
}
