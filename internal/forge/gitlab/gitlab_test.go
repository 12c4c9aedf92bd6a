package gitlab_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/forgetest"
	"github.com/stackreeve/stackreeve/internal/forge/gitlab"
)

// lab is the simulator of GitLab, and the agent's access to it.
type lab struct {
	*forgetest.GitLab
	forge *gitlab.Repository
}

func (l lab) Forge() forge.Forge { return l.forge.Forge() }

func start(t *testing.T) lab {
	t.Helper()
	g := forgetest.StartGitLab(t)
	r, err := gitlab.New(gitlab.Config{
		URL: g.URL, Project: g.Project, Token: func(context.Context) (string, error) { return g.Token(forgetest.Bot), nil }, RequestsPerHour: 100_000,
	})
	if err != nil {
		t.Fatal(err)
	}
	return lab{g, r}
}

func TestSuite(t *testing.T) {
	forgetest.Suite(t, func(t *testing.T) forgetest.Lab { return start(t) })
}

func file(text string) map[string]string { return map[string]string{"a.yaml": text} }

// TestMergeMethods checks that a merge request is found by the commit that the branch got from it,
// with each merge method.
func TestMergeMethods(t *testing.T) {
	l := start(t)
	for _, method := range []string{"merge", "squash", "ff"} {
		l.Push(t, method, map[string]string{method + ".yaml": "a: 1\n"})
		number := l.OpenPull(t, method, l.Branch(), method)
		commit := l.MergeBy(number, method)
		p, err := l.forge.MergedBy(t.Context(), l.Branch(), commit)
		if err != nil || p.Number != number || p.MergeCommit != commit || !p.Merged {
			t.Errorf("%s: %+v, %v; want !%d by %s", method, p, err, number, commit)
		}
	}
}

func set(t *testing.T, l lab, commit string, state forge.State, text string) {
	t.Helper()
	if err := l.forge.SetStatus(t.Context(), commit, forge.Status{Context: "c", State: state, Description: text}); err != nil {
		t.Fatalf("%s: %v", state, err)
	}
}

// TestStatusesGoWherePeopleLook checks that a status is written to the pipeline that people see,
// and that no other pipeline is created.
func TestStatusesGoWherePeopleLook(t *testing.T) {
	l := start(t)
	head := l.Push(t, "topic", file("a: 1\n"))
	number := l.OpenPull(t, "topic", l.Branch(), "Topic")
	if _, err := l.forge.OpenPulls(t.Context(), l.Branch()); err != nil {
		t.Fatal(err)
	}
	set(t, l, head, forge.Pending, "nothing runs here yet")
	set(t, l, head, forge.Success, "done")
	if n := l.Pipelines(); n != 1 {
		t.Errorf("%d pipelines for statuses; want 1", n)
	}
	pushed := l.RunPipeline(head, "topic", "push")
	reviewed := l.RunPipeline(head, "refs/merge-requests/1/head", "merge_request_event")
	set(t, l, head, forge.Failure, "held")
	if got := l.StatusIn(reviewed, "c"); got != "failed" || l.Pipelines() != 1 {
		t.Errorf("the merge request's pipeline says %q, of the branch %q, %d for statuses", got, l.StatusIn(pushed, "c"), l.Pipelines())
	}
	commit := l.MergeBy(number, "ff")
	if _, err := l.forge.OpenPulls(t.Context(), l.Branch()); err != nil {
		t.Fatal(err)
	}
	set(t, l, commit, forge.Success, "in sync")
	if got := l.StatusIn(pushed, "c"); got != "success" {
		t.Errorf("after the merge, the branch's pipeline says %q", got)
	}
}

// TestEveryStateFollowsEveryOther sets all pairs of states. GitLab refuses to repeat a state, which
// is no error here, and accepts the other changes.
func TestEveryStateFollowsEveryOther(t *testing.T) {
	l := start(t)
	commit := l.Push(t, "states", file("a: 1\n"))
	all := []forge.State{forge.Pending, forge.Success, forge.Failure, forge.Error}
	for _, from := range all {
		for _, to := range all {
			set(t, l, commit, from, "from")
			set(t, l, commit, to, "to")
			list, err := l.forge.Statuses(t.Context(), commit)
			if err != nil || len(list) != 1 || list[0].State != to {
				t.Errorf("%s after %s: %+v, %v", to, from, list, err)
			}
		}
	}
}

// TestRightsOfABranch checks that only maintainers may change a protected branch. An earlier name
// of an account gives no right.
func TestRightsOfABranch(t *testing.T) {
	l := start(t)
	l.Allow(t, "dev", true)
	number := l.OpenPull(t, l.Branch(), l.Branch(), "Talk")
	l.AddComment(t, number, "dev", "hello")
	said, err := l.forge.Comments(t.Context(), number)
	if err != nil {
		t.Fatal(err)
	}
	dev := forge.Person{ID: said[0].AuthorID, Login: "dev"}
	may := func(who forge.Person, want bool) {
		t.Helper()
		if got, err := l.forge.MayWrite(t.Context(), who, l.Branch()); got != want || err != nil {
			t.Errorf("%+v may write: %v, %v; want %v", who, got, err, want)
		}
	}
	may(dev, true)
	l.RenameUser("dev", "former")
	l.Allow(t, "dev", false)
	may(dev, true) // the account is found by its number
	may(forge.Person{Login: "dev"}, false)
	l.Protect(l.Branch())
	may(dev, false)
	may(forge.Person{Login: forgetest.Maintainer}, true)
	if got, err := l.forge.MayWrite(t.Context(), dev, "no-such-branch"); got || err != nil {
		t.Errorf("a branch that there is not: %v, %v", got, err)
	}
}

// TestOthersCannotSpeakForUs checks that our comments are recognised by the number of the account.
// Notes of GitLab itself, internal notes and notes on lines are not part of the conversation.
func TestOthersCannotSpeakForUs(t *testing.T) {
	l := start(t)
	l.Push(t, "talk", file("a: 1\n"))
	number := l.OpenPull(t, "talk", l.Branch(), "Talk")
	ours, err := l.forge.Post(t.Context(), number, "<!-- stackreeve -->")
	if err != nil {
		t.Fatal(err)
	}
	l.RenameUser(forgetest.Bot, "gone")
	l.AddComment(t, number, forgetest.Bot, "<!-- stackreeve -->") // another account with that name
	for _, kind := range []string{"system", "internal", "DiffNote"} {
		l.SayAs(number, "dev", kind, "/stackreeve plan")
	}
	l.SayAs(number, "project_12_bot_0f", "DiscussionNote", "/stackreeve plan")
	r, err := gitlab.New(gitlab.Config{URL: l.URL, Project: l.Project, Token: func(context.Context) (string, error) { return l.Token("gone"), nil }})
	if err != nil {
		t.Fatal(err)
	}
	list, err := r.Comments(t.Context(), number)
	if err != nil || len(list) != 3 {
		t.Fatalf("%+v, %v; want three", list, err)
	}
	if !list[0].Mine || list[0].ID != ours.ID || list[1].Mine || list[2].Mine || list[1].Bot || !list[2].Bot {
		t.Errorf("%+v", list)
	}
}

// TestAttackLongTexts has texts of GitLab's maximal length. They are read in small pages, so nobody
// can prevent with long texts that merge requests are read.
func TestAttackLongTexts(t *testing.T) {
	l := start(t)
	long := strings.Repeat("<", 1_000_000) // six bytes each, as JSON
	l.Push(t, "long", file("a: 1\n"))
	var number int
	for range 12 {
		number = l.OpenPull(t, "long", l.Branch(), "Long")
		l.Describe(number, long)
	}
	list, err := l.forge.OpenPulls(t.Context(), l.Branch())
	if err != nil || len(list) != 12 {
		t.Errorf("%d merge requests, %v; want 12", len(list), err)
	}
	for range 18 {
		l.AddComment(t, number, "stranger", long)
	}
	comments, err := l.forge.Comments(t.Context(), number)
	if !errors.Is(err, forge.ErrTooMany) || len(comments) < 16 {
		t.Errorf("%d comments, %v; want the first 16 MiB", len(comments), err)
	}
}

func TestWeather(t *testing.T) {
	l := start(t)
	ask := func() error { _, err := l.forge.OpenPulls(t.Context(), l.Branch()); return err }
	if err := ask(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		weather func(w http.ResponseWriter, r *http.Request) bool
		want    error
	}{
		"broken": {func(w http.ResponseWriter, _ *http.Request) bool {
			http.Error(w, "oops", http.StatusBadGateway)
			return true
		}, forge.ErrUnavailable},
		"no answer": {func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) }, forge.ErrUnavailable},
		"a page of a proxy": {func(w http.ResponseWriter, _ *http.Request) bool {
			_, _ = w.Write([]byte("<html>log in</html>"))
			return true
		}, forge.ErrUnavailable},
		"an object for a list": {func(w http.ResponseWriter, _ *http.Request) bool { _, _ = w.Write([]byte("{}")); return true }, forge.ErrUnavailable},
		"refused": {func(w http.ResponseWriter, _ *http.Request) bool {
			http.Error(w, `{"message":"403 Forbidden"}`, http.StatusForbidden)
			return true
		}, forge.ErrRefused},
	} {
		l.SetWeather(c.weather)
		if err := ask(); !errors.Is(err, c.want) {
			t.Errorf("%s: %v; want %v", name, err, c.want)
		}
	}
	l.SetWeather(func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Retry-After", "3600")
		http.Error(w, "Retry later", http.StatusTooManyRequests)
		return true
	})
	var limited *forge.LimitedError
	if err := ask(); !errors.As(err, &limited) || time.Until(limited.Until) < 59*time.Minute {
		t.Errorf("too many requests: %v", err)
	}
	served := l.Served()
	if err := ask(); !errors.As(err, &limited) || l.Served() != served {
		t.Errorf("asked although it is to be left alone: %v", err)
	}
}

// TestAttackRedirects checks that the token is sent only to the forge, even if the forge redirects
// to another host.
func TestAttackRedirects(t *testing.T) {
	other := forgetest.StartGitLab(t)
	l := start(t)
	l.SetWeather(func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusFound)
		return true
	})
	if _, err := l.forge.OpenPulls(t.Context(), l.Branch()); !errors.Is(err, forge.ErrRefused) || other.Served() != 0 {
		t.Errorf("sent on to another host: %v, which was asked %d times", err, other.Served())
	}
}

// TestAttackOddAnswers has a forge that sends values of other types, and answers about other
// objects.
func TestAttackOddAnswers(t *testing.T) {
	commit := strings.Repeat("a", 40)
	for _, body := range []string{
		`null`, `[]`, `[null]`, `{}`, `7`, `"x"`, `{"id":"7","iid":"7"}`, `{"id":-1,"iid":-7}`, `{"id":1e99}`, `[{"id":"1","author":null}]`,
		`[{"iid":7,"state":5,"target_branch":["main"],"sha":{}}]`, `{"id":7,"iid":8,"state":"active","access_level":"50"}`,
	} {
		l := start(t)
		if _, err := l.forge.Statuses(t.Context(), commit); err != nil && !errors.Is(err, forge.ErrNotFound) {
			t.Fatal(err)
		}
		l.SetWeather(func(w http.ResponseWriter, _ *http.Request) bool { _, _ = w.Write([]byte(body)); return true })
		if may, err := l.forge.MayWrite(t.Context(), forge.Person{ID: 7, Login: "x"}, "main"); may {
			t.Errorf("%s lets somebody write: %v", body, err)
		}
		if p, err := l.forge.Pull(t.Context(), 7); err == nil && p.Number != 7 {
			t.Errorf("%s: %+v", body, p)
		}
		if list, err := l.forge.Comments(t.Context(), 7); err == nil && len(list) > 0 {
			t.Errorf("%s: %+v", body, list)
		}
		if list, err := l.forge.Statuses(t.Context(), commit); err == nil && len(list) > 0 {
			t.Errorf("%s: %+v", body, list)
		}
		if list, err := l.forge.OpenPulls(t.Context(), "main"); err == nil && len(list) > 0 {
			t.Errorf("%s: %+v", body, list)
		}
		if _, err := l.forge.MergedBy(t.Context(), "main", commit); err == nil {
			t.Errorf("%s: a merge request is found", body)
		}
	}
}

func TestAttackAddresses(t *testing.T) {
	token := func(context.Context) (string, error) { return "t", nil }
	for _, c := range []gitlab.Config{
		{URL: "https://user:s3cr3t@host", Project: "a/b"}, {URL: "http://gitlab.example.org", Project: "a/b"}, {URL: "https://host?x", Project: "a/b"}, {URL: "host", Project: "a/b"},
		{URL: "https://host", Project: "a"}, {URL: "https://host", Project: "a/../b"}, {URL: "https://host", Project: "a/b?x"}, {URL: "https://host", Project: "a/b%2f"},
	} {
		c.Token = token
		if _, err := gitlab.New(c); err == nil || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%s %s: %v", c.URL, c.Project, err)
		}
	}
}
