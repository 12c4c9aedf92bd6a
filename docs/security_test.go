package docs

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// Every test that security.md cites exists: `Name` stands for TestAttackName, or is a test's whole name.
func TestSecurityCitesTests(t *testing.T) {
	out, err := exec.Command("git", "grep", "-hoE", `^func (Test|Fuzz)[A-Za-z0-9_]+`, "--", ":/*_test.go").Output()
	if err != nil {
		t.Skip("not in a work tree: ", err)
	}
	exist := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		exist[strings.TrimPrefix(strings.TrimSpace(line), "func ")] = true
	}
	page, err := os.ReadFile("security.md")
	if err != nil {
		t.Fatal(err)
	}
	span := regexp.MustCompile("`([^`]+)`")
	tested := false
	for n, line := range strings.Split(string(page), "\n") {
		if !strings.HasPrefix(line, "|") {
			tested = false
			continue
		}
		cells := strings.Split(strings.Trim(line, "| "), "|")
		last := strings.TrimSpace(cells[len(cells)-1])
		if last == "test" {
			tested = true
			continue
		}
		if !tested || strings.HasPrefix(last, "-") {
			continue
		}
		for _, name := range span.FindAllStringSubmatch(last, -1) {
			if !exist[name[1]] && !exist["TestAttack"+name[1]] {
				t.Errorf("security.md:%d: there is no test %s", n+1, name[1])
			}
		}
	}
}
