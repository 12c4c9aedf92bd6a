package child

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stackreeve/stackreeve/internal/kustomize"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/sops"
)

// sealedRepository has values that nobody may see, in resources and in a patch. encrypted are the names of the files that SOPS encrypts.
func sealedRepository() (files map[string]string, encrypted []string) {
	return map[string]string{
		"base/kustomization.yaml": "resources: [secrets.yaml, thing.yaml, open.yaml]\n",
		"base/secrets.yaml": `apiVersion: v1
kind: Secret
metadata: {name: app}
stringData:
  password: "correct: horse"
  empty: ""
  text: |
    horse one
    horse two
---
apiVersion: v1
kind: Secret
metadata: {name: other}
data: {password: aG9yc2Ugb3RoZXI=}
`,
		"base/thing.yaml": "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: thing}\nspec:\n  open: a\n  data: {number: 4711, flag: true, text: horse in a field, list: [horse 1, horse 2]}\n",
		"base/open.yaml":  "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: open}\nspec: {open: plain}\n",
		"prod/kustomization.yaml": `resources: [../base]
namePrefix: prod-
patches:
- path: patch.yaml
- target: {kind: Thing, name: thing}
  patch: '[{"op": "move", "from": "/spec/data/text", "path": "/spec/moved"}]'
replacements:
- source: {kind: Secret, name: app, fieldPath: stringData.password}
  targets: [{select: {kind: Thing, name: open}, fieldPaths: [spec.copied], options: {create: true}}]
`,
		"prod/patch.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: app}\nstringData:\n  password: horse of prod\n  added: horse added\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: other}\nstringData: {more: horse more}\n",
	}, []string{"base/secrets.yaml", "base/thing.yaml", "prod/patch.yaml"}
}

const ageKey = "../../sops/testdata/keys/first.age"

func ageKeys(t *testing.T) (keys *sops.Keys, recipient string) {
	t.Helper()
	text, err := os.ReadFile(ageKey)
	if err != nil {
		t.Fatal(err)
	}
	keys = &sops.Keys{}
	if err := keys.AddAge(text); err != nil {
		t.Fatal(err)
	}
	return keys, regexp.MustCompile(`public key: (\S+)`).FindStringSubmatch(string(text))[1]
}

// sealedTree returns the repository with its encrypted files.
func sealedTree(t *testing.T) (kustomize.Tree, fstest.MapFS) {
	t.Helper()
	files, names := sealedRepository()
	_, recipient := ageKeys(t)
	for _, name := range names {
		text, err := sops.Encrypt([]byte(files[name]), sops.Encryption{Recipients: []string{recipient}}, time.Unix(1e9, 0))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
	}
	return treeOf(files)
}

func treeOf(files map[string]string) (kustomize.Tree, fstest.MapFS) {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return kustomize.Tree{Files: fsys, Root: "prod"}, fsys
}

// thing is a document of the repository.
type thing struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Metadata   map[string]string `json:"metadata"`
	StringData map[string]string `json:"stringData,omitempty" rule:"raw"`
	Data       map[string]string `json:"data,omitempty"`
	Spec       struct {
		Open   string `json:"open,omitempty"`
		Moved  string `json:"moved,omitempty"`
		Copied string `json:"copied,omitempty"`
		Data   struct {
			Number int      `json:"number"`
			Flag   bool     `json:"flag"`
			Text   string   `json:"text,omitempty"`
			List   []string `json:"list,omitempty"`
		} `json:"data,omitzero"`
	} `json:"spec,omitzero"`
}

// read loads what kustomize made, and returns the objects and their documents as JSON, by name.
func read(t *testing.T, part manifest.Part, how manifest.Decryption) (objects map[string]*manifest.Object, texts map[string]string, err error) {
	t.Helper()
	objects, texts = map[string]*manifest.Object{}, map[string]string{}
	_, err = manifest.LoadParts([]manifest.Part{part}, manifest.Options{Decryption: how,
		Kinds: []manifest.GroupVersionKind{{Version: "v1", Kind: "Secret"}, {Group: "example.com", Version: "v1", Kind: "Thing"}},
		Each: func(o *manifest.Object) {
			var d thing
			for _, p := range o.Decode(&d) {
				t.Error(p)
			}
			text, _ := json.Marshal(d)
			objects[o.Key.Kind+"/"+o.Key.Name], texts[o.Key.Kind+"/"+o.Key.Name] = o, string(text)
		}})
	return objects, texts, err
}

// plainWords find values that nobody may see.
var plainWords = regexp.MustCompile(`horse|4711|aG9yc2Ug`)

// watched records what kustomize gets and makes.
func watched(into *strings.Builder) kustomize.Build {
	return func(_ context.Context, in kustomize.Input) (kustomize.Output, error) {
		for _, name := range slices.Sorted(maps.Keys(in.Files)) {
			into.Write(in.Files[name])
		}
		out := build(in)
		for _, d := range out.Documents {
			into.Write(d.Text)
		}
		into.WriteString(out.Error)
		return out, nil
	}
}

func TestEncryptedFiles(t *testing.T) {
	plain, _ := sealedRepository()
	open, _ := treeOf(plain)
	made, err := kustomize.Load(t.Context(), open, watched(new(strings.Builder)))
	if err != nil {
		t.Fatal(err)
	}
	_, want, err := read(t, made, manifest.Decryption{})
	if err != nil {
		t.Fatal(err)
	}
	tree, _ := sealedTree(t)
	checkSealed(t, tree, want)
}

// checkSealed builds a tree with encrypted files, and compares the documents, their encrypted fields and their places.
func checkSealed(t *testing.T, tree kustomize.Tree, want map[string]string) {
	t.Helper()
	keys, _ := ageKeys(t)
	var seen strings.Builder
	made, err := kustomize.Load(t.Context(), tree, watched(&seen))
	if err != nil {
		t.Fatal(err)
	}
	if found := plainWords.FindString(seen.String()); found != "" {
		t.Errorf("kustomize sees %q", found)
	}
	objects, got, err := read(t, made, manifest.Decryption{Keys: keys})
	if err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(got, want) {
		t.Errorf("got\n%v\nwant\n%v", got, want)
	}
	for name, fields := range map[string]string{"Secret/prod-app": "stringData.added stringData.password stringData.text", "Secret/prod-other": "data.password stringData.more",
		"Thing/prod-thing": "spec.data.flag spec.data.list[0] spec.data.list[1] spec.data.number spec.moved", "Thing/prod-open": "spec.copied"} {
		o := objects[name]
		if got := strings.Join(o.Encrypted(), " "); got != fields {
			t.Errorf("%s: %s are encrypted, want %s", name, got, fields)
		}
		before := o.Plain()
		o.Release()
		if after := o.Plain(); !slices.Equal(before, after) || !plainWords.MatchString(strings.Join(after, " ")) {
			t.Errorf("%s: got %q after it was parsed again, and %q before", name, after, before)
		}
	}
	for field, want := range map[string]string{"stringData.password": "prod/patch.yaml", "stringData.text": "base/secrets.yaml", "metadata.name": "prod/kustomization.yaml"} {
		if at := objects["Secret/prod-app"].Where(field); at.File != want || at.Line == 0 {
			t.Errorf("%s: got %s, want %s", field, at, want)
		}
	}
}

// TestEncryptedFilesWithoutKeys leaves the values unknown, as for pull requests from forks.
func TestEncryptedFilesWithoutKeys(t *testing.T) {
	tree, _ := sealedTree(t)
	made, err := kustomize.Load(t.Context(), tree, watched(new(strings.Builder)))
	if err != nil {
		t.Fatal(err)
	}
	objects, texts, err := read(t, made, manifest.Decryption{Unknown: true})
	if err != nil || len(objects) != 4 {
		t.Fatal(len(objects), err)
	}
	for name, o := range objects {
		if !o.Unknown() || plainWords.MatchString(texts[name]+strings.Join(o.Plain(), " ")) || !strings.HasPrefix(o.Plain()[0], "ENC[") {
			t.Errorf("%s: %s, %q", name, texts[name], o.Plain())
		}
	}
	var problems manifest.Problems
	if _, _, err := read(t, made, manifest.Decryption{}); !errors.As(err, &problems) || problems[0].Origin.Line == 0 || problems[0].Origin.File != "base/secrets.yaml" {
		t.Errorf("without any key: got %v", err)
	}
}

// TestChangedEncryptedFiles refuses what was changed without sops, also in a file of which the result has nothing.
func TestChangedEncryptedFiles(t *testing.T) {
	keys, _ := ageKeys(t)
	for name, edit := range map[string][2]string{"base/thing.yaml": {"open: a", "open: b"}, "prod/patch.yaml": {"name: app", "name: other"}} {
		tree, fsys := sealedTree(t)
		text := string(fsys[name].Data)
		changed := strings.Replace(text, edit[0], edit[1], 1)
		if changed == text {
			t.Fatal(name, text)
		}
		fsys[name].Data = []byte(changed)
		made, err := kustomize.Load(t.Context(), tree, watched(new(strings.Builder)))
		if err != nil {
			t.Fatal(err)
		}
		objects, _, err := read(t, made, manifest.Decryption{Keys: keys})
		var problems manifest.Problems
		if !errors.As(err, &problems) || problems[0].Origin.File != name || problems[0].Origin.Line == 0 || problems[0].Field != "sops" || len(objects) > 0 {
			t.Errorf("%s: got %d objects, %v", name, len(objects), err)
		}
	}
}

// TestEncryptedValuesInOpenFields refuses values that everybody would see or that kustomize would divide.
func TestEncryptedValuesInOpenFields(t *testing.T) {
	keys, _ := ageKeys(t)
	replaced := func(rest string) string {
		return "resources: [../base]\nreplacements:\n- source: {kind: Secret, name: app, fieldPath: stringData.password" + rest
	}
	for name, c := range map[string]struct{ text, file, field string }{
		"a name":       {replaced("}\n  targets: [{select: {kind: Thing, name: open}, fieldPaths: [metadata.name]}]\n"), "", "metadata.name"},
		"a label":      {replaced("}\n  targets: [{select: {kind: Thing, name: open}, fieldPaths: [metadata.labels.a], options: {create: true}}]\n"), "", "metadata.labels.a"},
		"a delimiter":  {replaced(", options: {delimiter: '-'}}\n  targets: [{select: {kind: Thing, name: open}, fieldPaths: [spec.open]}]\n"), "prod/kustomization.yaml", "replacements[0].source.options"},
		"an encoding":  {replaced("}\n  targets: [{select: {kind: Thing, name: open}, fieldPaths: [spec.open], options: {encoding: base64}}]\n"), "prod/kustomization.yaml", "replacements[0].targets[0].options"},
		"a part":       {replaced("}\n  targets: [{select: {kind: Thing, name: open}, fieldPaths: [spec.open], options: {delimiter: '/', index: 1}}]\n"), "prod/kustomization.yaml", "replacements[0].targets[0].options"},
		"a wrong test": {"resources: [../base]\npatches: [{target: {kind: Secret, name: app}, patch: '[{\"op\": \"test\", \"path\": \"/stringData/password\", \"value\": \"x\"}]'}]\n", "prod", ""},
	} {
		tree, fsys := sealedTree(t)
		fsys["prod/kustomization.yaml"].Data = []byte(c.text)
		made, err := kustomize.Load(t.Context(), tree, watched(new(strings.Builder)))
		if err == nil {
			_, _, err = read(t, made, manifest.Decryption{Keys: keys})
		}
		var problems manifest.Problems
		if !errors.As(err, &problems) || problems[0].Field != c.field || c.file != "" && problems[0].Origin.File != c.file ||
			plainWords.MatchString(err.Error()) || strings.Contains(err.Error(), "stackreeveSealed") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestGeneratorsOfEncryptedFiles refuses a generator that would copy the encrypted text.
func TestGeneratorsOfEncryptedFiles(t *testing.T) {
	for file, text := range map[string]string{"a.yaml": "", "a.env": "A=ENC[x]\nsops_mac=ENC[y]\n", "a.ini": "a=b\n[sops]\nmac=x\n", "a.bin": "{\"data\": \"ENC[x]\", \"sops\": {\"mac\": \"x\"}}"} {
		tree, fsys := sealedTree(t)
		if text == "" {
			text = string(fsys["prod/patch.yaml"].Data)
		}
		fsys["prod/"+file] = &fstest.MapFile{Data: []byte(text)}
		fsys["prod/kustomization.yaml"].Data = []byte("configMapGenerator:\n- name: a\n  files: [" + file + "]\n")
		_, err := kustomize.Load(t.Context(), tree, watched(new(strings.Builder)))
		var problems manifest.Problems
		if !errors.As(err, &problems) || problems[0].Field != "configMapGenerator[0].files[0]" || problems[0].Origin.Line != 3 {
			t.Errorf("%s: got %v", file, err)
		}
	}
}

// TestRealKustomizeOfDecryptedFiles has the real sops encrypt the files. The real kustomize builds them after sops has decrypted them again.
func TestRealKustomizeOfDecryptedFiles(t *testing.T) {
	needsKustomize(t)
	tools := os.Getenv("STACKREEVE_TEST_SOPS")
	if tools == "" {
		t.Skip("STACKREEVE_TEST_SOPS names no folder with sops")
	}
	key, err := filepath.Abs(ageKey)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command(filepath.Join(tools, "sops"), args...)
		cmd.Dir, cmd.Env = folder, append(os.Environ(), "SOPS_AGE_KEY_FILE="+key)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	files, names := sealedRepository()
	_, recipient := ageKeys(t)
	for name, text := range files {
		write(t, filepath.Join(folder, name), text)
	}
	encrypted := maps.Clone(files)
	for _, name := range names {
		run("encrypt", "-i", "--age", recipient, "--encrypted-regex", "^(data|stringData)$", name)
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		encrypted[name] = string(text)
		run("decrypt", "-i", name)
		if text, err = os.ReadFile(filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
	}
	made, err := sample{root: "prod", files: files}.real(t)
	if err != nil {
		t.Fatal(err)
	}
	_, want, err := read(t, manifest.Part{Name: "made.yaml", Text: strings.NewReader(made)}, manifest.Decryption{})
	if err != nil {
		t.Fatal(err)
	}
	tree, _ := treeOf(encrypted)
	checkSealed(t, tree, want)
}
