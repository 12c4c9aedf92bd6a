package config

import (
	"errors"
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
		"\nsuspend: false\n":                               ".stackreeve.yaml:2: suspend: is false, but only true is possible; remove the field",
		"sync:\n  mode: auto\n":                            `.stackreeve.yaml:2: sync.mode: is "auto", but only manual is possible`,
		"sync: {prune: true}":                              ".stackreeve.yaml:1: sync.prune: unknown field",
		"sync:\n  maxDeletes: 100%":                        ".stackreeve.yaml:2: sync.maxDeletes: unknown field",
		"sync: {replace: allow}":                           "sync.replace: unknown field",
		"suspend: true\ncloud: prod":                       ".stackreeve.yaml:2: cloud: unknown field",
		"suspend: true\nsource: {url: x}":                  "source: unknown field",
		"apiVersion: stackreeve.dev/v1alpha1\nkind: Stack": "kind: unknown field",
		"metadata: {name: x}":                              "metadata: unknown field",
		"spec: {suspend: true}":                            "spec: unknown field",
		"suspend: ture":                                    `suspend: wants`,
		"suspend: \"true\"":                                `suspend: wants`,
		"suspend: true\nsuspend: true":                     "suspend",
		"suspend: true\n---\nsuspend: true":                "a second document",
		"- suspend":                                        "wants a mapping",
		"a: &a [*a]":                                       "contains itself",
		"suspend: [":                                       ".stackreeve.yaml:1",
		"suspend: true\n#" + strings.Repeat("x", 64<<10):   "larger than 65536 bytes",
		"sync: " + strings.Repeat("[", 300) + strings.Repeat("]", 300): "nested deeper",
	} {
		policies, err := ReadFolder(folderOf(text))
		var problems manifest.Problems
		if !errors.As(err, &problems) || !strings.Contains(problems.Error(), want) || len(policies) != 0 {
			t.Errorf("%.40q: %d policies, %v; want %q", text, len(policies), err, want)
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
