package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/schedule"
)

// FuzzLoad loads arbitrary files. Either the file is refused with a line for each problem, or each of its stacks
// can run and has limits for destructive changes.
func FuzzLoad(f *testing.F) {
	const head = "apiVersion: stackreeve.dev/v1alpha1\nkind: Stack\nmetadata: {name: prod}\n"
	for _, spec := range []string{
		"spec:\n  source: {url: https://git.example.com/a/b.git, branch: main, path: clouds/prod, poll: \"@every 1m\"}\n  cloud: prod\n",
		"spec: {source: {url: /srv/repo}, sync: {maxDeletes: 30%, maxDeletesPerKind: {Volume: 0}, drift: report, driftCheck: \"0 * * * *\"}}\n",
		"spec: {source: {url: https://x/y}, report: {github: {repository: a/b, tokenFile: /t}}}\n", "spec: {}\n", "spec: [\n", "spec: &a {source: *a}\n",
		"spec: {source: {url: https://u:p@x/y}}\n---\n" + head + "spec: {source: {url: x}}\n",
	} {
		f.Add([]byte(head + spec))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		file := filepath.Join(t.TempDir(), "stackreeve.yaml")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		stacks, err := Load([]string{file}, Settings{})
		var problems manifest.Problems
		if errors.As(err, &problems) {
			for _, p := range problems {
				if line := p.String(); p.What == "" || strings.ContainsAny(line, "\n\r\x1b\x00") {
					t.Errorf("not fit for a terminal: %q", line)
				}
			}
			return
		}
		if err != nil {
			return
		}
		names := map[string]bool{}
		for _, s := range stacks {
			if s.Name == "" || len(s.Name) > ownertext.MaxStackName || names[s.Name] {
				t.Errorf("a stack is called %q", s.Name)
			}
			names[s.Name] = true
			if s.Spec.Source.Poll != "" {
				if _, err := schedule.Parse(s.Spec.Source.Poll); err != nil {
					t.Errorf("poll %q is accepted: %v", s.Spec.Source.Poll, err)
				}
			}
			if strings.HasPrefix(s.Spec.Source.Path, "/") || strings.Contains("/"+s.Spec.Source.Path+"/", "/../") {
				t.Errorf("path %q is accepted", s.Spec.Source.Path)
			}
		}
	})
}
