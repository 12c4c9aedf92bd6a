package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/branch"
	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/forgetest"
	"github.com/stackreeve/stackreeve/internal/forge/github"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/review"
	"github.com/stackreeve/stackreeve/internal/session"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// overheard contains everything that the agent sends to a forge.
type overheard struct {
	mu   sync.Mutex
	text strings.Builder
}

// between returns the address of a proxy between the agent and the forge's API.
func (o *overheard) between(t *testing.T, api string) string {
	t.Helper()
	target, err := url.Parse(api)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: target.Scheme, Host: target.Host}) }}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if len(body) > 0 {
			o.mu.Lock()
			fmt.Fprintf(&o.text, "%s %s %s\n", r.Method, r.URL.Path, body)
			o.mu.Unlock()
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL + target.Path
}

// take returns the texts that were sent since its last call.
func (o *overheard) take() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	defer o.text.Reset()
	return o.text.String()
}

// wrong is a clouds.yaml with which the cloud cannot be used. The log must contain the word log about it.
type wrong struct {
	clouds, log string
	env         []string
}

// wrongs returns a clouds.yaml for each problem, by the name of the problem.
func wrongs(clouds, away string) map[string]wrong {
	entry := func(auth string) string {
		return "clouds: {demo: {region_name: RegionOne, auth: {auth_url: '" + auth + "', username: me, password: hunter2-hunter2, user_domain_name: d, project_domain_name: d, project_name: p}}}\n"
	}
	override := func(field, to string) string {
		return strings.Replace(clouds, "  demo:\n", "  demo:\n    "+field+"_endpoint_override: '"+to+"'\n", 1)
	}
	return map[string]wrong{
		"no such host":        {entry("http://keystone.invalid:5000/v3"), "keystone.invalid:5000", nil},
		"nobody there":        {entry("http://127.0.0.1:1/v3"), "127.0.0.1:1", nil},
		"a login":             {entry("http://me:hunter2@keystone.invalid:5000/v3"), "clouds.yaml: entry demo: auth_url", nil},
		"no YAML":             {"clouds:\n  demo:\n\tauth: hunter2", "clouds.yaml", nil},
		"another shape":       {"clouds: {demo: {auth: hunter2}}", "clouds.yaml", nil},
		"no such entry":       {"clouds: {keystone: {}}", " entry demo", nil},
		"a missing authority": {strings.Replace(clouds, "  demo:\n", "  demo:\n    cacert: /run/keystone-ca.pem\n", 1), "keystone-ca.pem", nil},
		"wrong password":      {strings.Replace(clouds, "password: demo\n", "password: hunter2\n", 1), "refuses the credentials", nil},
		"one service away":    {override("network", "http://neutron.invalid:9696"), "neutron.invalid", nil},
		"one that redirects":  {override("compute", away+"/v2.1"), "10.0.0.3:8774", nil},
		"a proxy":             {entry("http://keystone.invalid:5000/v3"), "proxy.invalid", []string{"HTTP_PROXY=http://me:hunter2@proxy.invalid:3128"}},
		"no proxy":            {entry("http://keystone.invalid:5000/v3"), "keystone.invalid:5000", []string{"HTTP_PROXY=http://me:hunter2%zz@proxy.invalid:3128"}},
	}
}

// tellsNothing checks that the posted text only reports that there is a problem, and that the log contains the details.
func tellsNothing(t *testing.T, what string, wrong wrong, posted, log string, needed, secrets []string) {
	t.Helper()
	if !strings.Contains(log, wrong.log) || strings.Contains(log, "hunter2") {
		t.Errorf("%s: the log needs %q and no password:\n%s", what, wrong.log, log)
	}
	for _, text := range append(needed, "the agent's log") {
		if !strings.Contains(posted, text) {
			t.Errorf("%s: no %s was posted:\n%s", what, text, posted)
		}
	}
	secrets = append(secrets, "hunter2", ".invalid", "keystone", "clouds.yaml", "127.0.0.1", "10.0.0.3", "dial tcp", "lookup", "entry demo", "auth_url", "cacert", "://")
	for _, secret := range secrets {
		if at := strings.Index(strings.ToLower(posted), strings.ToLower(secret)); at >= 0 {
			t.Errorf("%s: %q was posted: …%s…", what, secret, posted[max(0, at-200):min(len(posted), at+100)])
		}
	}
}

// redirecting returns the address of a service that redirects its clients.
func redirecting(t *testing.T) string {
	t.Helper()
	away := httptest.NewServer(http.RedirectHandler("http://10.0.0.3:8774/v2.1", http.StatusTemporaryRedirect))
	t.Cleanup(away.Close)
	return away.URL
}

// The cloud cannot be used, for one reason after another. Readers of statuses, comments and checks do not see the cloud's address or
// configuration. The log contains them. The agent runs as usual, with a forge in memory.
func TestAttackCloudAddressOnTheForge(t *testing.T) {
	testcost.Long(t) // agents run in real time, against simulated servers
	s := newStage(t, simulator.Options{})
	good := string(s.Server.CloudsYAML())
	s.Write("repo/one.yaml", networks("one")["clouds/prod/one.yaml"])
	s.Commit()
	main, feature := s.git("rev-parse", "HEAD"), ""
	s.git("checkout", "-q", "-b", "feature")
	s.Write("repo/two.yaml", networks("two")["clouds/prod/two.yaml"])
	s.git("add", ".")
	s.git("-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "two")
	feature = s.git("rev-parse", "HEAD")
	t.Setenv("OS_CLIENT_CONFIG_FILE", s.Path("clouds.yaml"))
	stacks, err := loadStacks([]string{s.Path("stackreeve.yaml")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for what, wrong := range wrongs(good, redirecting(t)) {
		if wrong.env != nil {
			continue // a process reads its proxy settings only once
		}
		s.Write("clouds.yaml", wrong.clouds)
		var log bytes.Buffer
		a := &app{err: &shared{w: &log}}
		w := session.Opener{Log: a.logger(true)}
		one, err := w.Repo(&stacks[0], session.ForBranch)
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := w.Repo(&stacks[0], session.ForPulls)
		if err != nil {
			t.Fatal(err)
		}
		memory := forgetest.NewMemory()
		memory.Put(forge.Pull{Number: 7, Open: true, Base: "main", Head: feature, HeadRef: "refs/heads/feature"})
		r := review.New(memory.Forge(), w.Log)
		look := w.Previewer(&stacks[0])
		reviewed := &review.Planner{Name: "killed", Last: one.Last, Merged: theirs.Merged, Read: look.Read, Plan: look.Plan, Again: func() {}}
		r.Add(reviewed, stacks[0].PullPoll)
		seen := branch.New(r, reviewed)
		stack := agent.New(w.LoopConfig(&stacks[0], one, nil))
		run := stack.Pass(t.Context())
		report.NewLog(w.Log).Ran(run)
		seen.Ran(run)
		if err := r.Once(t.Context()); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		_ = errors.Join(one.Close(), theirs.Close()) // both are only caches
		posted := strings.Join(memory.Writes(), "\n")
		for commit, name := range map[string]string{main: "sync", feature: "plan"} {
			status, n := memory.Status(commit, "stackreeve/killed/"+name)
			if posted += "\n" + name + ": " + status.Description; n == 0 {
				t.Errorf("%s: no %s status", what, name)
			}
		}
		comments, err := memory.Comments(t.Context(), 7)
		if err != nil || len(comments) == 0 {
			t.Errorf("%s: comments %v, %v", what, comments, err)
		}
		for _, c := range comments {
			posted += "\n" + c.Body
		}
		if check, ok := memory.Check(feature, "stackreeve/killed"); ok {
			posted += fmt.Sprintf("\n%+v", check)
		} else {
			t.Errorf("%s: no check", what)
		}
		tellsNothing(t, what, wrong, posted, log.String(), nil, []string{s.Dir})
	}
}

// git runs the real git in the stage's repository.
func (s *stage) git(args ...string) string {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), "git", args...)
	cmd.Dir = s.Path("repo")
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// The statuses that the binary writes and the comment that a pipeline posts contain no address of a cloud.
func TestAttackCloudAddressByTheBinary(t *testing.T) {
	testcost.Long(t) // agents run in real time, against simulated servers
	s := newStage(t, simulator.Options{})
	s.build()
	good, away := string(s.Server.CloudsYAML()), redirecting(t)
	s.Write("repo/one.yaml", networks("one")["clouds/prod/one.yaml"])
	s.Commit()
	config, err := os.ReadFile(s.Path("stackreeve.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	all := wrongs(good, away)
	for _, what := range []string{"no such host", "another shape", "one service away", "a proxy", "no proxy"} {
		for _, args := range [][]string{{"run", "--once"}, {"plan", "-o", "markdown"}} {
			t.Run(what+": "+args[0], func(t *testing.T) {
				t.Parallel() // most of the time it waits
				byTheBinary(t, s, string(config), what, all[what], args)
			})
		}
	}
}

func byTheBinary(t *testing.T, s *stage, config, what string, wrong wrong, args []string) {
	dir := t.TempDir()
	clouds, conf, posted := filepath.Join(dir, "clouds.yaml"), filepath.Join(dir, "stackreeve.yaml"), filepath.Join(dir, "posted")
	for name, text := range map[string]string{clouds: wrong.clouds, conf: config + "  report: {file: {path: " + posted + "}}\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), s.binary, append(args, "--config", conf)...)
	cmd.Env = append(append(os.Environ(), "OS_CLIENT_CONFIG_FILE="+clouds), wrong.env...)
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err == nil {
		t.Errorf("%s: %v succeeded", what, args)
	}
	said := out.String()
	if args[0] == "run" {
		text, err := os.ReadFile(posted)
		if err != nil {
			t.Error(err)
		}
		said = string(text)
	}
	tellsNothing(t, what+": "+args[0], wrong, said, log.String(), nil, []string{s.Dir, dir})
}

// Texts on GitHub contain no address of a cloud. The test reads everything that the agent sends to GitHub.
func TestAttackCloudAddressOnGitHub(t *testing.T) {
	g := forgetest.StartGitHub(t)
	var heard overheard
	api := heard.between(t, g.APIURL)
	app := &forge.App{AppID: g.AppID, InstallationID: g.InstallationID, PrivateKeyFile: g.AppKeyFile, APIURL: g.APIURL}
	f, err := github.New(github.Config{Repository: g.Repository, APIURL: g.APIURL, App: app})
	if err != nil {
		t.Fatal(err)
	}
	key := fmt.Sprintf("{appID: %d, installationID: %d, privateKeyFile: %s", g.AppID, g.InstallationID, g.AppKeyFile)
	lab := onGitHub{g, f.Forge()}
	r := newReview(t, lab, "@every 1s", "{githubApp: "+key+", apiURL: "+g.APIURL+"}}", "github: {repository: "+g.Repository+", app: "+key+"}, apiURL: "+api+"}")
	r.cloudAddress(&heard, wrongs(string(r.Server.CloudsYAML()), redirecting(t)), []string{strings.TrimSuffix(g.APIURL, "/api/v3")}, "/statuses/", "/comments", "check-runs")
}

// Texts on Gerrit contain no address of a cloud. The test uses only clouds whose problem is found immediately.
func TestAttackCloudAddressOnGerrit(t *testing.T) {
	testcost.Long(t) // an agent polls a simulated cloud and forge in real time
	var heard overheard
	api := ""
	g, r := newGerrit(t, "@every 1s", func(url string) string { api = heard.between(t, url); return api })
	list := wrongs(string(r.Server.CloudsYAML()), redirecting(t))
	maps.DeleteFunc(list, func(what string, _ wrong) bool {
		return !slices.Contains([]string{"a login", "another shape", "a missing authority", "wrong password"}, what)
	})
	r.cloudAddress(&heard, list, []string{api, g.URL}, "/review")
}

// cloudAddress reads everything that the agent sends to a forge about clouds that cannot be used. The argument own contains the forge's addresses, which
// are not secret there. The sent texts must contain the words in needed.
func (r *reviewStage) cloudAddress(heard *overheard, list map[string]wrong, own []string, needed ...string) {
	t, lab := r.t.(*testing.T), r.lab
	lab.Push(t, "feature", networks("two"))
	lab.OpenPull(t, "feature", lab.Branch(), "Add two")
	i := 0
	for what, wrong := range list {
		i++
		lab.Push(t, lab.Branch(), networks(fmt.Sprint("more-", i)))
		lab.Push(t, "feature", networks(fmt.Sprint("news-", i)))
		heard.take()
		r.Write("clouds.yaml", wrong.clouds)
		cmd := r.command("run", "--once")
		cmd.Env = append(cmd.Env, wrong.env...)
		log, err := cmd.CombinedOutput()
		if err == nil {
			t.Errorf("%s: it succeeded", what)
		}
		posted := heard.take()
		for _, address := range own {
			posted = strings.ReplaceAll(posted, address, "")
		}
		tellsNothing(t, what, wrong, posted, string(log), needed, []string{r.Dir})
	}
}
