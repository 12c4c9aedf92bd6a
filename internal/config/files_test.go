package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestCheckFiles checks that paths are relative to the folder of the configuration file. A problem with a file
// is reported at the line that names the file.
func TestCheckFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("good", "secret", 0o600)
	write("open", "secret", 0o644)
	write("empty", " \n", 0o600)
	write("large", strings.Repeat("x", 65<<10), 0o600)
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"good": "", "open": "", "empty": "empty is empty", "none": "there is no file", "folder": "not a regular file", "large": "larger than"} {
		write("stackreeve.yaml", "apiVersion: stackreeve.dev/v1alpha1\nkind: Stack\nmetadata: {name: a}\nspec:\n  source: {url: ./repo}\n  fingerprints:\n    keyFiles: [good, "+file+"]\n", 0o600)
		if file == "good" {
			write("stackreeve.yaml", "apiVersion: stackreeve.dev/v1alpha1\nkind: Stack\nmetadata: {name: a}\nspec:\n  source: {url: ./repo}\n  fingerprints: {keyFiles: [good]}\n", 0o600)
		}
		stacks, err := Load([]string{filepath.Join(dir, "stackreeve.yaml")}, nil)
		if err != nil {
			t.Fatal(err)
		}
		problems, notes := CheckFiles(stacks)
		switch {
		case want == "" && len(problems) > 0:
			t.Errorf("%s: %v", file, problems)
		case want != "" && (len(problems) != 1 || !strings.Contains(problems[0].String(), want) || problems[0].Origin.Line != 7 || problems[0].Fix == ""):
			t.Errorf("%s: %v", file, problems)
		case (file == "open") != (len(notes) == 1):
			t.Errorf("%s: notes %v", file, notes)
		}
	}
}

// TestCheckFilesOfArtifacts checks the login and the public keys of an artifact.
func TestCheckFilesOfArtifacts(t *testing.T) {
	dir := t.TempDir()
	place(t, filepath.Join(dir, "config.json"), "{}")
	if err := os.Chmod(filepath.Join(dir, "config.json"), 0o644); err != nil {
		t.Fatal(err)
	}
	place(t, filepath.Join(dir, "cosign.pub"), "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n")
	place(t, filepath.Join(dir, "text"), "no key")
	for keys, fields := range map[string][]string{"cosign.pub": nil, "text": {"spec.source.verify.cosignKeyFiles[0]"}} {
		file := filepath.Join(dir, "stackreeve.yaml")
		place(t, file, "apiVersion: stackreeve.dev/v1alpha1\nkind: Stack\nmetadata: {name: a}\nspec:\n  source:\n    url: oci://registry.example.com/a\n    tag: prod\n    auth: {dockerConfigFile: config.json}\n    verify: {cosignKeyFiles: ["+keys+"]}\n")
		stacks, err := Load([]string{file}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		problems, notes := CheckFiles(stacks)
		for _, p := range problems {
			got = append(got, p.Field)
		}
		if !slices.Equal(got, fields) {
			t.Errorf("%s: %v", keys, problems)
		}
		if len(notes) != 1 || notes[0].Field != "spec.source.auth.dockerConfigFile" {
			t.Errorf("notes are %v", notes)
		}
	}
}

// TestCheckFilesThatStacksShare checks that files of notifications and agents are checked only once, and not
// once for each stack.
func TestCheckFilesThatStacksShare(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "stackreeve.yaml")
	const stack = "apiVersion: stackreeve.dev/v1alpha1\nkind: Stack\nmetadata: {name: NAME}\nspec: {source: {url: ./repo}}\n---\n"
	place(t, file, strings.ReplaceAll(stack, "NAME", "a")+strings.ReplaceAll(stack, "NAME", "b")+`apiVersion: stackreeve.dev/v1alpha1
kind: Notification
metadata: {name: ops}
spec: {to: {slack: {urlFile: none}}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: Notification
metadata: {name: mail}
spec:
  to:
    email: {url: "smtp://localhost:25", from: a@example.org, to: [b@example.org], username: a, passwordFile: open, caFile: open}
---
apiVersion: stackreeve.dev/v1alpha1
kind: Agents
metadata: {name: ours}
spec: {etcd: {endpoints: ["https://e1:2379"], certFile: open, keyFile: gone}}
`)
	place(t, filepath.Join(dir, "open"), "x")
	if err := os.Chmod(filepath.Join(dir, "open"), 0o644); err != nil {
		t.Fatal(err)
	}
	stacks, err := Load([]string{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	problems, notes := CheckFiles(stacks)
	if len(problems) != 2 || problems[0].Key.Name != "ops" || problems[0].Field != "spec.to.slack.urlFile" || problems[0].Origin.Line != 14 || problems[1].Field != "spec.etcd.keyFile" {
		t.Errorf("problems are %v", problems)
	}
	if len(notes) != 1 || notes[0].Field != "spec.to.email.passwordFile" {
		t.Errorf("notes are %v", notes)
	}
	if exposed := ExposedSecrets(stacks); len(exposed) != 1 || exposed[0].By.Name != "mail" || exposed[0].Path != filepath.Join(dir, "open") {
		t.Errorf("exposed are %v", exposed)
	}
}

// TestIs checks that configuration and manifests are distinguished.
func TestIs(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]bool{
		"apiVersion: stackreeve.dev/v1alpha1\nkind: Stack\n": true, "{\"kind\": \"Stack\", \"spec\": {}}": true, "---\nkind: 'Stack' # mine\n": true,
		"kind: StackSet\n": false, "# kind: Stack\nkind: Network\n": false, "kind: Network\nspec: {kindOf: Stack}\n": false, "": false,
	} {
		file := filepath.Join(dir, "a.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if Is(file) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
	if !Is(filepath.Join(dir, Usual)) || Is(filepath.Join(dir, "missing.yaml")) {
		t.Error("by name")
	}
}

// TestWhatTheAgentMakesIsChecked checks that a report file that the agent cannot read is refused before anything
// is applied.
func TestWhatTheAgentMakesIsChecked(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	for path, want := range map[string]int{"new.jsonl": 0, "missing/new.jsonl": 1, pipe: 1, "/dev/null": 1, dir: 1} {
		file := filepath.Join(dir, "stackreeve.yaml")
		text := "apiVersion: stackreeve.dev/v1alpha1\nkind: Stack\nmetadata: {name: prod}\nspec:\n  source: {url: ./repo}\n  report: {file: {path: " + path + "}}\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		stacks, err := Load([]string{file}, nil)
		if err != nil {
			t.Fatal(err)
		}
		made := CheckMade(stacks)
		all, _ := CheckFiles(stacks)
		if len(made) != want || len(all) != want || want == 1 && (made[0].Field != "spec.report.file.path" || made[0].Origin.Line != 6) {
			t.Errorf("%s: %v, %v, want %d", path, made, all, want)
		}
	}
}
