package docs

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/simulator/keystone"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// run runs the program in a folder and returns what it printed and its exit
// code.
func run(t *testing.T, dir string, env []string, args ...string) (string, int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// inMachines are the examples that are in sync only once machines run them. Machines of the simulator run nothing. So these examples are
// read here, and applied by the tests of their kinds.
var inMachines = map[string]bool{"etcdbackup.yaml": true, "etcdcluster.yaml": true, "etcdmember.yaml": true, "etcdrestore.yaml": true, "m3dbcluster.yaml": true, "m3dbinstance.yaml": true, "m3dbnamespace.yaml": true}

func absolute(t *testing.T, file string) string {
	t.Helper()
	path, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestExamples applies the examples of all kinds, as one repository, to a cloud,
// and finds nothing left to do.
func TestExamples(t *testing.T) {
	dir := t.TempDir()
	repo := filepath.Join(dir, "repo")
	if err := os.Mkdir(repo, 0o755); err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(dir, "etcd.key")
	if err := os.WriteFile(key, []byte(strings.Repeat("0a", 32)), 0o600); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("kinds/examples/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text := read(t, file)
		if slices.Contains([]string{"stack.yaml", "policy.yaml", "notification.yaml"}, filepath.Base(file)) {
			if _, err := config.Load([]string{file}, nil); err != nil && !errors.Is(err, config.ErrNone) {
				t.Error(err)
			}
			continue
		}
		if inMachines[filepath.Base(file)] || filepath.Base(file) == "externalsecret.yaml" { // its store is in no configuration here
			if out, code := run(t, dir, []string{"STACKREEVE_ETCD_IMAGE=debian-12", "STACKREEVE_ETCD_FLAVOR=m1.small", "STACKREEVE_ETCD_MASTER_KEY_FILE=" + key}, "validate", absolute(t, file)); code != 0 {
				t.Errorf("%s: %s", file, out)
			}
			continue
		}
		if err := os.WriteFile(filepath.Join(repo, filepath.Base(file)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "-qm", "examples"}} {
		if out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", repo}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	server, err := simulator.Start(context.WithoutCancel(t.Context()), "127.0.0.1:0", simulator.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	k := server.Keystone
	server.Do(func() { k.Grant(k.UserID("demo"), k.ProjectID("demo"), keystone.Administrator) }) // what the identity kinds take
	clouds := filepath.Join(dir, "clouds.yaml")
	if err := os.WriteFile(clouds, server.CloudsYAML(), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"OS_CLIENT_CONFIG_FILE=" + clouds, "OS_CLOUD=demo"}
	stack := []string{"--stack", "docs", "--url", repo}
	if out, code := run(t, dir, env, append([]string{"run", "--once"}, stack...)...); code != 0 {
		t.Fatalf("the examples are not applied (exit code %d):\n%s", code, out)
	}
	if out, code := run(t, dir, env, append([]string{"plan"}, stack...)...); code != 0 {
		t.Errorf("something is left to do (exit code %d):\n%s", code, out)
	}
}

// fragments are blocks of YAML that are no document of ours.
func ours(doc map[string]any) bool {
	version, _ := doc["apiVersion"].(string)
	group, _, _ := strings.Cut(version, "/")
	return version == "v1" && (doc["kind"] == "ConfigMap" || doc["kind"] == "Secret") || strings.HasSuffix(group, "stackreeve.dev") || group == "openstack.k-orc.cloud" || group == "verda.linecorp.com"
}

// TestYAML reads every block of YAML in the documentation: manifests and
// configurations as the program does, all else as any parser.
func TestYAML(t *testing.T) {
	testcost.Long(t)
	count := 0
	for file, text := range documents(t) {
		for _, b := range blocks(text) {
			if b.language() != "yaml" || b.word("fragment") != "" {
				continue
			}
			count++
			decoder, manifests, stacks := yaml.NewDecoder(strings.NewReader(b.text)), 0, 0
			for {
				var read any // lists are for other programs
				if err := decoder.Decode(&read); err != nil {
					if err.Error() != "EOF" {
						t.Errorf("%s:%d: %v", file, b.line, err)
					}
					break
				}
				doc, _ := read.(map[string]any)
				if slices.Contains([]any{"Stack", "Policy", "Notification", "Agents"}, doc["kind"]) {
					stacks++
				} else if ours(doc) {
					manifests++
				}
			}
			check(t, file, b, manifests, stacks)
		}
	}
	if count < 30 {
		t.Errorf("only %d blocks were found", count)
	}
}

// check has the program read a block. The objects that a manifest refers to may be elsewhere.
func check(t *testing.T, file string, b block, manifests, stacks int) {
	t.Helper()
	dir := t.TempDir()
	name := filepath.Join(dir, "block.yaml")
	if err := os.WriteFile(name, []byte(b.text), 0o600); err != nil {
		t.Fatal(err)
	}
	switch {
	case stacks > 0:
		if _, err := config.Load([]string{name}, nil); err != nil && !errors.Is(err, config.ErrNone) {
			t.Errorf("%s:%d: %v", file, b.line, err)
		}
	case manifests > 0:
		out, code := run(t, dir, []string{"STACKREEVE_ETCD_MASTER_KEY_FILE=its-master-key"}, "validate", ".") // which is not read
		for line := range strings.Lines(out) {
			if code != 0 && strings.HasPrefix(line, "block.yaml:") && !strings.Contains(line, "which is not in the repository") {
				t.Errorf("%s:%d: %s", file, b.line, line)
			}
		}
	}
}
