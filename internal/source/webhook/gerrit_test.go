package webhook

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

const gerritPush = `{"type": "ref-updated", "refUpdate": {"project": "infra/config", "refName": "refs/heads/main", "newRev": "` + newest + `"}}`

func TestGerritMessages(t *testing.T) {
	const change = `"change": {"project": "infra/config", "branch": "main", "number": 7}, "patchSet": {"number": 2, "revision": "` + newest + `"}}`
	about := Event{Forge: Gerrit, Kind: Pull, Repository: "infra/config", Branch: "main", Number: 7, Commit: newest}
	said, quoted, bare := about, about, about
	said.Kind, quoted.Repository = Comment, "config"
	bare.Number, bare.Branch, bare.Commit = 0, "", ""
	pushed := Event{Forge: Gerrit, Kind: Push, Repository: "infra/config", Branch: "main", Commit: newest}
	for name, c := range map[string]struct {
		body string
		want Event
		code int
	}{
		"a patch set":         {`{"type": "patchset-created", ` + change, about, 202},
		"a topic":             {`{"type": "topic-changed", ` + change, about, 202},
		"a message":           {`{"type": "comment-added", ` + change, said, 202},
		"a push":              {gerritPush, pushed, 202},
		"a push, short":       {strings.Replace(gerritPush, "refs/heads/", "", 1), pushed, 202},
		"a tag":               {strings.Replace(gerritPush, "refs/heads/", "refs/tags/", 1), Event{}, 204},
		"a patch set as push": {strings.Replace(gerritPush, "refs/heads/main", "refs/changes/07/7/2", 1), Event{}, 204},
		"a number in quotes":  {strings.NewReplacer("7}", `"7"}`, "infra/", "").Replace(`{"type": "change-merged", ` + change), quoted, 202},
		"odd fields":          {`{"type": "change-merged", "change": {"project": "infra/config", "branch": "a\u0000", "number": {}}, "patchSet": {"revision": "x"}}`, bare, 202},
		"of no interest":      {`{"type": "hashtags-changed", ` + change, Event{}, 204},
		"of no type":          {`{}`, Event{}, 204},
		"of no project":       {`{"type": "change-merged"}`, Event{}, 400},
		"of an odd project":   {`{"type": "change-merged", "change": {"project": "../config"}}`, Event{}, 400},
		"other JSON":          {`[1]`, Event{}, 400},
	} {
		i := newInbox(t)
		code, _ := i.send(message(Gerrit, "", c.body))
		if code != c.code || code == 202 && !slices.Equal(i.events, []Event{c.want}) || code != 202 && len(i.events) > 0 {
			t.Errorf("%s: answered %d, events %+v; want %d, %+v", name, code, i.events, c.code, c.want)
		}
	}
}

// A message is accepted only with the secret in the path. Nothing in the body or the headers
// replaces the secret.
func TestAttackGerritWithoutTheSecret(t *testing.T) {
	for path, want := range map[string]int{
		"/webhook/gerrit": 404, "/webhook/gerrit/": 404, "/webhook/gerrit/x": 401, "/webhook/gerrit/" + secret + "x": 401, "/webhook/gerrit/" + secret[1:]: 401,
		"/webhook/gerrit/" + secret + "/": 404, "/webhook/gerrit/x/" + secret: 404, "/webhook/gerrit/" + strings.Repeat("x", maxSigned+1): 401,
		"/webhook/gerrit/%00": 401, "/webhook/gerrit/x?secret=" + secret: 401, "/webhook/gerrit/" + secret: 202,
	} {
		i := newInbox(t)
		i.secrets = append(i.secrets, "")
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(gerritPush))
		r.Header.Set("Content-Type", "application/json; charset=UTF-8")
		r.Header.Set("X-Gitlab-Token", secret)
		r.Header.Set("X-Origin-Url", "https://review.example.com")
		if code, _ := i.send(r); code != want || (want == 202) != (len(i.events) == 1) {
			t.Errorf("%s: answered %d, events %+v; want %d", path, code, i.events, want)
		}
	}
}

// FuzzGerrit reads any bytes as an event. An event that is accepted names a project.
func FuzzGerrit(f *testing.F) {
	f.Add([]byte(gerritPush))
	f.Add([]byte(`{"type": "comment-added", "change": {"project": "a", "number": "7"}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		e, ok, err := readGerrit("event", body)
		if ok && (err != nil || e.Kind == 0 || e.Kind == Any || !gerritProject.MatchString(e.Repository)) {
			t.Errorf("%q is %+v, %v", body, e, err)
		}
		e.cleaned()
	})
}
