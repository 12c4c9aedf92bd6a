package gerrit_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/forgetest"
	"github.com/stackreeve/stackreeve/internal/forge/gerrit"
)

// lab is the simulator of Gerrit, and the agent's access to it.
type lab struct {
	*forgetest.Gerrit
	forge *gerrit.Repository
}

func (l lab) Forge() forge.Forge { return l.forge.Forge() }

func start(t *testing.T) lab {
	t.Helper()
	g := forgetest.StartGerrit(t)
	r, err := gerrit.New(gerrit.Config{
		URL: g.URL, Project: g.Project, User: forgetest.Bot, Password: func(context.Context) (string, error) { return g.Password(forgetest.Bot), nil },
		Label: g.Label, RequestsPerHour: 100_000,
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

// A change is found by the commit that the branch got from it, by any method of submitting.
func TestSubmitMethods(t *testing.T) {
	l := start(t)
	for _, method := range []string{"cherry-pick", "merge", "ff"} {
		l.Push(t, method, map[string]string{method + ".yaml": "a: 1\n"})
		number := l.OpenPull(t, method, l.Branch(), method)
		commit := l.SubmitBy(number, method)
		p, err := l.forge.MergedBy(t.Context(), l.Branch(), commit)
		if err != nil || p.Number != number || p.MergeCommit != commit || !p.Merged {
			t.Errorf("%s: %+v, %v; want %d by %s", method, p, err, number, commit)
		}
	}
}

// A change counts as one of the uploader of its newest patch set. If the uploader is a stranger, it
// is planned like a pull request from a fork.
func TestAttackPatchSetsOfStrangers(t *testing.T) {
	l := start(t)
	l.Push(t, "topic", file("a: 1\n"))
	number := l.OpenPull(t, "topic", l.Branch(), "Topic")
	fork := func() bool {
		t.Helper()
		list, err := l.forge.OpenPulls(t.Context(), l.Branch())
		if err != nil || len(list) != 1 {
			t.Fatalf("%+v, %v", list, err)
		}
		return list[0].Fork
	}
	if fork() {
		t.Error("a maintainer's counts as a stranger's")
	}
	l.UploadAs(number, "stranger", "stranger", file("a: 2\n"))
	if !fork() {
		t.Error("a stranger's patch set on a maintainer's change is trusted")
	}
	l.UploadAs(number, forgetest.Maintainer, "stranger", file("a: 3\n"))
	if !fork() {
		t.Error("a patch set in the name of a maintainer is trusted")
	}
}

// If many strangers upload changes, the agent asks about few of them at a time. Uploaders who were
// trusted before are still trusted.
func TestAttackManyUploaders(t *testing.T) {
	l := start(t)
	for i := range 30 {
		l.Fork(t, fmt.Sprint("stranger-", i), "x", file(fmt.Sprintf("a: %d\n", i)))
	}
	served := l.Served()
	list, err := l.forge.OpenPulls(t.Context(), l.Branch())
	if err != nil || len(list) != 30 || slices.ContainsFunc(list, func(p forge.Pull) bool { return !p.Fork }) {
		t.Fatalf("%d changes, %v; want 30 of strangers", len(list), err)
	}
	if n := l.Served() - served; n != 1+2*10+1 {
		t.Errorf("%d requests; want the list, two for each of ten uploaders, and one for the commit below them all", n)
	}
}

// All statuses of a patch set make one vote. If Gerrit refuses the vote, the messages are still
// written.
func TestVotes(t *testing.T) {
	l := start(t)
	head := l.Push(t, "votes", file("a: 1\n"))
	number := l.OpenPull(t, "votes", l.Branch(), "Votes")
	set := func(name string, state forge.State, want int) {
		t.Helper()
		if err := l.forge.SetStatus(t.Context(), head, forge.Status{Context: name, State: state, Description: "d"}); err != nil {
			t.Fatal(err)
		}
		if got := l.Vote(number, forgetest.Bot); got != want {
			t.Errorf("%s of %s makes the vote %d; want %d", state, name, got, want)
		}
	}
	set("a", forge.Success, 1)
	set("b", forge.Failure, -1)
	set("a", forge.Success, -1)
	set("b", forge.Error, 0)
	set("b", forge.Success, 1)
	l.LetVote(forgetest.Bot, false)
	set("b", forge.Failure, 1)
	list, err := l.forge.Statuses(t.Context(), head)
	if err != nil || len(list) != 2 || list[0].State != forge.Failure {
		t.Errorf("without a vote: %+v, %v", list, err)
	}
	served := l.Served()
	set("b", forge.Pending, 1)
	if n := l.Served() - served; n != 2 {
		t.Errorf("%d requests after a vote was refused; want the query and the message", n)
	}
}

// A command counts only if a person wrote it: not the agent, not a program, and nobody in the name
// of somebody else. A command that is written on Gerrit's web page is a remark on the patch set.
func TestOthersCannotSpeakForUs(t *testing.T) {
	l := start(t)
	l.Push(t, "talk", file("a: 1\n"))
	number := l.OpenPull(t, "talk", l.Branch(), "Talk")
	l.Robot("robot")
	ours, err := l.forge.Post(t.Context(), number, "<!-- stackreeve {} -->\nthe plan")
	if err != nil || ours.Body != "<!-- stackreeve {} -->\nthe plan" {
		t.Fatalf("%+v, %v", ours, err)
	}
	frame := "\n\n[stackreeve: comment 2, part 1 of 1]"
	page := l.SayOnPage(number, "ann", "/stackreeve plan")
	l.SayAs(number, "ann", "ann", "autogenerated:stackreeve~plan", "not ours"+frame)
	l.SayAs(number, "robot", "robot", "", "/stackreeve plan")
	l.SayAs(number, "ann", "mallory", "", "/stackreeve plan")
	l.SayAs(number, forgetest.Bot, forgetest.Bot, "", "/stackreeve plan")
	l.SayAs(number, forgetest.Bot, "mallory", "autogenerated:stackreeve~plan", "not ours"+frame)
	l.SayAs(number, "ann", "ann", "", "Change message removed by: Admin; Reason: spam\n/stackreeve plan")
	list, err := l.forge.Comments(t.Context(), number)
	if err != nil || len(list) != 7 {
		t.Fatalf("%+v, %v; want seven", list, err)
	}
	if list[0].Body != ours.Body || list[1].ID != page || list[1].Body != "/stackreeve plan" || list[1].Bot || list[1].Mine {
		t.Errorf("%+v", list[:2])
	}
	for _, c := range list[2:] {
		if !c.Bot || c.Mine && c.AuthorID != ours.AuthorID {
			t.Errorf("counts as a person's: %+v", c)
		}
	}
}

// If one of the messages of an edit is not written, the comment keeps its earlier text.
func TestHalfAComment(t *testing.T) {
	l := start(t)
	l.Push(t, "half", file("a: 1\n"))
	number := l.OpenPull(t, "half", l.Branch(), "Half")
	long := "<!-- stackreeve {} -->\n" + strings.Repeat("🙂 word\n", 5_000) + "   end"
	c, err := l.forge.Post(t.Context(), number, long)
	if err != nil || c.Body != long {
		t.Fatalf("%d bytes came back as %d, %v", len(long), len(c.Body), err)
	}
	posts := 0
	l.SetWeather(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPost {
			posts++
		}
		if posts == 2 {
			http.Error(w, "oops", http.StatusBadGateway)
		}
		return posts == 2
	})
	if err := l.forge.Edit(t.Context(), number, c.ID, long+"!"); !errors.Is(err, forge.ErrUnavailable) {
		t.Errorf("half an edit: %v", err)
	}
	l.SetWeather(nil)
	list, err := l.forge.Comments(t.Context(), number)
	if err != nil || len(list) != 1 || list[0].Body != long {
		t.Errorf("after half an edit: %d comments, %v", len(list), err)
	}
	if err := l.forge.Edit(t.Context(), number, c.ID, long+"!"); err != nil {
		t.Fatal(err)
	}
	if list, err = l.forge.Comments(t.Context(), number); err != nil || len(list) != 1 || list[0].Body != long+"!" || list[0].ID != c.ID {
		t.Errorf("after the edit: %d comments, %v", len(list), err)
	}
}

// Long messages of strangers do not prevent that the comments of a change are read.
func TestAttackLongTexts(t *testing.T) {
	l := start(t)
	l.Push(t, "long", file("a: 1\n"))
	number := l.OpenPull(t, "long", l.Branch(), "Long")
	for range 18 {
		l.AddComment(t, number, "stranger", strings.Repeat("<", 1_000_000))
	}
	list, err := l.forge.Comments(t.Context(), number)
	if !errors.Is(err, forge.ErrTooMany) || len(list) > 16 {
		t.Errorf("%d comments, %v; want at most the first 16 MiB", len(list), err)
	}
}

func TestWeather(t *testing.T) {
	l := start(t)
	ask := func() error { _, err := l.forge.OpenPulls(t.Context(), l.Branch()); return err }
	for name, c := range map[string]struct {
		code int
		body string
		want error
	}{
		"broken":              {502, "oops", forge.ErrUnavailable},
		"a page of a proxy":   {200, "<html>log in</html>", forge.ErrUnavailable},
		"without the guard":   {200, "[]", forge.ErrUnavailable},
		"an object":           {200, ")]}'\n{}", forge.ErrUnavailable},
		"no right":            {403, "Forbidden", forge.ErrRefused},
		"a wrong password":    {401, "Unauthorized", forge.ErrRefused},
		"it is being updated": {409, "Conflict", forge.ErrUnavailable},
	} {
		l.SetWeather(func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(c.code)
			_, _ = w.Write([]byte(c.body))
			return true
		})
		if err := ask(); !errors.Is(err, c.want) {
			t.Errorf("%s: %v; want %v", name, err, c.want)
		}
	}
	l.SetWeather(func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Retry-After", "3600")
		http.Error(w, "Too many", http.StatusTooManyRequests)
		return true
	})
	var limited *forge.LimitedError
	if err := ask(); !errors.As(err, &limited) || time.Until(limited.Until) < 59*time.Minute {
		t.Errorf("too many requests: %v", err)
	}
}

// A hostile or unusual forge sends values of other types, and answers about other objects.
func TestAttackOddAnswers(t *testing.T) {
	commit := strings.Repeat("a", 40)
	for _, body := range []string{
		`null`, `[]`, `[null]`, `{}`, `7`, `{"_number":"7"}`, `{"status":"200"}`, `{"_account_id":-1}`, `{"_number":7,"project":"other","status":"NEW"}`,
		`[{"_number":7,"project":"infra/cloud-config","branch":["main"],"status":5}]`, `[{"id":"1","author":null,"message":{}}]`,
	} {
		l := start(t)
		if _, err := l.forge.Statuses(t.Context(), commit); err != nil {
			t.Fatal(err)
		}
		l.SetWeather(func(w http.ResponseWriter, _ *http.Request) bool {
			_, _ = w.Write([]byte(")]}'\n" + body))
			return true
		})
		if may, err := l.forge.MayWrite(t.Context(), forge.Person{ID: 7, Login: "x"}, "main"); may {
			t.Errorf("%s lets somebody write: %v", body, err)
		}
		if p, err := l.forge.Pull(t.Context(), 7); err == nil {
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
			t.Errorf("%s: a change is found", body)
		}
	}
}

func TestAttackAddresses(t *testing.T) {
	for _, c := range []gerrit.Config{
		{URL: "https://user:s3cr3t@host", Project: "a/b", User: "u"}, {URL: "http://review.example.org", Project: "a/b", User: "u"},
		{URL: "https://host?x", Project: "a/b", User: "u"}, {URL: "host", Project: "a/b", User: "u"},
		{URL: "https://host", Project: "a b", User: "u"}, {URL: "https://host", Project: "a/../b", User: "u"},
		{URL: "https://host", Project: "a status:open", User: "u"}, {URL: "https://host", Project: "a/b", User: "a:b"},
		{URL: "https://host", Project: "a/b"}, {URL: "https://host", Project: "a/b", User: "u", Label: "a b"},
	} {
		if _, err := gerrit.New(c); err == nil || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%s %s %s %s: %v", c.URL, c.Project, c.User, c.Label, err)
		}
	}
}
