package gitea_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge/forgetest"
)

var update = flag.Bool("update", false, "write what was delivered to the testdata of internal/source/webhook")

// hookSecret signs the deliveries of the tests. It need not be kept secret.
const hookSecret = "only-in-tests"

// delivery is an event with its headers and body, as Gitea sent it.
type delivery struct {
	header http.Header
	body   []byte
	said   struct {
		Action, Ref, After string
		Number             int
		Pull               *struct{ Merged bool } `json:"pull_request"`
		Issue              struct{ Number int }
		IsPull             bool `json:"is_pull"`
	}
}

func (d delivery) name() string {
	name := d.header.Get("X-Gitea-Event")
	if d.said.Action != "" {
		name += "-" + d.said.Action
	}
	if d.said.Pull != nil && d.said.Pull.Merged {
		name += "-merged"
	}
	return name
}

// mailbox receives deliveries.
type mailbox struct {
	mu  sync.Mutex
	got map[string]delivery
}

func (m *mailbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	d := delivery{header: r.Header, body: body}
	if err == nil {
		err = json.Unmarshal(body, &d.said)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.got[d.name()] = d
}

func (m *mailbox) wait(t *testing.T, name string) delivery {
	t.Helper()
	var d delivery
	forgetest.Wait(t, "the event "+name, func() (ok bool) {
		m.mu.Lock()
		defer m.mu.Unlock()
		d, ok = m.got[name]
		return ok
	})
	return d
}

// TestHooks delivers events of a real Gitea. With -update, it stores them as the deliveries with
// which the webhook endpoint is tested.
func TestHooks(t *testing.T) {
	lab := start(t)
	box := &mailbox{got: map[string]delivery{}}
	server := httptest.NewServer(box)
	t.Cleanup(server.Close)
	lab.Hook(t, server.URL+"/webhook/gitea", hookSecret)

	commit := lab.Push(t, "feature", map[string]string{"clouds/prod/net.yaml": "a: 1\n"})
	if d := box.wait(t, "push"); d.said.Ref != "refs/heads/feature" || d.said.After != commit {
		t.Errorf("push: %+v; want %s", d.said, commit)
	}
	number := lab.OpenPull(t, "feature", lab.Branch(), "Add a network")
	box.wait(t, "pull_request-opened")
	lab.Push(t, "feature", map[string]string{"clouds/prod/net.yaml": "a: 2\n"})
	box.wait(t, "pull_request-synchronized")
	lab.AddComment(t, number, "writer", "/stackreeve plan")
	if d := box.wait(t, "issue_comment-created"); d.said.Issue.Number != number || !d.said.IsPull {
		t.Errorf("a comment: %+v; want pull request %d", d.said, number)
	}
	lab.Close(t, number)
	box.wait(t, "pull_request-closed")
	lab.Reopen(t, number)
	box.wait(t, "pull_request-reopened")
	lab.Merge(t, number)
	box.wait(t, "pull_request-closed-merged")

	box.mu.Lock()
	defer box.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(box.got)) {
		d := box.got[name]
		if got, want := d.header.Get("X-Gitea-Signature"), sign(d.body); got != want {
			t.Errorf("%s: the signature is %s; want %s", name, got, want)
		}
		if strings.HasPrefix(name, "pull_request-") && d.said.Number != number {
			t.Errorf("%s: %+v; want pull request %d", name, d.said, number)
		}
		if *update {
			keep(t, lab, name, d)
		}
	}
}

func sign(body []byte) string {
	mac := hmac.New(sha256.New, []byte(hookSecret))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// keep stores a delivery in the testdata. It replaces the local address by the name of a public
// forge, and signs the body again. NAME.json is the exact body, and NAME.header has the headers.
func keep(t *testing.T, lab lab, name string, d delivery) {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "source", "webhook", "testdata", "gitea")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	ssh, _ := lab.SSH()
	body := strings.NewReplacer(lab.URL, "https://git.acme.example", ssh, "git.acme.example", "127.0.0.1", "git.acme.example").Replace(string(d.body))
	signature := sign([]byte(body))
	var header strings.Builder
	for _, key := range slices.Sorted(maps.Keys(d.header)) {
		value := d.header.Get(key)
		switch {
		case strings.Contains(key, "Signature"):
			value = strings.Replace(value, sign(d.body), signature, 1)
			if strings.Contains(key, "Hub-Signature") && !strings.Contains(key, "256") {
				continue // a signature with SHA-1, which we do not use
			}
		case key == "Content-Length" || key == "Accept-Encoding":
			continue
		}
		fmt.Fprintf(&header, "%s: %s\n", key, value)
	}
	for file, text := range map[string]string{name + ".json": body, name + ".header": header.String()} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
