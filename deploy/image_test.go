package deploy

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestImage checks that the image is empty, that its user has no name, and that its entry point needs no shell.
func TestImage(t *testing.T) {
	text := read(t, "Dockerfile")
	_, last, ok := strings.Cut(text, "\nFROM scratch\n")
	if !ok || strings.Contains(last, "\nFROM ") {
		t.Fatal("the last stage is not FROM scratch")
	}
	for _, want := range []string{
		`(?m)^USER [1-9]\d*:[1-9]\d*$`,
		`(?m)^ENTRYPOINT \["/stackreeve"\]$`,
		`(?m)^COPY --from=build \S+ /stackreeve$`,
		`(?m)^COPY --from=build \S+ /etc/ssl/certs/ca-certificates.crt$`,
		`org\.opencontainers\.image\.version="\$VERSION"`,
	} {
		if !regexp.MustCompile(want).MatchString(last) {
			t.Errorf("the last stage has nothing like %s", want)
		}
	}
	if strings.Contains(last, "\nRUN ") {
		t.Error("the last stage runs a command: it has no shell to run it")
	}
	uses := regexp.MustCompile(`FROM .*golang:(\d+\.\d+)`).FindStringSubmatch(text)
	needs := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(read(t, "../go.mod"))
	if uses == nil || needs == nil || uses[1] != needs[1] {
		t.Errorf("the Dockerfile builds with %v, go.mod wants %v", uses, needs)
	}
}

// TestContext checks that the builder gets every source file of the program, and few other files.
func TestContext(t *testing.T) {
	allowed := map[string]bool{}
	for line := range strings.Lines(read(t, "../.dockerignore")) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "!"); ok {
			allowed[name] = true
		}
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	const format = `{{if .Module}}{{if .Module.Main}}{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}{{range .EmbedFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}{{end}}{{end}}`
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", format, "../cmd/agent").Output()
	if err != nil {
		t.Fatal(err)
	}
	needed := 0
	for _, file := range strings.Fields(string(out)) {
		name, err := filepath.Rel(root, file)
		if err != nil {
			t.Fatal(err)
		}
		needed++
		first, _, below := strings.Cut(filepath.ToSlash(name), "/")
		if !below {
			first = "*" + filepath.Ext(name)
		}
		if !allowed[first] {
			t.Errorf("%s is needed to build, and .dockerignore keeps it away", name)
		}
	}
	if needed == 0 || !allowed["go.mod"] || !allowed["go.sum"] {
		t.Error("the module does not reach the builder")
	}
}
