package secretfiles

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/sops"
)

const token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"

// places reads the files of a stack, and returns the findings as file:line field: reason.
func places(t *testing.T, f Files) (list []string) {
	t.Helper()
	read, _, err := f.Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range Together(InDocuments(read, all.Kinds(nil, defaults.Defaults{}))) {
		list = append(list, strings.Replace(fmt.Sprintf("%s %s %s", found.Origin, found.Field, found.Why), "  ", " ", 1))
	}
	return list
}

func sealed(t *testing.T, text string) string {
	t.Helper()
	key, err := os.ReadFile("../sops/testdata/keys/first.age")
	if err != nil {
		t.Fatal(err)
	}
	made, err := sops.Encrypt([]byte(text), sops.Encryption{Recipients: []string{regexp.MustCompile(`age1\w+`).FindString(string(key))}, Field: sops.UsualField, Expression: sops.UsualExpression}, time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	return string(made)
}

// TestFilesOfOverlays finds a secret of the base that an encrypted file of an overlay replaces, the one of a patch, and the one in a file with values.
func TestFilesOfOverlays(t *testing.T) {
	files := fstest.MapFS{
		"base/a.yaml":     {Data: []byte("apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData:\n  old: x\n  key: ${password}\n")},
		"base/hidden.yml": {Data: []byte("just: a\ntoken: " + token + "\n")}, // no manifest, so the stack does not read it
		"base/.b.yaml":    {Data: []byte("apiVersion: v1\nkind: Secret\nmetadata: {name: b}\nstringData: {x: y}\n")},
		"prod/a.yaml":     {Data: []byte(sealed(t, "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {old: new}\n"))},
		"prod/b.yaml":     {Data: []byte("apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n  metadata: {name: b}\n  data: {x: eA==}\n")},
		"prod/env.txt":    {Data: []byte("password: one\ngithub: " + token + "\n")},
		"prod/skip.yaml":  {Data: []byte("apiVersion: v1\nkind: Secret\nmetadata: {name: c}\nstringData: {x: y}\n")},
	}
	f := Files{Selection: manifest.Selection{Exclude: []string{"skip.yaml", "**/skip.yaml"}, Folders: []string{"base", "prod"}}, Values: []string{"prod/env.txt"},
		Parts: []manifest.Part{{Name: "repo", Files: files, Folder: "base"}, {Name: "repo", Files: files, Folder: "prod", Layer: 1}}}
	want := []string{"repo/base/a.yaml:5 stringData.old data of a Secret", "repo/prod/b.yaml:7 data.x data of a Secret", "repo/prod/env.txt:2 github looks like a token"}
	if got := places(t, f); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// TestFilesOfKustomizations finds secrets in each kind of file that a kustomization can name.
func TestFilesOfKustomizations(t *testing.T) {
	files := fstest.MapFS{
		"base/kustomization.yaml": {Data: []byte("resources: [a.yaml]\n")},
		"base/a.yaml":             {Data: []byte("apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData:\n  old: x\n")},
		"base/not-named.yaml":     {Data: []byte("apiVersion: v1\nkind: Secret\nmetadata: {name: b}\nstringData: {x: y}\n")},
		"prod/kustomization.yaml": {Data: []byte(`resources: [../base, c.yaml]
patches:
- path: merge.yaml
- path: ops.yaml
  target: {kind: Sec.*}
- path: sealed.yaml
- target: {kind: Secret, name: a}
  patch: |
    - op: add
      path: /data/inline
      value: eA==
- patch: |
    apiVersion: v1
    kind: Secret
    metadata: {name: a}
    stringData: {second: y}
configMapGenerator:
- name: g
  files: [script.sh]
  literals: [token=` + token + `]
`)},
		"prod/c.yaml":      {Data: []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {open: text}\n")},
		"prod/merge.yaml":  {Data: []byte("apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData:\n  merged: z\n")},
		"prod/ops.yaml":    {Data: []byte("- op: add\n  path: /stringData/a.b~1c\n  value: q\n- {op: add, path: /metadata/labels/x, value: open}\n")},
		"prod/sealed.yaml": {Data: []byte(sealed(t, "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {closed: w}\n"))},
		"prod/script.sh":   {Data: []byte("#!/bin/sh\necho " + token + "\n")},
	}
	f := Files{Kustomize: true, Parts: []manifest.Part{{Name: "r", Files: files, Folder: "base"}, {Name: "r", Files: files, Folder: "prod", Layer: 1}}}
	want := []string{
		"r/base/a.yaml:5 stringData.old data of a Secret",
		"r/prod/kustomization.yaml:11 data.inline data of a Secret",
		"r/prod/kustomization.yaml:16 stringData.second data of a Secret",
		"r/prod/kustomization.yaml:20 looks like a token",
		"r/prod/merge.yaml:5 stringData.merged data of a Secret",
		"r/prod/ops.yaml:3 stringData[a.b/c] data of a Secret",
		"r/prod/script.sh:2 looks like a token",
	}
	if got := places(t, f); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// TestReadsUpToAnError returns what was found before a file that cannot be read.
func TestReadsUpToAnError(t *testing.T) {
	files := fstest.MapFS{
		"a.yaml": {Data: []byte("apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {x: y}\n")},
		"b.yaml": {Data: []byte(strings.Replace(sealed(t, "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {old: new}\n"), "type:str]", "type:str", 1))},
		"c.yaml": {Data: []byte("apiVersion: v1\nkind: [\n# " + token + "\n")},
	}
	read, _, err := Files{Parts: []manifest.Part{{Files: files}}, Values: []string{"none.yaml"}}.Read(t.Context())
	found := InDocuments(read, nil)
	if err == nil || len(found) != 3 || found[0].Origin.Line != 4 || found[1].Origin.File != "b.yaml" || found[2].Why != Token {
		t.Errorf("got %v, %v", found, err)
	}
}
