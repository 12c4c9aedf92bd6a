package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/service/servicetest"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// Folders are added and removed while the agent runs, without a restart. The objects of a removed folder remain in the cloud.
func TestFoldersComeAndGoWhileItRuns(t *testing.T) {
	testcost.Long(t) // agents run in real time, against simulated servers
	s := newStage(t, simulator.Options{})
	s.build()
	config, err := os.ReadFile(s.Path("stackreeve.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	s.Write("stackreeve.yaml", strings.Replace(string(config), "branch: main}", "branch: main, paths: clouds/*}", 1))
	network := func(name string) string {
		return "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: " + name + "}\nspec: {resource: {}}\n"
	}
	s.Write("repo/README.md", "no folder is there yet\n")
	s.Commit()

	cmd, said := starts(t, s, "--poll", "@every 1s", "--drift-check", "@every 1h")
	defer func() {
		_ = cmd.Process.Kill() // the agent may already have ended
		_ = cmd.Wait()
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	until := func(words ...string) {
		t.Helper()
		for {
			seen := said.String()
			for _, word := range words {
				at := strings.Index(seen, word)
				if at < 0 {
					break
				}
				if seen = seen[at:]; word == words[len(words)-1] {
					return
				}
			}
			select {
			case <-ctx.Done():
				t.Fatalf("never said, in this order: %q\n%s", words, said)
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
	networks := func() int { return s.Count("network", "networks", "networks") }
	before := networks()
	until("started", "stacks=0")

	s.Write("repo/clouds/eu/net.yaml", network("eu"))
	s.Write("repo/clouds/us/net.yaml", network("us"))
	s.Commit()
	until("stacks=2", "Network/us")
	s.Write("repo/clouds/eu/net.yaml", network("eu")+"---\n"+network("eu-2"))
	s.Commit()
	until("Network/eu-2")

	s.git("rm", "-rq", "clouds/us")
	s.git("-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "one less")
	until("stackreeve destroy killed-us", "stacks=1")
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v\n%s", err, said)
	}
	if n := networks() - before; n != 3 {
		t.Errorf("%d networks were made and are left, want 3\n%s", n, said)
	}
}

// If a repository is down, documents with another repository are not affected, nor are the stacks that it had before.
func TestARepositoryThatIsAwayStopsNoOtherDocument(t *testing.T) {
	testcost.Long(t) // agents run in real time, against simulated servers
	s := newStage(t, simulator.Options{})
	s.build()
	config, err := os.ReadFile(s.Path("stackreeve.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	one := strings.Replace(string(config), "branch: main}", `branch: main, poll: "@every 1s", paths: clouds/*}`, 1)
	other := strings.Replace(strings.Replace(one, "name: killed", "name: other", 1), "repo,", "elsewhere,", 1)
	s.Write("stackreeve.yaml", other+"---\n"+one)
	s.Write("repo/clouds/eu/net.yaml", "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: eu}\nspec: {resource: {}}\n")
	s.Commit()
	cmd, said := starts(t, s)
	until := waitsFor(t, cmd, said)
	until("level=ERROR")
	until("stacks=1")
	until("Network/eu")
	if err := os.CopyFS(s.Path("elsewhere"), os.DirFS(s.Path("repo"))); err != nil {
		t.Fatal(err)
	}
	until("stack=other-eu")
	if strings.Contains(said.String(), "stackreeve destroy") {
		t.Errorf("a folder is said to be gone\n%s", said)
	}
}

// A token file cannot be read for a moment, for example because somebody replaces it, while the folders change. This does not stop any stack.
// Because of such a file, the agent ends only at its start.
func TestFoldersComeWhileAFileIsAway(t *testing.T) {
	testcost.Long(t) // agents run in real time, against simulated servers
	s := newStage(t, simulator.Options{})
	s.build()
	config, err := os.ReadFile(s.Path("stackreeve.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	s.Write("stackreeve.yaml", strings.Replace(string(config), "branch: main}", "branch: main, paths: clouds/*}", 1))
	s.Write("repo/README.md", "no folder is there yet\n")
	s.Commit()
	flags := []string{"--poll", "@every 1s", "--drift-check", "@every 1h", "--listen", "127.0.0.1:0", "--api-token-file", s.Path("tokens")}
	cmd, said := starts(t, s, flags...)
	if err := cmd.Wait(); err == nil || !strings.Contains(said.String(), "--api-token-file") {
		t.Fatalf("it starts without the file: %v\n%s", err, said)
	}
	s.Write("tokens", strings.Repeat("t", 32)+"\n")
	cmd, said = starts(t, s, flags...)
	until := waitsFor(t, cmd, said)
	until("msg=started")
	if err := os.Remove(s.Path("tokens")); err != nil {
		t.Fatal(err)
	}
	s.Write("repo/clouds/eu/net.yaml", "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: eu}\nspec: {resource: {}}\n")
	s.Commit()
	until("Network/eu")
}

// starts runs an agent for the stacks of a stage, and records its output.
func starts(t *testing.T, s *stage, flags ...string) (cmd *exec.Cmd, said *servicetest.Record) {
	t.Helper()
	said = &servicetest.Record{}
	cmd = s.command(append([]string{"run"}, flags...)...)
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, said
}

// waitsFor returns a function that waits for a word in the agent's output. The agent is ended at the end of the test.
func waitsFor(t *testing.T, cmd *exec.Cmd, said *servicetest.Record) (until func(word string)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	go func() { _ = cmd.Wait(); cancel() }() // the agent ends before the test only if there is a fault
	t.Cleanup(func() { cancel(); _ = cmd.Process.Kill() })
	return func(word string) {
		t.Helper()
		for !strings.Contains(said.String(), word) {
			select {
			case <-ctx.Done():
				t.Fatalf("never said %q\n%s", word, said)
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
}

// A SIGHUP makes the agent check everything immediately. It must never end the agent, not even while no stack is served because the folders
// are being searched.
func TestAttackHangupWhileFoldersAreLookedFor(t *testing.T) {
	testcost.Long(t) // agents run in real time, against simulated servers
	s := newStage(t, simulator.Options{})
	s.build()
	asked, answer := make(chan struct{}, 10), make(chan struct{})
	repository := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-answer:
		case <-r.Context().Done():
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(repository.Close)
	s.Write("stackreeve.yaml", "apiVersion: stackreeve.dev/v1alpha1\nkind: Stack\nmetadata: {name: killed}\nspec: {source: {url: '"+repository.URL+"/a.git', branch: main, paths: clouds/*}, cloud: demo}\n")
	cmd, said := starts(t, s)
	until := waitsFor(t, cmd, said)
	<-asked
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	close(answer)
	until("started")
}

// If the folders change, the remaining stacks use the commits that they have already fetched. So the cache does not grow with each folder.
func TestFoldersComeAndTheCacheStays(t *testing.T) {
	testcost.Long(t) // agents run in real time, against simulated servers
	s := newStage(t, simulator.Options{})
	s.build()
	config, err := os.ReadFile(s.Path("stackreeve.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	folders := strings.Replace(string(config), "branch: main}", `branch: main, poll: "@every 1s", paths: clouds/*}`, 1)
	plain := strings.NewReplacer("branch: main}", `branch: main, poll: "@every 1s", path: plain}`, "name: killed", "name: plain").Replace(string(config))
	s.Write("stackreeve.yaml", folders+"\n---\n"+plain)
	network := "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: NAME}\nspec: {resource: {}}\n"
	s.Write("repo/plain/net.yaml", strings.ReplaceAll(network, "NAME", "plain"))
	s.Commit()
	cmd, said := starts(t, s, "--data-dir", s.Path("data"))
	until := waitsFor(t, cmd, said)
	clones := func() int {
		locks, err := filepath.Glob(s.Path("data/*/lock"))
		if err != nil || len(locks) == 0 {
			t.Fatal("no clone is kept", err)
		}
		return len(locks)
	}
	until("Network/plain")
	before := clones()
	for _, name := range []string{"eu", "us"} {
		s.Write("repo/clouds/"+name+"/net.yaml", strings.ReplaceAll(network, "NAME", name))
		s.Commit()
		until("Network/" + name)
	}
	s.Write("repo/plain/more.yaml", strings.ReplaceAll(network, "NAME", "plain-2"))
	s.Commit()
	until("Network/plain-2")
	if after := clones(); after != before {
		t.Errorf("%d clones, and %d before\n%s", after, before, said)
	}
}
