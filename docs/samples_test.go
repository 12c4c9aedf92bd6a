package docs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/testcost"
)

// A page with "```sh run" blocks is a script. The test runs these blocks in one shell. The "```text output" block after
// each has its output. A block "```text sample=NAME" of any page has the output of the block with that name, or its last
// N lines with "last=N". -update writes all outputs.
//
// A page that has a folder in testdata begins with the files in it; stage.sh is read by its shell before the first
// block, and "after=NAME" calls a function of that before the block's own commands.
var scripts = []string{"quick-start.md", "adopt.md", "groups-example.md", "definitions.md", "operate.md", "tutorial.md",
	"environments.md", "overlays.md", "kustomize.md", "repos.md", "secrets.md", "from-terraform.md", "from-argo-cd.md", "from-heat.md", "testdata/samples.md"}

// needed are the tools that only one page uses.
var needed = map[string][]string{"operate.md": {"kubectl", "openssl"}, "repos.md": {"ssh-keygen"}}

// changing is what differs from one run to the next.
var changing = []struct {
	what *regexp.Regexp
	as   string
}{
	{regexp.MustCompile(`\b\d+ms\b|\b(\d+m)?\d+(\.\d+)?s\b`), "TIME"},
	{regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`), "ID"},
	{regexp.MustCompile(`\b[0-9a-f]{64}\b`), "HASH"}, // of plans that name IDs
	{regexp.MustCompile(`\b[0-9a-f]{8}…`), "ID…"},
	{regexp.MustCompile(`(?m)^(stack \S+ at) [0-9a-f]{10} `), "$1 COMMIT "}, // of files that name IDs
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "ADDRESS"},
	{regexp.MustCompile(`\b192\.168\.\d+\.\d+\b|\b10\.0\.0\.\d+\b|\b203\.0\.\d+\.\d+\b`), "IP"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\dT[0-9:.]+Z\b|\b\d\d:\d\d UTC, \d+ \w+ \d{4}\b`), "DATE"},
	{regexp.MustCompile(`\b(?:[A-Z][a-z]{2} )?\d{4}-\d\d-\d\d \d\d:\d\d UTC`), "DATE"},
	{regexp.MustCompile(`(no longer in the repository; after) .*`), "$1 THESE"},
	{regexp.MustCompile(`; and \d+ more\b`), "; and N more"}, // by how far the pass had come
	{regexp.MustCompile(` {2,}`), "  "},
	{regexp.MustCompile(`(?m) +$`), ""},
}

// steady is a text without what changes, and with what happens in parallel in
// one order.
func steady(text string) string {
	for _, c := range changing {
		text = c.what.ReplaceAllString(text, c.as)
	}
	lines := strings.Split(text, "\n")
	for from := 0; from < len(lines); from++ {
		to := from
		for to < len(lines) && (strings.HasSuffix(lines[to], " in TIME") || strings.Contains(lines[to], "no longer in the repository")) {
			to++
		}
		slices.Sort(lines[from:to])
		from = max(from, to-1)
	}
	return strings.Join(lines, "\n")
}

// TestSamples runs the scripts and compares what they print with what the pages
// show. It takes minutes, because it builds the program and carries out every
// rollout, drain and wait of all these pages, one page after the other.
func TestSamples(t *testing.T) {
	testcost.Long(t)
	for _, tool := range []string{"bash", "curl", "git"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("the pages use what is not installed: ", err)
		}
	}
	named := map[string]string{}
	for _, file := range scripts {
		t.Run(file, func(t *testing.T) { runPage(t, file, named) })
	}
	for file, text := range documents(t) {
		if slices.Contains(scripts, file) {
			continue
		}
		compare(t, file, text, func(_ int, b block) (string, bool) {
			name := b.word("sample")
			if name != "" && named[name] == "" {
				t.Errorf("%s:%d: no script has a sample %s", file, b.line, name)
				return "", false
			}
			return last(named[name], b.word("last")), name != ""
		})
	}
}

// last are the last lines of a text, as many as the number says; all of them for none.
func last(text, number string) string {
	n, err := strconv.Atoi(number)
	lines := strings.SplitAfter(text, "\n")
	if err != nil || n >= len(lines) {
		return text
	}
	return strings.Join(lines[len(lines)-1-n:], "") // the last one is empty
}

// runPage types a page's commands and compares their output.
func runPage(t *testing.T, file string, named map[string]string) {
	text := read(t, file)
	list := blocks(text)
	var commands []string
	for _, b := range list {
		if b.language() == "sh" && b.word("run") != "" {
			commands = append(commands, strings.TrimLeft(b.word("after")+"\n", "\n")+b.text)
		}
	}
	if len(commands) == 0 {
		t.Fatalf("%s has no commands", file)
	}
	for _, tool := range needed[file] {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("the page uses what is not installed: ", err)
		}
	}
	said := session(t, filepath.Join("testdata", strings.TrimSuffix(file, ".md")), commands)
	at := -1
	compare(t, file, text, func(_ int, b block) (string, bool) {
		if b.language() == "sh" && b.word("run") != "" {
			at++
		}
		if b.word("output") == "" || at < 0 {
			return "", false
		}
		if name := b.word("sample"); name != "" {
			named[name] = b.text
			if steady(said[at]) != steady(b.text) {
				named[name] = said[at]
			}
		}
		return said[at], true
	})
}

// compare wants blocks to show what is given for them; -update writes it there.
func compare(t *testing.T, file, text string, want func(int, block) (string, bool)) {
	t.Helper()
	var out strings.Builder
	at := 0
	for i, b := range blocks(text) {
		shown, ok := want(i, b)
		if !ok || steady(shown) == steady(b.text) {
			continue
		}
		if !*update {
			t.Errorf("%s:%d: the program prints (`make update` writes it)\n%s\nthe page shows\n%s", file, b.line, shown, b.text)
		}
		out.WriteString(text[at:b.start] + shown)
		at = b.end
	}
	if at > 0 && *update {
		if err := os.WriteFile(file, []byte(out.String()+text[at:]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// started is a simulator that was, and the file that it writes when it listens.
var started = regexp.MustCompile(`(?m)^.*simulator --clouds-file (\S+).*$`)

const mark = "--- end of block ---"

// session types commands into one shell, in an empty home, and returns what each
// block of them printed. The simulator listens on any free port. $AGENT is a free address at which the commands
// may start an agent. $CHAT is the URL of a channel: messages in Slack's format that are posted there are
// appended to chat.log.
func session(t *testing.T, files string, commands []string) []string {
	t.Helper()
	home := t.TempDir()
	bin := filepath.Join(home, "bin")
	wrapper := fmt.Sprintf("#!/bin/sh\n[ \"$1\" = simulator ] || exec %[1]s \"$@\"\nshift\nexec %[1]s simulator --listen 127.0.0.1:0 --build-delay 100ms --pending-delay 100ms \"$@\"\n", binary)
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "stackreeve"), []byte(wrapper), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(files); err == nil {
		if err := os.CopyFS(home, os.DirFS(files)); err != nil {
			t.Fatal(err)
		}
	}
	var script strings.Builder
	script.WriteString("trap 'kill $(jobs -p) 2>/dev/null' EXIT\ncd\nexport PATH=$HOME/bin:$PATH\n")
	if _, err := os.Stat(filepath.Join(home, "stage.sh")); err == nil {
		commands[0] = "stackreeve simulator --clouds-file clouds.yaml >simulator.log &\n. ./stage.sh\n" + commands[0]
	}
	for _, c := range commands {
		script.WriteString(started.ReplaceAllString(c, "$0\nuntil [ -s $1 ]; do sleep 0.05; done")) // a person is slower than that
		fmt.Fprintf(&script, "echo '%s'\n", mark)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash")
	cmd.Dir, cmd.Stdin = home, strings.NewReader(script.String())
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "GIT_CONFIG_NOSYSTEM=1"}
	cmd.Env = append(cmd.Env, "AGENT="+free(t), "CHAT="+chat(t, filepath.Join(home, "chat.log")))
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		cmd.Env = append(cmd.Env, "GIT_"+who+"_NAME=Ada", "GIT_"+who+"_EMAIL=ada@example.com", "GIT_"+who+"_DATE=2026-01-02T03:04:05Z")
	}
	out, err := cmd.CombinedOutput()
	parts := strings.Split(strings.ReplaceAll(string(out), home, "/home/ada"), mark+"\n")
	if len(parts) != len(commands)+1 {
		t.Fatalf("%d of %d blocks ended: %v\n%s", len(parts)-1, len(commands), err, out)
	}
	return parts[:len(commands)]
}

// free is an address where nobody listens.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }() // it has served its purpose
	return l.Addr().String()
}

// chat is the address of a channel, whose messages are appended to a file.
func chat(t *testing.T, file string) string {
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		var message struct{ Text string }
		err := json.NewDecoder(r.Body).Decode(&message)
		if err == nil {
			err = appendTo(file, strings.NewReplacer("\n```\n", "\n", "\n```", "").Replace(message.Text)+"\n")
		}
		if err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func appendTo(file, text string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
