package notify_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/notify"
)

const secret = "hunter2-hunter2"

// received is a request as a receiver sees it.
type received struct {
	method, path, kind, login string
	body                      map[string]any
}

// receiver starts a server that answers with a code, and returns the request that it received.
func receiver(t *testing.T, code int) (address string, got *received) {
	t.Helper()
	got = &received{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		*got = received{method: r.Method, path: r.URL.EscapedPath(), kind: r.Header.Get("Content-Type"), login: r.Header.Get("Authorization")}
		if err = errors.Join(err, json.Unmarshal(text, &got.body)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(code)
		_, _ = io.WriteString(w, secret)
	}))
	t.Cleanup(s.Close)
	return s.URL, got
}

func file(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(name, []byte(text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

var failed = notify.Notification{Stack: "prod", Commit: "0123456789abcdef", State: "failed", Before: "in sync", Severity: notify.Error, Kinds: []string{"Server"},
	Message: "Server/web: no <valid> host & *more*\nsecond line", At: time.Unix(1_800_000_000, 0).UTC()}

// at returns the value at a path of names and list indexes.
func at(v any, path string) any {
	for part := range strings.SplitSeq(path, ".") {
		switch of := v.(type) {
		case map[string]any:
			v = of[part]
		case []any:
			v = of[part[0]-'0']
		default:
			return nil
		}
	}
	return v
}

// Each kind of receiver gets the format that its documentation describes. No text is interpreted as markup.
func TestFormats(t *testing.T) {
	text := "stack prod is failed at commit 0123456789\nServer/web: no <valid> host & *more*\nsecond line"
	for format, want := range map[notify.Format]map[string]any{
		notify.CloudEvents: {"specversion": "1.0", "source": "stackreeve/prod", "type": "dev.stackreeve.stack.failed", "subject": "prod", "time": "2027-01-15T08:00:00Z",
			"datacontenttype": "application/json", "data.state": "failed", "data.before": "in sync", "data.severity": "error", "data.kinds.0": "Server", "data.message": failed.Message},
		notify.Slack: {"text": "stack prod is failed at commit 0123456789\n```\nServer/web: no &lt;valid&gt; host &amp; *more*\nsecond line\n```"},
		notify.Teams: {"type": "message", "attachments.0.contentType": "application/vnd.microsoft.card.adaptive", "attachments.0.content.type": "AdaptiveCard",
			"attachments.0.content.body.0.inlines.0.color": "attention", "attachments.0.content.body.1.type": "RichTextBlock", "attachments.0.content.body.1.inlines.0.text": failed.Message},
		notify.PagerDuty: {"routing_key": secret, "event_action": "trigger", "dedup_key": "stackreeve/prod", "payload.severity": "error", "payload.source": "stackreeve/prod",
			"payload.summary": "stack prod is failed at commit 0123456789", "payload.custom_details.message": failed.Message},
		notify.Matrix: {"msgtype": "m.notice", "body": text, "format": "org.matrix.custom.html",
			"formatted_body": "<strong>stack prod is failed at commit 0123456789</strong><br>Server/web: no &lt;valid&gt; host &amp; *more*<br>second line"},
	} {
		t.Run(string(format), func(t *testing.T) {
			address, got := receiver(t, http.StatusOK)
			r := notify.Receiver{Format: format, URLFile: file(t, address), Room: "!a/b:example.com"}
			if format != notify.Slack && format != notify.Teams {
				r.TokenFile = file(t, secret)
			}
			if err := r.Deliver(t.Context(), failed); err != nil {
				t.Fatal(err)
			}
			for path, value := range want {
				if at(got.body, path) != value {
					t.Errorf("%s is %v, want %v", path, at(got.body, path), value)
				}
			}
			login := map[notify.Format]string{notify.CloudEvents: "Bearer " + secret, notify.Matrix: "Bearer " + secret}[format]
			if got.login != login {
				t.Errorf("the login is %q, want %q", got.login, login)
			}
			if format == notify.CloudEvents && !strings.HasPrefix(got.kind, "application/cloudevents+json") {
				t.Errorf("the content is %s", got.kind)
			}
			if format == notify.Matrix && (got.method != http.MethodPut || !strings.HasPrefix(got.path, "/_matrix/client/v3/rooms/%21a%2Fb:example.com/send/m.room.message/")) {
				t.Errorf("%s %s", got.method, got.path)
			}
		})
	}
}

// Each kind of receiver gets a link to more information.
func TestLinks(t *testing.T) {
	linked := failed
	linked.Link = "https://agent.example.com/ui/#/stack/prod"
	for format, path := range map[notify.Format]string{
		notify.CloudEvents: "data.link", notify.Slack: "text", notify.Teams: "attachments.0.content.actions.0.url", notify.PagerDuty: "links.0.href", notify.Matrix: "body",
	} {
		address, got := receiver(t, http.StatusOK)
		r := notify.Receiver{Format: format, URLFile: file(t, address), TokenFile: file(t, secret), Room: "!a:example.com"}
		if err := r.Deliver(t.Context(), linked); err != nil {
			t.Fatal(err)
		}
		if text, _ := at(got.body, path).(string); !strings.Contains(text, linked.Link) {
			t.Errorf("%s: %s is %q", format, path, text)
		}
	}
}

// In no chat does a file name become a link or a mention.
func TestAttackMentionsAndLinks(t *testing.T) {
	hostile := failed
	hostile.Message = "net/[approve here](https://evil.example/).yaml:1: Network/x: @channel @all @here <!channel> `x` ```\n@everyone ```` **bold**"
	address, got := receiver(t, http.StatusOK)
	r := notify.Receiver{Format: notify.Slack, URLFile: file(t, address)}
	if err := r.Deliver(t.Context(), hostile); err != nil {
		t.Fatal(err)
	}
	text, _ := got.body["text"].(string)
	title, rest, _ := strings.Cut(text, "\n```\n")
	code, ok := strings.CutSuffix(rest, "\n```")
	if !ok || strings.Contains(code, "`") || strings.Contains(code, "<") || strings.ContainsAny(title, "@[`<") || !strings.Contains(code, "@everyone") {
		t.Errorf("%q", text)
	}
	r = notify.Receiver{Format: notify.Matrix, URLFile: file(t, address), TokenFile: file(t, secret), Room: "!a:example.com"}
	if err := r.Deliver(t.Context(), hostile); err != nil {
		t.Fatal(err)
	}
	if mentioned, ok := got.body["m.mentions"].(map[string]any); !ok || len(mentioned) > 0 {
		t.Errorf("%v are mentioned", got.body["m.mentions"])
	}
}

// An incident ends when the stack is well again.
func TestIncidentsEnd(t *testing.T) {
	address, got := receiver(t, http.StatusAccepted)
	over := failed
	over.State, over.Before = "in sync", "failed"
	r := notify.Receiver{Format: notify.PagerDuty, URL: address, TokenFile: file(t, secret)}
	if err := r.Deliver(t.Context(), over); err != nil || got.body["event_action"] != "resolve" || got.body["dedup_key"] != "stackreeve/prod" || got.body["payload"] != nil {
		t.Errorf("%v, %v", err, got.body)
	}
}

// An agent has started an incident and then stopped. The incident ends when another agent finds that the stack
// is in sync. This happens once, and does not depend on the states in the rule. Other receivers get nothing.
func TestIncidentsEndThatAnotherAgentLeftOpen(t *testing.T) {
	for runs, want := range map[string]string{
		"ok ok":               "resolve",
		"suspended ok":        "resolve",
		"failed failed ok ok": "trigger resolve",
		"healed ok":           "resolve",
		"ok held ok":          "resolve",
	} {
		address, got := receiver(t, http.StatusAccepted)
		var sent []string
		rules := []notify.Rule{
			{Name: "oncall", Least: notify.Error, Kinds: []string{"Server"}, To: notify.Receiver{Format: notify.PagerDuty, URL: address, TokenFile: file(t, secret)}},
			{Name: "chat", Least: notify.Error, To: notify.Receiver{Format: notify.Slack}},
		}
		s := notify.New("prod", rules, notify.NewMemory(), func(r *notify.Rule, n notify.Notification) {
			if r.Name == "chat" {
				if n.State == "in sync" && n.Before != "failed" {
					t.Errorf("%s: the chat is told %s", runs, n.Title())
				}
				return
			}
			if err := r.To.Deliver(t.Context(), n); err != nil {
				t.Error(err)
			}
			sent = append(sent, fmt.Sprint(got.body["event_action"]))
		})
		for state := range strings.FieldsSeq(runs) {
			s.Ran(run(state, "a"))
		}
		if strings.Join(sent, " ") != want {
			t.Errorf("%s: sent %q, want %s", runs, sent, want)
		}
	}
}

// The answer of a receiver decides whether the agent tries again. No error contains a secret, and no redirect is
// followed.
func TestAnswers(t *testing.T) {
	for code, want := range map[int]error{200: nil, 204: nil, 302: notify.ErrRefused, 400: notify.ErrRefused, 401: notify.ErrRefused, 404: notify.ErrRefused, 429: notify.ErrUnavailable, 500: notify.ErrUnavailable, 503: notify.ErrUnavailable} {
		address, got := receiver(t, code)
		r := notify.Receiver{Format: notify.Slack, URLFile: file(t, address+"/services/"+secret)}
		err := r.Deliver(t.Context(), failed)
		if !errors.Is(err, want) || (err == nil) != (want == nil) {
			t.Errorf("%d: %v, want %v", code, err, want)
		}
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("%d: the error shows a secret: %v", code, err)
		}
		if got.path != "/services/"+secret {
			t.Errorf("%d: %s was asked", code, got.path)
		}
	}
	for _, address := range []string{"", "nowhere", "http://192.0.2.1/" + secret, "ftp://127.0.0.1/" + secret, "http://127.0.0.1:1/" + secret, "https://%zz/" + secret} {
		r := notify.Receiver{Format: notify.Slack, URLFile: file(t, address)}
		if err := r.Deliver(t.Context(), failed); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%q: %v", address, err)
		}
	}
	r := notify.Receiver{Format: notify.Slack, URLFile: "/nowhere"}
	if err := r.Deliver(t.Context(), failed); !errors.Is(err, notify.ErrUnavailable) {
		t.Errorf("without its file: %v", err)
	}
}
