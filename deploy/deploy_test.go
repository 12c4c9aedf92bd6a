// Package deploy checks the files that install and run the agent. It checks them against the built program, and
// with the rules of Docker, systemd, cron and Kubernetes. It depends only on the program's flags and
// configuration.
package deploy

import (
	"context"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/testcost"
)

// TestBinary builds the program as the image does, and tries every command line
// in this folder and in its documentation. It takes long, because it compiles and
// links the whole program with the flags of the image.
func TestBinary(t *testing.T) {
	testcost.Long(t)
	binary := build(t)
	t.Run("size", func(t *testing.T) {
		info, err := os.Stat(binary)
		if err != nil {
			t.Fatal(err)
		}
		if size, most := info.Size(), int64(64_000_000); size > most {
			t.Errorf("the binary has %d bytes; at most %d are promised", size, most)
		}
	})
	t.Run("static", func(t *testing.T) { static(t, binary) })
	t.Run("version", func(t *testing.T) {
		if out := output(t, binary, "version"); !strings.HasPrefix(out, "stackreeve v1.2.3-test ") {
			t.Errorf("version prints %q; the linker flag of deploy/build names no variable of the program", out)
		}
	})
	for file, lines := range commands(t) {
		for _, line := range lines {
			t.Run(file+": "+strings.Join(line, " "), func(t *testing.T) {
				output(t, binary, append(line, "--help")...) // fails on unknown flags
			})
		}
	}
	t.Run("environment", func(t *testing.T) {
		help := everyHelp(t, binary)
		for file, text := range files(t) {
			for _, name := range regexp.MustCompile(`STACKREEVE_[A-Z_]+`).FindAllString(text, -1) {
				if !strings.Contains(help, "$"+name) {
					t.Errorf("%s sets %s, which the help of no command knows", file, name)
				}
			}
		}
	})
}

// everyHelp returns the help texts of all commands.
func everyHelp(t *testing.T, binary string) string {
	t.Helper()
	var all strings.Builder
	commands := regexp.MustCompile(`(?m)^  ([a-z-]+) {2,}\S`).FindAllStringSubmatch(output(t, binary, "--help"), -1)
	for _, found := range commands {
		all.WriteString(output(t, binary, found[1], "--help"))
	}
	if len(commands) < 10 {
		t.Fatalf("only %d commands were found", len(commands))
	}
	return all.String()
}

func build(t *testing.T) string {
	t.Helper()
	if !strings.Contains(read(t, "Dockerfile"), "deploy/build /out/stackreeve ") {
		t.Fatal("the Dockerfile does not build with deploy/build")
	}
	binary := filepath.Join(t.TempDir(), "stackreeve")
	cmd := exec.CommandContext(t.Context(), "./build", binary, "v1.2.3-test")
	cmd.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}

func static(t *testing.T, binary string) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has interpreters to look for")
	}
	f, err := elf.Open(binary)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for _, part := range f.Progs {
		if part.Type == elf.PT_INTERP || part.Type == elf.PT_DYNAMIC {
			t.Errorf("the binary has a %s: it does not run in an empty image", part.Type)
		}
	}
}

func output(t *testing.T, binary string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(context.WithoutCancel(t.Context()), binary, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// commands returns the command lines of the program, by the file that contains them.
func commands(t *testing.T) map[string][][]string {
	t.Helper()
	found := map[string][][]string{
		"compose.yaml":            {service(t).Command},
		"kubernetes/cronjob.yaml": {job(t).Spec.JobTemplate.Spec.Template.Spec.Containers[0].Args},
		"kubernetes/agents.yaml":  {agents(t).Spec.Template.Spec.Containers[0].Args},
	}
	line := regexp.MustCompile(`(?:stackreeve|--rm agent) ((?:run|plan|status|validate|version)\b[^\n;|>"` + "`" + `]*)`)
	for file, text := range files(t) {
		for _, match := range line.FindAllStringSubmatch(text, -1) {
			words := slices.DeleteFunc(strings.Fields(match[1]), func(w string) bool { return w == "2" })
			found[file] = append(found[file], words)
		}
	}
	for _, file := range []string{"systemd/stackreeve.service", "systemd/stackreeve-once.service", "cron/stackreeve", "../docs/deploy.md"} {
		if len(found[file]) == 0 {
			t.Errorf("%s says nothing to the program", file)
		}
	}
	return found
}

// files returns all texts of this folder and of its documentation, by their paths.
func files(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, pattern := range []string{"Dockerfile", "*.yaml", "*.md", "cron/*", "kubernetes/*", "systemd/*", "../docs/deploy.md"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("no file is %s", pattern)
		}
		for _, name := range names {
			texts[name] = read(t, name)
		}
	}
	return texts
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
