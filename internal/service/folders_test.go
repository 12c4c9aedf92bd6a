package service

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/control"
	"github.com/stackreeve/stackreeve/internal/service/servicetest"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// following is an agent in this process, with a stack for each folder.
type following struct {
	*servicetest.Stage
	t       *testing.T
	dirs    *folders
	svc     *service
	said    *servicetest.Record
	address string
}

func follow(t *testing.T) *following {
	t.Helper()
	f := &following{Stage: servicetest.New(t, simulator.Options{}), t: t, said: &servicetest.Record{}}
	t.Setenv("OS_CLIENT_CONFIG_FILE", f.Path("clouds.yaml"))
	text, err := os.ReadFile(f.Path("stackreeve.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	f.Write("stackreeve.yaml", strings.NewReplacer("name: killed", "name: prod", "branch: main}", "branch: main, paths: clouds/*}").Replace(string(text)))
	f.Write("tokens", readToken+"\n")
	return f
}

// serve starts the agent with the current content of the repository.
func (f *following) serve() {
	f.t.Helper()
	documents, err := config.Load([]string{f.Path("stackreeve.yaml")}, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	log := logTo(f.said)
	o := openerFor(log)
	f.dirs = newFolders(o, documents)
	stacks, unlisted, problems := f.dirs.all(f.t.Context())
	flags := Options{Log: log, Listen: Listener{Address: "127.0.0.1:0"}, ControlToken: f.Path("tokens"), APIToken: f.Path("tokens")}
	if f.svc, err = newService(o, documents, stacks, flags); err != nil {
		f.t.Fatal(err)
	}
	f.dirs.logProblems(f.svc, unlisted, problems)
	ctx, end := context.WithCancel(f.t.Context())
	done := make(chan error, 1)
	go func() { done <- f.svc.run(ctx, flags.Listen) }()
	f.t.Cleanup(func() {
		end()
		if err := <-done; err != nil {
			f.t.Error(err)
		}
		if f.t.Failed() {
			f.t.Logf("it said\n%s", f.said)
		}
	})
	f.until("it listens", func() bool {
		_, after, ok := strings.Cut(f.said.String(), "msg=listening address=")
		f.address, _, _ = strings.Cut(after, " ")
		return ok
	})
}

func (f *following) until(what string, is func() bool) {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), time.Minute)
	defer cancel()
	for !is() {
		select {
		case <-ctx.Done():
			f.t.Fatalf("never: %s", what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// folder commits a folder with networks. Without networks, it commits the removal of the folder.
func (f *following) folder(name string, networks ...string) {
	f.t.Helper()
	if err := os.RemoveAll(f.Path("repo/clouds/" + name)); err != nil {
		f.t.Fatal(err)
	}
	for _, network := range networks {
		f.Write("repo/clouds/"+name+"/"+network+".yaml", servicetest.NetworkNamed(network, ""))
	}
	f.Commit()
}

// look reads the folders as the agent does after a push.
func (f *following) look() { f.dirs.look(f.t.Context(), f.svc, &f.dirs.documents[0]) }

func (f *following) state(stack string) (state agent.State) {
	f.t.Helper()
	data, err := json.Marshal(f.svc.state(stack))
	if err != nil {
		f.t.Fatal(err)
	}
	if err := json.Unmarshal(data, &state); err != nil {
		f.t.Fatal(err)
	}
	return state
}

func (f *following) inSync(stack string) func() bool {
	return func() bool { s := f.state(stack); return s.Outcome == "in sync" && s.Running == nil }
}

// watch starts a watch and collects its events until it ends.
func (f *following) watch(path string) *watched {
	f.t.Helper()
	req, err := http.NewRequestWithContext(f.t.Context(), http.MethodGet, "http://"+f.address+path+"?watch=true&sendInitialEvents=true", http.NoBody)
	if err != nil {
		f.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+readToken)
	resp, err := http.DefaultClient.Do(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		f.t.Fatal(resp, err)
	}
	w := &watched{}
	go func() {
		defer resp.Body.Close()
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			w.note(lines.Text())
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.ended = true
	}()
	return w
}

type watched struct {
	mu    sync.Mutex
	lines []string
	ended bool
}

func (w *watched) note(line string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lines = append(w.lines, line)
}

// count returns the number of events of a type about an object, or -1 if the watch has ended.
func (w *watched) count(what, name string) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, line := range w.lines {
		if strings.Contains(line, `"type":"`+what+`"`) && strings.Contains(line, `"name":"`+name+`"`) {
			n++
		}
	}
	if w.ended {
		return -1
	}
	return n
}

const allNetworks = "/apis/openstack.k-orc.cloud/v1alpha1/networks"

// A folder is added and removed ten times. Meanwhile another stack carries out an approved plan, and people watch it. The other stack is
// not interrupted.
func TestAFolderThatComesAndGoesInterruptsNoOtherStack(t *testing.T) {
	testcost.Long(t)
	f := follow(t)
	f.folder("a", "a1", "a2", "a3", "a4")
	f.serve()
	f.until("a is in sync", f.inSync("prod-a"))
	f.folder("a", "a1")
	f.look()
	f.until("a is held", func() bool { return f.state("prod-a").Held != "" })
	deletes, release := make(chan struct{}, 10), make(chan struct{})
	free := sync.OnceFunc(func() { close(release) })
	t.Cleanup(free)
	f.Server.OnRequest(func(_ int, r simulator.Request) {
		if r.Method == http.MethodDelete {
			deletes <- struct{}{}
			<-release
		}
	})
	client, err := control.NewClient("http://"+f.address, f.Path("tokens"), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Approve(t.Context(), "prod-a", f.state("prod-a").Hash); err != nil {
		t.Fatal(err)
	}
	<-deletes // this waits until the pass is in progress
	one, _ := f.svc.roster.servedAs("prod-a")
	approved := f.state("prod-a").Approved
	all, own := f.watch(allNetworks), f.watch(strings.Replace(allNetworks, "networks", "namespaces/prod-a/networks", 1))
	for n := range 10 {
		f.folder("b", "b1")
		f.look()
		f.until("b is in sync", f.inSync("prod-b"))
		f.until("b is shown", func() bool { return all.count("ADDED", "b1") == n+1 })
		f.folder("b")
		f.look()
		f.until("b is not shown", func() bool { return all.count("DELETED", "b1") == n+1 })
		if still, _ := f.svc.roster.servedAs("prod-a"); still != one || approved == "" || f.state("prod-a").Approved != approved || f.state("prod-a").Running == nil {
			t.Fatalf("%d: a is another one: %t; approved %q, then %q; running %v", n, still != one, approved, f.state("prod-a").Approved, f.state("prod-a").Running)
		}
	}
	if err := client.Approve(t.Context(), "prod-b", strings.Repeat("0", 64)); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("a stack that is gone can be asked: %v", err)
	}
	f.nothingOf("prod-b")
	free()
	f.until("a is in sync", f.inSync("prod-a"))
	f.until("a's watch goes on", func() bool { return own.count("DELETED", "a4") == 1 })
	if n := strings.Count(f.said.String(), `msg="after a restart" stack=prod-a`); n != 1 || len(deletes) != 2 {
		t.Errorf("a was started %d times; %d networks were deleted, want 3", n, 1+len(deletes))
	}
}

// nothingOf checks that no part of the agent remembers a stack that is gone.
func (f *following) nothingOf(stack string) {
	f.t.Helper()
	families, err := f.svc.metrics.Registry.Gather()
	if err != nil {
		f.t.Fatal(err)
	}
	for _, family := range families {
		if strings.Contains(family.String(), `"`+stack+`"`) {
			f.t.Errorf("%s knows the stack %s", family.GetName(), stack)
		}
	}
	if _, shown := f.svc.shown.Index(stack); shown {
		f.t.Errorf("the read API knows the stack %s", stack)
	}
}

// While the agent runs, a folder is added that cannot be a stack, or too many folders are. The agent reports that, and continues to serve
// the other stacks.
func TestABadFolderFailsAloneWhileItRuns(t *testing.T) {
	testcost.Long(t)
	f := follow(t)
	f.folder("a", "a1")
	f.serve()
	f.until("a is in sync", f.inSync("prod-a"))
	one, _ := f.svc.roster.servedAs("prod-a")
	f.folder("EU", "eu1")
	f.folder("b", "b1")
	f.look()
	f.until("b is in sync", f.inSync("prod-b"))
	f.folder("c", "c1")
	f.look()
	f.until("c is in sync", f.inSync("prod-c"))
	if n := strings.Count(f.said.String(), "the folder clouds/EU: "); n != 1 {
		t.Errorf("the folder is named %d times", n)
	}
	for n := range 1001 {
		f.Write(fmt.Sprintf("repo/clouds/n%d/README.md", n), "many\n")
	}
	f.Commit()
	f.look()
	for _, stack := range []string{"prod-a", "prod-b", "prod-c"} {
		f.until(stack+" is served", f.inSync(stack))
	}
	if still, _ := f.svc.roster.servedAs("prod-a"); still != one || len(f.svc.roster.names()) != 3 || !strings.Contains(f.said.String(), "more than 1000 match") {
		t.Errorf("a is another one: %t; stacks %v", still != one, f.svc.roster.names())
	}
	if out, err := exec.CommandContext(t.Context(), "git", "-C", f.Path("repo"), "rm", "-rq", "clouds").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f.folder("a", "a1", "a2")
	f.look()
	f.until("the others are gone", func() bool { _, b := f.svc.roster.servedAs("prod-b"); return !b && len(f.svc.roster.names()) == 1 })
	f.until("a has a second network", func() bool { return f.Count("network", "networks", "networks") >= 2 && f.inSync("prod-a")() })
}
