package webhook

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stackreeve/stackreeve/internal/testcost"
)

// TestAttackWebhookReplaysTakeNothing repeats old messages, more than are stored. They are only
// hints, and a new message is still accepted.
func TestAttackWebhookReplaysTakeNothing(t *testing.T) {
	i := newInbox(t)
	for n := range 3 * maxSeen {
		if code, _ := i.send(message(GitHub, "push", push+strings.Repeat(" ", n%(maxSeen+7)+1))); code != 202 && code != 200 {
			t.Fatalf("signed message %d is answered %d", n, code)
		}
	}
	if code, _ := i.send(message(GitHub, "push", push)); code != 202 {
		t.Errorf("a new one is answered %d", code)
	}
	for _, e := range i.events {
		if e != i.events[0] {
			t.Fatalf("a replay says %+v", e)
		}
	}
}

// TestAttackWebhookOtherName sends a signed push under other event names first, because the name is
// not signed. The push under its own name must still be accepted.
func TestAttackWebhookOtherName(t *testing.T) {
	i := newInbox(t)
	for _, name := range []string{"ping", "pull_request", "issue_comment", "x"} {
		i.send(message(GitHub, name, push))
	}
	if code, _ := i.send(message(GitHub, "push", push)); code != 202 || len(i.events) != 1 {
		t.Errorf("answered %d, events %+v", code, i.events)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// stuck returns a message whose sender stops after size bytes, until the test closes release.
func stuck(t *testing.T, size int, release <-chan struct{}) *http.Request {
	t.Helper()
	r := message(GitHub, "push", push)
	sent := 0
	r.Body = io.NopCloser(readerFunc(func(p []byte) (int, error) {
		if sent == size {
			<-release
			return 0, io.EOF
		}
		n := min(len(p), size-sent)
		sent += n
		return n, nil
	}))
	r.ContentLength = -1
	return r
}

// TestAttackWebhookSlowBodies has hundreds of forged messages of the maximal length that stop in
// the middle. The number of their bytes in memory is limited. Signed messages are still accepted:
// small ones as usual, and large ones as a hint that anything may have changed.
func TestAttackWebhookSlowBodies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := newInbox(t)
		i.Count = func(Forge, Outcome) {}
		release := make(chan struct{})
		const senders = 256
		for range senders {
			r := stuck(t, MaxBody-1, release)
			go i.ServeHTTP(discard{http.Header{}}, r)
		}
		synctest.Wait()
		if used := i.pool.used.Load(); used > sharedBody || used == 0 {
			t.Errorf("%d shared bytes are kept of forged messages, want at most %d", used, sharedBody)
		}
		large := strings.Replace(push, "{", `{"x": "`+strings.Repeat("x", MaxBody/2)+`", `, 1)
		for _, c := range []struct {
			body string
			want Kind
		}{{push, Push}, {strings.Replace(push, "{", "{"+strings.Repeat(" ", ownBody/2), 1), Push}, {large, Any}} {
			if code, _ := i.send(message(GitHub, "push", c.body)); code != 202 || i.events[len(i.events)-1].Kind != c.want {
				t.Errorf("a signed message of %d bytes is answered %d, events %+v", len(c.body), code, i.events)
			}
		}
		close(release)
		synctest.Wait()
		if used := i.pool.used.Load(); used != 0 {
			t.Errorf("%d shared bytes are still kept", used)
		}
		if i.send(message(GitHub, "push", large)); i.events[len(i.events)-1].Kind != Push {
			t.Errorf("afterwards a large message says %+v", i.events[len(i.events)-1])
		}
	})
}

// discard is a sender that does not read the answer.
type discard struct{ header http.Header }

func (d discard) Header() http.Header       { return d.header }
func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) WriteHeader(int)             {}

// TestAttackWebhookUnreadBodies checks that nothing of a body is read if the message cannot be
// signed.
func TestAttackWebhookUnreadBodies(t *testing.T) {
	right := "sha256=" + sign(push, secret)
	for name, signature := range map[string]string{
		"none": "", "empty": "sha256=", "short": right[:len(right)-2], "long": right + "00", "no hex": "sha256=" + strings.Repeat("g", 64),
		"another sum": "sha1=" + right[7:], "padded": " " + right, "upper scheme": "SHA256=" + right[7:], "huge": "sha256=" + strings.Repeat("0", 1<<16),
	} {
		t.Run(name, func(t *testing.T) {
			i, read := newInbox(t), 0
			r := message(GitHub, "push", push)
			r.Header.Set("X-Hub-Signature-256", signature)
			r.Body = io.NopCloser(readerFunc(func(p []byte) (int, error) { read += len(p); return len(p), nil }))
			if code, _ := i.send(r); code != 401 || read > 0 {
				t.Errorf("answered %d after %d bytes", code, read)
			}
		})
	}
}

// TestAttackWebhookBodies has signed bodies that are huge, deeply nested, compressed or of another
// form. They are refused with limited memory.
func TestAttackWebhookBodies(t *testing.T) {
	for name, body := range map[string]string{
		"deep":            strings.Repeat(`{"repository":`, MaxBody/16),
		"deep list":       strings.Repeat("[", MaxBody-1),
		"deep in a field": `{"issue": {"pull_request": ` + strings.Repeat("[", MaxBody/2) + "}}",
		"many fields":     "{" + strings.Repeat(`"a":0,`, MaxBody/8) + `"a":0}`,
		"packed":          "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03",
		"binary":          strings.Repeat("\x00\xff", 1<<10),
		"no text":         `"push"`,
		"null":            "null",
	} {
		t.Run(name, func(t *testing.T) {
			i := newInbox(t)
			r := message(GitHub, "push", body)
			r.Header.Set("Content-Encoding", "gzip") // the signature covers the compressed body
			r.ContentLength = -1
			var code int
			spent := testcost.Allocated(func() { code, _ = i.send(r) })
			if code != 400 || len(i.events) > 0 {
				t.Errorf("answered %d, events %+v", code, i.events)
			}
			if most := int64(4 * MaxBody); spent > most {
				t.Errorf("%d bytes were allocated, want at most %d", spent, most)
			}
		})
	}
}

// TestAttackWebhookLostSecretIsSaidOnce sends messages while the secret's file is missing. That is
// logged once each time the file gets lost, and not for every message.
func TestAttackWebhookLostSecretIsSaidOnce(t *testing.T) {
	i := newInbox(t)
	said := strings.Builder{}
	i.Log = textLog(&said)
	for _, broken := range []error{os.ErrNotExist, nil, os.ErrNotExist} {
		i.broken = broken
		for range 1000 {
			i.send(message(GitHub, "push", push))
		}
	}
	if lines := strings.Count(said.String(), "secret cannot be read"); lines != 2 {
		t.Errorf("%d lines in the log, want 2", lines)
	}
}

// TestAttackWebhookOutcomesAreFew checks that no text of a sender becomes the value of a metric's
// label.
func TestAttackWebhookOutcomesAreFew(t *testing.T) {
	i := newInbox(t)
	for n := range 1000 {
		r := message(GitHub, fmt.Sprintf("event-%d", n), fmt.Sprintf(`{"n": %d}`, n))
		if n%2 == 0 {
			r.Header.Set("X-Hub-Signature-256", fmt.Sprintf("sha256=%064x", n))
		}
		i.send(r)
	}
	found := map[Outcome]bool{}
	for _, o := range i.outcomes {
		found[o] = true
		if _, ok := answers[o]; !ok {
			t.Fatalf("outcome %q", o)
		}
	}
	if len(found) != 2 {
		t.Errorf("outcomes %v", found)
	}
}

// TestAttackWebhookSecretFiles checks that an empty file does not count as an empty secret.
func TestAttackWebhookSecretFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"empty": "", "newline": "\n", "blank": " \t\r\n \n"} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if secrets, err := Secrets(file); err == nil {
			t.Errorf("%s gives %q", name, secrets)
		}
	}
	if secrets, err := Secrets(dir); err == nil {
		t.Errorf("a folder gives %q", secrets)
	}
	file := filepath.Join(dir, "newlines")
	if err := os.WriteFile(file, []byte(secret+"\r\n\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if secrets, err := Secrets(file); err != nil || len(secrets) != 1 || secrets[0] != secret {
		t.Errorf("%q, %v", secrets, err)
	}
}
