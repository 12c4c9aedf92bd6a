package docs

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// TestRenovate applies the expression of the page to the manifest on the page.
func TestRenovate(t *testing.T) {
	page := read(t, "images.md")
	_, rest, _ := strings.Cut(page, "```json\n")
	block, rest, _ := strings.Cut(rest, "```")
	var config struct {
		CustomManagers []struct{ MatchStrings, ManagerFilePatterns []string }
	}
	if err := json.Unmarshal([]byte(block), &config); err != nil || len(config.CustomManagers) != 1 {
		t.Fatal(err, config)
	}
	_, rest, _ = strings.Cut(rest, "```yaml\n")
	manifest, _, _ := strings.Cut(rest, "```")
	found := regexp.MustCompile(config.CustomManagers[0].MatchStrings[0])
	match := found.FindStringSubmatch(manifest)
	if match == nil {
		t.Fatal("the expression finds nothing")
	}
	for name, want := range map[string]string{"datasource": "custom.debian", "depName": "debian-12", "currentValue": "20260112-2355"} {
		if got := match[found.SubexpIndex(name)]; got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	pattern := strings.Trim(config.CustomManagers[0].ManagerFilePatterns[0], "/")
	if !regexp.MustCompile(pattern).MatchString("clouds/prod/web.yaml") {
		t.Error("the manager reads no manifest")
	}
}
