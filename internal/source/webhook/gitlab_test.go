package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"testing"
)

const (
	labKey  = standardKey + "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	labPush = `{"object_kind": "push", "ref": "refs/heads/main", "after": "` + newest + `", "project": {"path_with_namespace": "acme/infra/config"}}`
)

// labSigned returns a message of a GitLab that signs with a key, in the form of Standard Webhooks.
func labSigned(t *testing.T, event, body, key string) *http.Request {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(key, standardKey))
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha256.New, raw)
	mac.Write([]byte("msg_1.1614265330." + body))
	r := message(GitLab, event, body)
	r.Header.Del("X-Gitlab-Token")
	r.Header.Set("Webhook-Id", "msg_1")
	r.Header.Set("Webhook-Timestamp", "1614265330")
	r.Header.Set("Webhook-Signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return r
}

func TestGitLabMessages(t *testing.T) {
	const project = `"project": {"path_with_namespace": "acme/infra/config"}`
	const pull = `"iid": 7, "target_branch": "main", "last_commit": {"id": "` + newest + `"}`
	about := Event{Forge: GitLab, Kind: Pull, Repository: "acme/infra/config", Branch: "main", Number: 7, Commit: newest}
	note := about
	note.Kind = Comment
	pushed := Event{Forge: GitLab, Kind: Push, Repository: "acme/infra/config", Branch: "main", Commit: newest}
	for name, c := range map[string]struct {
		event, body string
		want        Event // the zero value if the message is ignored
	}{
		"a push":                      {"Push Hook", labPush, pushed},
		"a push, of the whole server": {"System Hook", labPush, pushed},
		"a tag":                       {"Tag Push Hook", strings.Replace(labPush, "heads", "tags", 1), Event{}},
		"a tag, as a push":            {"Push Hook", strings.Replace(labPush, "heads", "tags", 1), Event{}},
		"a merge request":             {"Merge Request Hook", `{"object_kind": "merge_request", ` + project + `, "object_attributes": {` + pull + `}}`, about},
		"a note on a merge request":   {"Note Hook", `{"object_kind": "note", ` + project + `, "object_attributes": {"id": 1}, "merge_request": {` + pull + `}}`, note},
		"an internal note":            {"Confidential Note Hook", `{"object_kind": "note", ` + project + `, "merge_request": {` + pull + `}}`, note},
		"a note on an issue":          {"Note Hook", `{"object_kind": "note", ` + project + `, "issue": {"iid": 7}}`, Event{}},
		"a new user of a server":      {"System Hook", `{"event_name": "user_create"}`, Event{}},
		"a pipeline":                  {"Pipeline Hook", `{"object_kind": "pipeline"}`, Event{}},
		"odd fields":                  {"Merge Request Hook", `{"object_kind": "merge_request", ` + project + `, "object_attributes": {"iid": -1, "target_branch": "a\u0000", "last_commit": {"id": "x"}}}`, Event{Forge: GitLab, Kind: Pull, Repository: "acme/infra/config"}},
	} {
		t.Run(name, func(t *testing.T) {
			i := newInbox(t)
			code, _ := i.send(message(GitLab, c.event, c.body))
			if want := map[bool]int{true: 204, false: 202}[c.want == Event{}]; code != want {
				t.Fatalf("answered %d, want %d", code, want)
			}
			if c.want != (Event{}) && !slices.Equal(i.events, []Event{c.want}) {
				t.Errorf("events %+v, want %+v", i.events, c.want)
			}
		})
	}
}

// TestGitLabTokensAndSignatures checks that a token counts only without a signing key. With a key, the message
// has to be signed.
func TestGitLabTokensAndSignatures(t *testing.T) {
	with := func(r *http.Request, name, value string) *http.Request {
		r.Header.Set(name, value)
		return r
	}
	signed := func() *http.Request { return labSigned(t, "Push Hook", labPush, labKey) }
	token := func() *http.Request { return message(GitLab, "Push Hook", labPush) }
	other := standardKey + base64.StdEncoding.EncodeToString(make([]byte, 32))
	for name, c := range map[string]struct {
		secrets []string
		request *http.Request
		outcome Outcome
	}{
		"a token":                            {[]string{"another", secret}, token(), Accepted},
		"a wrong token":                      {[]string{"another"}, token(), WrongToken},
		"a part of a token":                  {[]string{secret}, with(token(), "X-Gitlab-Token", secret[:31]), WrongToken},
		"no token":                           {[]string{secret}, with(token(), "X-Gitlab-Token", ""), Unsigned},
		"a token where keys are known":       {[]string{secret, labKey}, token(), Unsigned},
		"the key as a token":                 {[]string{labKey}, with(token(), "X-Gitlab-Token", labKey), Unsigned},
		"a signature":                        {[]string{labKey}, signed(), Accepted},
		"a signature beside a wrong token":   {[]string{labKey}, with(signed(), "X-Gitlab-Token", "x"), Accepted},
		"a signature by another key":         {[]string{other}, signed(), Forged},
		"a signature while keys change":      {[]string{other, labKey}, signed(), Accepted},
		"a signature without a key":          {[]string{secret}, signed(), Unsigned},
		"several signatures, one good":       {[]string{labKey}, with(signed(), "Webhook-Signature", "v1a,x v1,AAAA "+signed().Header.Get("Webhook-Signature")), Accepted},
		"a signature of another message":     {[]string{labKey}, with(signed(), "Webhook-Id", "msg_2"), Forged},
		"a signature of another time":        {[]string{labKey}, with(signed(), "Webhook-Timestamp", "1614265331"), Forged},
		"a signature of another form":        {[]string{labKey}, with(signed(), "Webhook-Signature", "v2,AAAA"), Unsigned},
		"GitHub's signature and no token":    {[]string{secret}, with(with(token(), "X-Gitlab-Token", ""), "X-Hub-Signature-256", "sha256="+sign(labPush, secret)), Unsigned},
		"a token, and GitHub's event's name": {[]string{secret}, with(with(token(), "X-Gitlab-Event", ""), "X-Github-Event", "push"), Nameless},
	} {
		t.Run(name, func(t *testing.T) {
			i := newInbox(t)
			i.secrets = c.secrets
			i.send(c.request)
			if i.last() != c.outcome || (c.outcome == Accepted) != (len(i.events) == 1) {
				t.Errorf("%s, events %+v; want %s", i.last(), i.events, c.outcome)
			}
		})
	}
}

// TestStandardWebhooksExample checks that the signature of the specification's own example is the one in the
// specification.
func TestStandardWebhooksExample(t *testing.T) {
	const body = `{"test": 2432232314}`
	sum, err := base64.StdEncoding.DecodeString("g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
	if err != nil {
		t.Fatal(err)
	}
	p, outcome := tokenOrSignature{before: "msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.", sums: [][]byte{sum}}.against([]string{labKey})
	if outcome != "" {
		t.Fatal(outcome)
	}
	_, _ = p.Write([]byte(body)) // never fails
	if !p.holds() {
		t.Error("the signature does not hold")
	}
}

// TestCutSigningKey has a key that was not copied completely. New refuses it, because otherwise all of
// GitLab's messages would be refused.
func TestCutSigningKey(t *testing.T) {
	for _, key := range []string{standardKey, standardKey + "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS"} {
		if _, err := New(Config{Secrets: func() ([]string, error) { return []string{secret, key}, nil }}); err == nil {
			t.Errorf("%s is taken for a key", key)
		}
	}
}

// TestAttackWebhookWrongToken has messages with a wrong token. Their bodies must not be read.
func TestAttackWebhookWrongToken(t *testing.T) {
	i, read := newInbox(t), 0
	r := message(GitLab, "Push Hook", labPush)
	r.Header.Set("X-Gitlab-Token", "guess")
	r.Body = http.MaxBytesReader(nil, readCloser{readerFunc(func(p []byte) (int, error) { read += len(p); return len(p), nil })}, 1<<20)
	r.ContentLength = -1
	if code, _ := i.send(r); code != 401 || read > 0 {
		t.Errorf("answered %d after %d bytes", code, read)
	}
}

type readCloser struct{ readerFunc }

func (readCloser) Close() error { return nil }

// FuzzGitLab sends any message. It is accepted only with the secret, and the event has the right form.
func FuzzGitLab(f *testing.F) {
	f.Add("Push Hook", labPush, secret)
	f.Add("Note Hook", `{"object_kind": "note", "merge_request": {"iid": 1}, "project": {"path_with_namespace": "a/b/c"}}`, "x")
	f.Add("System Hook", `{"object_kind": "merge_request", "project": {"path_with_namespace": "../b"}}`, secret)
	f.Fuzz(func(t *testing.T, event, body, token string) {
		i := newInbox(t)
		r := message(GitLab, event, body)
		r.Header.Set("X-Gitlab-Token", token)
		code, _ := i.send(r)
		if token != secret && code < 400 {
			t.Errorf("answered %d", code)
		}
		for _, e := range i.events {
			if !projectPath.MatchString(e.Repository) || e.Number < 0 || e.Commit != "" && !fullHash.MatchString(e.Commit) {
				t.Errorf("event %+v", e)
			}
		}
	})
}
