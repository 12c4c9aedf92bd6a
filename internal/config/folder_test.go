package config

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

func folderOf(text string) fstest.MapFS { return fstest.MapFS{FolderFile: {Data: []byte(text)}} }

func TestAFolderCanSuspendItsStack(t *testing.T) {
	for text, want := range map[string]plan.Plan{
		"suspend: true\n":                      {Restraint: plan.Restraint{Suspended: "suspend is true in .stackreeve.yaml"}},
		"sync: {mode: manual}\n":               {Restraint: plan.Restraint{Manual: "sync.mode is manual in .stackreeve.yaml"}},
		"# nothing\n":                          {},
		"":                                     {},
		"suspend:\n":                           {},
		"suspend: true\nsync:\n  mode: manual": {Restraint: plan.Restraint{Suspended: "suspend is true in .stackreeve.yaml", Manual: "sync.mode is manual in .stackreeve.yaml"}},
	} {
		policies, err := ReadFolder(folderOf(text))
		got := plan.Plan{}.Apply(policies...)
		if err != nil || got.Suspended != want.Suspended || got.Manual != want.Manual {
			t.Errorf("%q: suspended %q, manual %q, %v", text, got.Suspended, got.Manual, err)
		}
	}
	if policies, err := ReadFolder(fstest.MapFS{"a.yaml": {}}); err != nil || len(policies) != 0 {
		t.Errorf("without a file: %d policies, %v", len(policies), err)
	}
}

// TestAttackAFolderCannotStrengthenItsStack uses a file that a pull request can write. A field that would allow
// the agent more is refused, and the problem contains its line.
func TestAttackAFolderCannotStrengthenItsStack(t *testing.T) {
	for text, want := range map[string]string{
		"\nsuspend: false\n":                               "2 suspend",
		"sync:\n  mode: auto\n":                            "2 sync.mode",
		"sync: {prune: true}":                              "1 sync.prune",
		"sync:\n  maxDeletes: 100%":                        "2 sync.maxDeletes",
		"sync: {replace: allow}":                           "1 sync.replace",
		"suspend: true\ncloud: prod":                       "2 cloud",
		"suspend: true\nsource: {url: x}":                  "2 source",
		"apiVersion: stackreeve.dev/v1alpha1\nkind: Stack": "1 apiVersion",
		"metadata: {name: x}":                              "1 metadata",
		"spec: {suspend: true}":                            "1 spec",
		"suspend: ture":                                    "1 suspend",
		"suspend: \"true\"":                                "1 suspend",
		"suspend: true\nsuspend: true":                     "2 suspend",
		"suspend: true\n---\nsuspend: true":                "3",
		"- suspend":                                        "1",
		"a: &a [*a]":                                       "1 a[0]",
		"suspend: [":                                       "1",
		"suspend: true\n#" + strings.Repeat("x", 64<<10):   "0",
		"sync: " + strings.Repeat("[", 300) + strings.Repeat("]", 300): "1",
	} {
		policies, err := ReadFolder(folderOf(text))
		var problems manifest.Problems
		if !errors.As(err, &problems) || placed(problems[0]) != want || len(policies) != 0 {
			t.Errorf("%.40q: %d policies, %v; want a first problem at %s", text, len(policies), err, want)
		}
	}
	for name, files := range map[string]fstest.MapFS{
		"another ending": {".stackreeve.yml": {Data: []byte("suspend: true")}},
		"a folder":       {".stackreeve.yaml/a": {}},
	} {
		var problems manifest.Problems
		if _, err := ReadFolder(files); !errors.As(err, &problems) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// placed returns the line and the field of a problem.
func placed(p manifest.Problem) string {
	return strings.TrimSpace(fmt.Sprint(p.Origin.Line, " ", p.Field))
}
