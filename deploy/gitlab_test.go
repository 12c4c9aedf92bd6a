package deploy

import (
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestComponent checks the CI component for GitLab without GitLab. Every input is explained and used, and no
// other input is used. A job checks the checksum of a program before it runs the program. `make test-gitlab`
// checks the component with GitLab's schema, and runs its jobs.
func TestComponent(t *testing.T) {
	text := read(t, "gitlab/templates/stackreeve.yml")
	head, body, ok := strings.Cut(text, "\n---\n")
	if !ok {
		t.Fatal("the inputs are in no document of their own")
	}
	var spec struct {
		Spec struct {
			Inputs map[string]struct {
				Description string
				Default     yaml.Node
			}
		}
	}
	if err := yaml.Unmarshal([]byte(head), &spec); err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, m := range regexp.MustCompile(`\$\[\[ inputs\.(\w+) \]\]`).FindAllStringSubmatch(body, -1) {
		used[m[1]] = true
		if _, ok := spec.Spec.Inputs[m[1]]; !ok {
			t.Errorf("the input %s is used and not declared", m[1])
		}
	}
	var required []string
	for name, input := range spec.Spec.Inputs {
		if input.Description == "" || !used[name] {
			t.Errorf("the input %s is not explained, or not used", name)
		}
		if input.Default.IsZero() {
			required = append(required, name)
		}
	}
	page := read(t, "../docs/ci.md")
	for _, name := range required {
		if !strings.Contains(page, "\n      "+name+": ") {
			t.Errorf("docs/ci.md includes the component without the input %s, which has no default", name)
		}
	}
	var jobs map[string]struct {
		Extends      string
		Script       []string
		BeforeScript []string `yaml:"before_script"`
	}
	if err := yaml.Unmarshal([]byte(body), &jobs); err != nil {
		t.Fatal(err)
	}
	steps := strings.Join(jobs[".stackreeve"].BeforeScript, "\n")
	if checked, unpacked := strings.Index(steps, "sha256sum -c"), strings.Index(steps, "tar -x"); checked < 0 || unpacked < checked {
		t.Errorf("the archive is unpacked unchecked:\n%s", steps)
	}
	for _, name := range []string{"stackreeve-validate", "stackreeve-plan"} {
		if job := jobs[name]; job.Extends != ".stackreeve" || len(job.BeforeScript) > 0 || len(job.Script) == 0 {
			t.Errorf("the job %s: %+v", name, job)
		}
	}
}
