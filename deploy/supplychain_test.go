package deploy

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/testcost"
)

// workflow is the part of a GitHub workflow that these tests check.
type workflow struct {
	On          yaml.Node         `yaml:"on"`
	Permissions map[string]string `yaml:"permissions"`
	Jobs        map[string]struct {
		Permissions map[string]string `yaml:"permissions"`
		Container   yaml.Node         `yaml:"container"`
		Uses        string            `yaml:"uses"`
		Steps       []struct {
			Uses string            `yaml:"uses"`
			Run  string            `yaml:"run"`
			Env  map[string]string `yaml:"env"`
			With map[string]any    `yaml:"with"`
		} `yaml:"steps"`
	} `yaml:"jobs"`
}

func workflows(t *testing.T) map[string]workflow {
	t.Helper()
	found := map[string]workflow{}
	names, err := filepath.Glob("../.github/workflows/*")
	if err != nil || len(names) == 0 {
		t.Fatal("there are no workflows", err)
	}
	for _, name := range names {
		var w workflow
		if err := yaml.Unmarshal([]byte(read(t, name)), &w); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		found[name] = w
	}
	return found
}

var (
	pinnedAction = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40}$`)
	pinnedImage  = regexp.MustCompile(`@sha256:[0-9a-f]{64}$`)
)

// TestActionsArePinned checks that foreign code is pinned by the digest of a commit, with the version beside it for people.
func TestActionsArePinned(t *testing.T) {
	for name, w := range workflows(t) {
		for job, j := range w.Jobs {
			image := j.Container.Value
			if j.Container.Kind == yaml.MappingNode {
				var c struct{ Image string }
				if err := j.Container.Decode(&c); err != nil {
					t.Fatal(err)
				}
				image = c.Image
			}
			if image != "" && !pinnedImage.MatchString(image) {
				t.Errorf("%s: %s runs in %s, which is not pinned by digest", name, job, image)
			}
			if j.Uses != "" && !strings.HasPrefix(j.Uses, "./") && !pinnedAction.MatchString(j.Uses) {
				t.Errorf("%s: %s uses %s, which is not pinned by commit", name, job, j.Uses)
			}
			for _, s := range j.Steps {
				if s.Uses != "" && !strings.HasPrefix(s.Uses, "./") && !pinnedAction.MatchString(s.Uses) {
					t.Errorf("%s: %s uses %s, which is not pinned by commit", name, job, s.Uses)
				}
			}
		}
		for line := range strings.Lines(read(t, name)) {
			if strings.Contains(line, "uses:") && !regexp.MustCompile(`uses: \S+ # v\d+\.\d+\.\d+\n$`).MatchString(line) {
				t.Errorf("%s: no version stands beside %s", name, strings.TrimSpace(line))
			}
		}
	}
}

// releases reports whether a workflow starts only from tags. Only people who may push can create tags, so such a
// workflow may write releases and images.
func releases(w workflow) bool {
	var on map[string]struct{ Tags, Branches []string }
	return w.On.Decode(&on) == nil && len(on) == 1 && len(on["push"].Tags) > 0 && len(on["push"].Branches) == 0
}

// TestWorkflowsMayLittle checks three things: tokens can only read, events of strangers have no secrets, and no
// script contains a text of a stranger.
func TestWorkflowsMayLittle(t *testing.T) {
	foreign := regexp.MustCompile(`\$\{\{[^}]*(github\.event|github\.head_ref|inputs\.|secrets\.)`)
	for name, w := range workflows(t) {
		if len(w.Permissions) != 1 || w.Permissions["contents"] != "read" {
			t.Errorf("%s: permissions are %v, want contents: read", name, w.Permissions)
		}
		for _, event := range w.On.Content {
			if event.Value == "pull_request_target" || event.Value == "workflow_run" || event.Value == "issue_comment" {
				t.Errorf("%s: %s runs with the base's rights on what strangers say", name, event.Value)
			}
		}
		for job, j := range w.Jobs {
			for what, may := range j.Permissions {
				if may != "read" && may != "none" && !(releases(w) && slices.Contains([]string{"contents", "packages", "id-token", "attestations"}, what)) {
					t.Errorf("%s: %s may %s %s", name, job, may, what)
				}
			}
			for _, s := range j.Steps {
				if foreign.MatchString(s.Run) {
					t.Errorf("%s: %s puts others' words into a script: %s", name, job, s.Run)
				}
				if strings.HasPrefix(s.Uses, "actions/checkout@") && s.With["persist-credentials"] != false {
					t.Errorf("%s: %s leaves the token in the work tree", name, job)
				}
			}
		}
	}
}

// TestReleasesAreAttested checks that each file and image of a release has a signed provenance. It also checks
// that the builders of images are pinned by digest: buildx starts BuildKit in one container. In another one it starts
// the scanner that lists what the image contains (SBOM).
func TestReleasesAreAttested(t *testing.T) {
	for name, w := range workflows(t) {
		if !releases(w) {
			continue
		}
		attested := map[string]bool{}
		for job, j := range w.Jobs {
			if j.Permissions["id-token"] != "write" || j.Permissions["attestations"] != "write" {
				t.Errorf("%s: %s may sign nothing", name, job)
			}
			for _, s := range j.Steps {
				if strings.HasPrefix(s.Uses, "actions/attest") {
					attested["files"] = attested["files"] || s.With["subject-path"] == "dist/*"
					attested["image"] = attested["image"] || s.With["subject-digest"] != nil && s.With["push-to-registry"] == true
				}
				if !strings.Contains(s.Run, "docker buildx") {
					continue
				}
				for option, variable := range map[string]string{"image=$BUILDKIT": "BUILDKIT", "generator=$SCANNER": "SCANNER"} {
					if !strings.Contains(s.Run, option) || !pinnedImage.MatchString(s.Env[variable]) || strings.Contains(s.Run, "--sbom=true") {
						t.Errorf("%s: %s builds with %q, which is not pinned by digest", name, job, s.Env[variable])
					}
				}
			}
		}
		if !attested["files"] || !attested["image"] {
			t.Errorf("%s: attested are %v", name, attested)
		}
	}
}

// TestImagesArePinned checks that base images are pinned by digest.
func TestImagesArePinned(t *testing.T) {
	stages := map[string]bool{"scratch": true}
	for _, from := range regexp.MustCompile(`(?m)^FROM (?:--\S+ )*(\S+)(?: AS (\S+))?$`).FindAllStringSubmatch(read(t, "Dockerfile"), -1) {
		if !stages[from[1]] && !pinnedImage.MatchString(from[1]) {
			t.Errorf("the Dockerfile builds from %s, which is not pinned by digest", from[1])
		}
		stages[from[2]] = true
	}
	if len(stages) < 2 {
		t.Error("the Dockerfile builds from nothing")
	}
}

// unpinned matches commands that install any version that a registry offers at the moment.
var unpinned = regexp.MustCompile(`\b(go install|go run|go get) \S+@(latest|master|main|upgrade)\b|\bnpm (install|i|update)\b|\bnpx\b|\bpip3? install\b|\b(curl|wget)\b[^\n|]*\|\s*(sudo )?(ba)?sh\b`)

// TestNothingIsInstalledByChance searches for such commands in everything that is run: scripts, workflows, the
// Makefile and tests.
func TestNothingIsInstalledByChance(t *testing.T) {
	testcost.Long(t)
	for _, name := range tracked(t) {
		base := filepath.Base(name)
		text := content(t, name)
		script := bytes.HasPrefix(text, []byte("#!")) || base == "Makefile" || base == "Dockerfile" ||
			strings.HasPrefix(name, ".github/") || strings.HasPrefix(name, ".ci/") || strings.HasSuffix(name, ".sh") || strings.HasSuffix(name, ".service")
		if bad := unpinned.Find(text); script && bad != nil {
			t.Errorf("%s installs what is not pinned: %s", name, bad)
		}
		if base == "package.json" {
			if _, err := os.Stat(filepath.Join("..", filepath.Dir(name), "package-lock.json")); err != nil {
				t.Errorf("%s has no lock beside it", name)
			}
		}
	}
}

// TestNoBinaries checks that the repository contains only files that people can read, and pictures.
func TestNoBinaries(t *testing.T) {
	for _, name := range tracked(t) {
		text := content(t, name)
		for _, magic := range []string{"\x7fELF", "MZ\x90", "\xca\xfe\xba\xbe", "\xcf\xfa\xed\xfe", "PK\x03\x04", "\x1f\x8b", "\x00asm", "!<arch>"} {
			if bytes.HasPrefix(text, []byte(magic)) {
				t.Errorf("%s is a binary or an archive", name)
			}
		}
	}
}

// TestProjectSays checks that the repository contains the information that strangers need: how to report
// problems, what they may do, and who updates the pinned versions.
func TestProjectSays(t *testing.T) {
	for name, want := range map[string][]string{
		"../SECURITY.md":            {"Report a vulnerability", "## Supported versions"},
		"../LICENSE":                {"Apache License"},
		"../.github/dependabot.yml": {"package-ecosystem: gomod, directory: /,", "package-ecosystem: gomod, directory: /tools,", "package-ecosystem: gomod, directory: /tools/release", "package-ecosystem: github-actions", "package-ecosystem: docker, directory: /deploy"},
		"../.ci/run":                {"make test", "make lint", ".ci/dependencies", ".ci/fuzz"},
		"../.golangci.yml":          {"- staticcheck"},
		"../go.mod":                 {"\ntoolchain go1."},
	} {
		text := read(t, name)
		for _, one := range want {
			if !strings.Contains(text, one) {
				t.Errorf("%s says nothing of %q", name, one)
			}
		}
	}
}

// tracked returns the files of the repository, by their paths in it.
func tracked(t *testing.T) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", "-C", "..", "ls-files", "-z").Output()
	if err != nil {
		t.Skip("this is no checkout: ", err)
	}
	return strings.Split(strings.Trim(string(out), "\x00"), "\x00")
}

// content returns the beginning of a file.
func content(t *testing.T, name string) []byte {
	t.Helper()
	f, err := os.Open(filepath.Join("..", name))
	if os.IsNotExist(err) {
		return nil // the file is about to be removed
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || info.Mode()&fs.ModeType != 0 {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(f, 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	return text
}
