package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/forgetest"
	"github.com/stackreeve/stackreeve/internal/forge/gitea"
	"github.com/stackreeve/stackreeve/internal/forge/github"
	"github.com/stackreeve/stackreeve/internal/forge/gitlab"
	"github.com/stackreeve/stackreeve/internal/forge/memory"
	"github.com/stackreeve/stackreeve/internal/service/servicetest"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

const webhookSecret = "only-in-tests-0123456789"

// reviewStage contains the binary, a simulated cloud, and a repository on a forge, which may be a stand-in.
type reviewStage struct {
	*stage
	lab   forgetest.Lab
	agent *exec.Cmd
	said  *servicetest.Record
	addr  string
	// stormy is set if the forge is sometimes down. Then the agent may log errors about it.
	stormy bool
}

// newReview returns a stage whose agent checks the forge at every poll. report is the part of the configuration that contains the forge.
func newReview(t *testing.T, lab forgetest.Lab, poll, auth, report string) *reviewStage {
	t.Helper()
	r := &reviewStage{stage: newStage(t, simulator.Options{}), lab: lab, said: &servicetest.Record{}}
	r.build()
	r.Write("stackreeve.yaml", `apiVersion: stackreeve.dev/v1alpha1
kind: Stack
metadata: {name: prod}
spec:
  source: {url: "`+lab.Remote()+`", branch: `+lab.Branch()+`, path: clouds/prod, poll: "`+poll+`", auth: `+auth+`}
  cloud: demo
  sync: {drift: report, driftCheck: "@every 1s"}
  report:
    poll: "`+poll+`"
    `+report+`
`)
	r.Write("secret", webhookSecret)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the agent said:\n%s", r.said)
		}
	})
	return r
}

// start runs the agent with an empty disk.
func (r *reviewStage) start() {
	r.t.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(r.t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		r.t.Fatal(err)
	}
	if r.addr == "" {
		r.addr = l.Addr().String()
	}
	_ = l.Close() // the agent listens at this address next, also after a restart
	r.agent = r.command("run", "--listen", r.addr, "--webhook-secret-file", r.Path("secret"))
	r.agent.Stdout, r.agent.Stderr = r.said, r.said
	if err := r.agent.Start(); err != nil {
		r.t.Fatal(err)
	}
	agent := r.agent
	r.t.Cleanup(func() { _ = agent.Process.Kill() })
}

// kill ends the agent with SIGKILL.
func (r *reviewStage) kill() {
	_ = r.agent.Process.Kill()
	_ = r.agent.Wait()
}

// stop sends the agent a signal to end.
func (r *reviewStage) stop() {
	r.t.Helper()
	_ = r.agent.Process.Signal(os.Interrupt)
	if err := r.agent.Wait(); err != nil {
		r.t.Errorf("the agent ended with %v", err)
	}
}

// await calls look repeatedly until it returns "".
func (r *reviewStage) await(what string, look func() (missing string)) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 90*time.Second)
	defer cancel()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		missing := look()
		if missing == "" {
			return
		}
		select {
		case <-ctx.Done():
			r.t.Fatalf("%s: %s", what, missing)
		case <-tick.C:
		}
	}
}

// status waits for the status of a commit. It does not wait if a commit of the branch cannot have one.
func (r *reviewStage) status(commit, what string, state forge.State, words string) (s forge.Status) {
	r.t.Helper()
	if what != "plan" && !r.lab.Forge().Can.Has(forge.BranchStatuses) {
		return forge.Status{}
	}
	r.await("the "+what+" status of "+commit, func() string {
		list, err := r.lab.Forge().Statuses(r.t.Context(), commit)
		if err != nil {
			return err.Error()
		}
		for _, s = range list {
			if s.Context == "stackreeve/prod/"+what && s.State == state && strings.Contains(s.Description, words) {
				return ""
			}
		}
		return fmt.Sprintf("%+v; want %s with %q", list, state, words)
	})
	return s
}

// comment waits for the agent's comment of a kind that contains some words.
func (r *reviewStage) comment(number int, kind memory.Kind, words ...string) (c forge.Comment, m memory.Marker) {
	r.t.Helper()
	r.await("our comment", func() string {
		list, err := r.lab.Forge().Comments(r.t.Context(), number)
		if err != nil {
			return err.Error()
		}
		var text string
		c, m, text, _ = memory.Find(list, kind, "prod")
		for _, w := range words {
			if !strings.Contains(text, w) {
				return fmt.Sprintf("no %q in %q", w, text)
			}
		}
		return ""
	})
	return c, m
}

// metrics returns the metrics that the agent exports.
func (r *reviewStage) metrics() string {
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodGet, "http://"+r.addr+"/metrics", nil)
	if err != nil {
		r.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// network finds a network in the cloud by its name.
func (r *reviewStage) network(name string) (client *cloud.Client, id, description string) {
	r.t.Helper()
	client, err := cloud.Open(r.t.Context(), cloud.Config{Cloud: "demo", File: r.Path("clouds.yaml"), Version: "test"})
	if err != nil {
		r.t.Fatal(err)
	}
	list, err := cloud.List[struct{ ID, Name, Description string }](r.t.Context(), client, cloud.Call{Service: cloud.Network, Path: "networks"}, "networks")
	if err != nil {
		r.t.Fatal(err)
	}
	for _, n := range list {
		if n.Name == name {
			return client, n.ID, n.Description
		}
	}
	return client, "", ""
}

// describe changes the description of a network, as another person could do.
func (r *reviewStage) describe(name, text string) {
	r.t.Helper()
	client, id, _ := r.network(name)
	err := client.Do(r.t.Context(), cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "networks/" + id,
		Body: map[string]any{"network": map[string]any{"description": text}}})
	if err != nil {
		r.t.Fatal(err)
	}
}

func networks(names ...string) map[string]string {
	files := map[string]string{}
	for _, name := range names {
		files["clouds/prod/"+name+".yaml"] = "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: " + name + "}\nspec: {resource: {description: ours}}\n"
	}
	return files
}

// story is the whole story of a pull request: it is planned, pushed to, approved, merged and applied. Then there is drift, which is corrected.
// The process is killed several times.
func (r *reviewStage) story() {
	t, lab := r.t.(*testing.T), r.lab
	lab.Allow(t, "alice", true)
	lab.Allow(t, "mallory", false)
	first := lab.Push(t, lab.Branch(), networks("one", "two", "three", "four"))
	r.start()
	r.status(first, "sync", forge.Success, "in sync: 4 objects")
	r.status(first, "drift", forge.Success, "no drift")

	head := lab.Push(t, "feature", networks("five"))
	number := lab.OpenPull(t, "feature", lab.Branch(), "Add five")
	r.status(head, "plan", forge.Success, "1 to create")
	before, _ := r.comment(number, "plan", "1 to create", "five", lab.Forge().Browser.Line(head, "clouds/prod/five.yaml", 1))

	files := networks("six")
	for name := range networks("one", "two", "three") {
		files[name] = ""
	}
	head = lab.Push(t, "feature", files)
	held := r.status(head, "plan", forge.Failure, "")
	c, m := r.comment(number, "plan", "2 to create", "3 to delete", "/stackreeve approve ")
	if c.ID != before.ID || held.URL == "" {
		t.Errorf("the plan is at %s; want the comment %s edited, and the status to lead there: %+v", c.URL, before.URL, held)
	}

	r.kill()
	lab.AddComment(t, number, "mallory", "/stackreeve approve "+m.Hash)
	r.start()
	word := lab.AddComment(t, number, "alice", "/stackreeve approve "+m.Hash)
	r.status(head, "plan", forge.Success, "")
	r.await("a sign that the approval was seen", func() string {
		if !lab.Forge().Can.Has(forge.CommentReactions) {
			return ""
		}
		if got := lab.Reactions(t, number, word); len(got) != 1 || got[0] != forge.ThumbsUp {
			return fmt.Sprint(got)
		}
		return ""
	})

	merged := lab.Merge(t, number)
	r.status(merged, "sync", forge.Success, "in sync: 3 objects")
	r.comment(number, "plan", "3 deleted", "2 to create")
	for name, want := range map[string]bool{"one": false, "two": false, "three": false, "four": true, "five": true, "six": true} {
		if _, id, _ := r.network(name); (id != "") != want {
			t.Errorf("the cloud has %s: %v", name, id != "")
		}
	}

	r.describe("five", "mine!")
	r.status(merged, "drift", forge.Failure, "drifted: 1 object since")
	r.comment(number, "drift", "Network/five", "mine!", "ours")
	r.kill()
	r.describe("five", "ours")
	r.start()
	r.status(merged, "drift", forge.Success, "no drift")

	head = lab.Push(t, "broken", map[string]string{"clouds/prod/five.yaml": strings.Replace(networks("five")["clouds/prod/five.yaml"], "description", "descr", 1)})
	number = lab.OpenPull(t, "broken", lab.Branch(), "Break it")
	r.status(head, "plan", forge.Failure, "")
	r.comment(number, "plan", "clouds/prod/five.yaml:4", "descr")
	head = lab.Push(t, "elsewhere", map[string]string{"README.md": "hello"})
	number = lab.OpenPull(t, "elsewhere", lab.Branch(), "Say hello")
	r.status(head, "plan", forge.Success, "")
	if list, err := lab.Forge().Comments(t.Context(), number); err != nil || len(list) != 0 {
		t.Errorf("comments on a pull request that touches nothing: %+v, %v", list, err)
	}
	r.await("metrics", func() string {
		text := r.metrics()
		for _, want := range []string{"stackreeve_forge_owed{", `stackreeve_pull_plan_seconds_count{result="failure",stack="prod"}`, `stackreeve_pull_plan_seconds_count{result="success",stack="prod"}`} {
			if !strings.Contains(text, want) {
				return "no " + want
			}
		}
		return ""
	})
	r.stop()
	if !r.stormy && strings.Contains(r.said.String(), "level=ERROR") {
		t.Errorf("the agent complained:\n%s", r.said)
	}
}

// onGitea is a real Gitea as the agent sees it.
type onGitea struct {
	*forgetest.Gitea
	forge forge.Forge
}

// Forge implements forgetest.Site.
func (l onGitea) Forge() forge.Forge { return l.forge }

// onGitHub is a GitHub for tests. The agent uses it as an App.
type onGitHub struct {
	*forgetest.GitHub
	forge forge.Forge
}

// Forge implements forgetest.Site.
func (l onGitHub) Forge() forge.Forge { return l.forge }

// There are no webhooks, so the agent finds all changes only by polls.
func TestPullRequestsOnGitHub(t *testing.T) {
	g := forgetest.StartGitHub(t)
	app := &forge.App{AppID: g.AppID, InstallationID: g.InstallationID, PrivateKeyFile: g.AppKeyFile, APIURL: g.APIURL}
	f, err := github.New(github.Config{Repository: g.Repository, APIURL: g.APIURL, App: app})
	if err != nil {
		t.Fatal(err)
	}
	key := fmt.Sprintf("{appID: %d, installationID: %d, privateKeyFile: %s", g.AppID, g.InstallationID, g.AppKeyFile)
	auth := "{githubApp: " + key + ", apiURL: " + g.APIURL + "}}"
	newReview(t, onGitHub{g, f.Forge()}, "@every 1s", auth, "github: {repository: "+g.Repository+", app: "+key+"}, apiURL: "+g.APIURL+"}").story()
}

// There are no polls, so only webhooks make the agent look at the pull requests.
func TestPullRequestsOnGitea(t *testing.T) {
	g := forgetest.StartGitea(t)
	f, err := gitea.New(gitea.Config{URL: g.URL, Repository: g.Repository, Token: forge.FileToken(g.TokenFile)})
	if err != nil {
		t.Fatal(err)
	}
	auth := "{tokenFile: " + g.TokenFile + ", username: " + forgetest.Bot + "}"
	r := newReview(t, onGitea{g, f.Forge()}, "@every 1h", auth, "gitea: {url: "+g.URL+", repository: "+g.Repository+", tokenFile: "+g.TokenFile+"}")
	r.start() // the agent now has an address
	r.kill()
	g.Hook(t, "http://"+r.addr+"/webhook/gitea", webhookSecret)
	r.story()
}

// onGitLab is a stand-in for GitLab as the agent sees it.
type onGitLab struct {
	*forgetest.GitLab
	forge forge.Forge
}

// Forge implements forgetest.Site.
func (l onGitLab) Forge() forge.Forge { return l.forge }

// newGitLab returns a stage whose agent reports to a stand-in for GitLab.
func newGitLab(t *testing.T, poll string) (*forgetest.GitLab, *reviewStage) {
	t.Helper()
	g := forgetest.StartGitLab(t)
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte(g.Token(forgetest.Bot)), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := gitlab.New(gitlab.Config{URL: g.URL, Project: g.Project, Token: forge.FileToken(token)})
	if err != nil {
		t.Fatal(err)
	}
	return g, newReview(t, onGitLab{g, f.Forge()}, poll, "{tokenFile: "+token+", username: oauth2}", "gitlab: {url: "+g.URL+", project: "+g.Project+", tokenFile: "+token+"}")
}

// There are no webhooks, so the agent finds all changes on GitLab only by polls.
func TestPullRequestsOnGitLab(t *testing.T) {
	testcost.Long(t) // an agent polls a simulated cloud and forge in real time
	_, r := newGitLab(t, "@every 1s")
	r.story()
}

// There are no polls, so only GitLab's messages make the agent look at the merge requests.
func TestPullRequestsOnGitLabByWebhooks(t *testing.T) {
	testcost.Long(t) // an agent polls a simulated cloud and forge in real time
	g, r := newGitLab(t, "@every 1h")
	r.start() // the agent now has an address
	r.kill()
	g.Hook(t, "http://"+r.addr+"/webhook/gitlab", webhookSecret)
	r.story()
}
