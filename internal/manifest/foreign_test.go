package manifest_test

import (
	"encoding/base64"
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

const valid = head + "spec: {resource: {cidr: 10.0.0.0/24}}\n"

// TestWhatCannotBeReadIsNotAbsent replaces a manifest by something that cannot be read. Each case is refused, so
// that the objects do not count as removed.
func TestWhatCannotBeReadIsNotAbsent(t *testing.T) {
	encoded := base64.StdEncoding.EncodeToString([]byte(valid))
	for name, c := range map[string]struct {
		file string
		text string
		what string
	}{
		"git lfs":              {"n.yaml", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n", "a pointer of Git LFS"},
		"git-annex":            {"n.yml", "/annex/objects/SHA256E-s31390--f50d7ac4\n", "a pointer of git-annex"},
		"git-crypt":            {"n.yaml", "\x00GITCRYPT\x00\x01\x02\x03", "encrypted with git-crypt"},
		"ansible-vault":        {"n.yaml", "$ANSIBLE_VAULT;1.1;AES256\n6138\n", "encrypted with ansible-vault"},
		"age armor":            {"n.yaml", "-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\n-----END AGE ENCRYPTED FILE-----\n", "encrypted with age"},
		"age":                  {"n.yaml", "age-encryption.org/v1\n-> X25519 x\n", "encrypted with age"},
		"pgp":                  {"n.yaml", "-----BEGIN PGP MESSAGE-----\n\nhQ\n", "encrypted with PGP"},
		"sops, binary":         {"n.json", `{"data": "ENC[AES256_GCM,data:x,type:str]", "sops": {"mac": "ENC[x]", "version": "3.8.1"}}`, "encrypted with sops"},
		"sops":                 {"n.yaml", "apiVersion: ENC[AES256_GCM,data:x]\nspec: ENC[x]\nsops:\n  mac: ENC[x]\n", "encrypted with sops"},
		"base64":               {"n.yaml", encoded, "a manifest in base64"},
		"base64 in lines":      {"n.yaml", encoded[:40] + "\n" + encoded[40:] + "\n", "a manifest in base64"},
		"gzip":                 {"n.yaml", "\x1f\x8b\x08\x00", "compressed with gzip"},
		"a list in YAML":       {"n.yaml", "- apiVersion: openstack.k-orc.cloud/v1alpha1\n  kind: Network\n", "not an object, but a list"},
		"a list in JSON":       {"n.json", `[{"apiVersion": "openstack.k-orc.cloud/v1alpha1", "kind": "Network"}]`, "not an object, but a list"},
		"a list after another": {"n.yaml", "replicas: 3\n---\n- {kind: Network}\n", "not an object, but a list"},
	} {
		_, err := manifest.Load(fstest.MapFS{c.file: {Data: []byte(c.text)}, "other.yaml": {Data: []byte(valid)}}, kinds())
		var problems manifest.Problems
		errors.As(err, &problems)
		found := false
		for _, p := range problems {
			found = found || p.Origin.File == c.file && p.What == c.what && p.Fix != ""
		}
		if !found {
			t.Errorf("%s: %v, want %q", name, err, c.what)
		}
	}
}

// TestAFolderThatBecomesASubmoduleIsRefused checks commits and work trees, with every selection that does not
// exclude the folder.
func TestAFolderThatBecomesASubmoduleIsRefused(t *testing.T) {
	commit := fstest.MapFS{"base": {Mode: fs.ModeIrregular}, "n.yaml": {Data: []byte(valid)}}
	worktree := fstest.MapFS{"base/.git": {Data: []byte("gitdir: ../.git/modules/base\n")}, "base/b.yaml": {Data: []byte(valid)}}
	link := fstest.MapFS{"base": {Mode: fs.ModeSymlink, Data: []byte("elsewhere")}}
	for name, files := range map[string]fstest.MapFS{"a commit": commit, "a work tree": worktree, "a link": link} {
		for _, include := range [][]string{nil, {"base/*.yaml"}, {"**/*.yaml"}} {
			_, err := manifest.Load(manifest.Selection{Include: include}.Of(files), kinds())
			if problems := (manifest.Problems)(nil); !errors.As(err, &problems) || problems[0].Origin.File != "base" {
				t.Errorf("%s, include %q: %v", name, include, err)
			}
		}
		if loaded, err := manifest.Load(manifest.Selection{Exclude: []string{"base"}}.Of(files), kinds()); err != nil {
			t.Errorf("%s, excluded: %v, %v", name, loaded.Objects, err)
		}
	}
}

// TestBareFiles uses files that have the name of a manifest, can be read and contain no object.
func TestBareFiles(t *testing.T) {
	loaded, err := manifest.LoadParts([]manifest.Part{{Name: "clouds/prod", Files: fstest.MapFS{
		"a.yaml": {Data: []byte(valid)}, "cut.yaml": {}, "values.yaml": {Data: []byte("replicas: 3\n")},
		"foreign.yaml": {Data: []byte("apiVersion: apps/v1\nkind: Deployment\n")}, "own.yaml": {Data: []byte("apiVersion: stackreeve.dev/v1alpha1\nkind: Stack\n")},
		"kustomization.yaml": {Data: []byte("namePrefix: prod-\nresources: [a.yaml]\n")}, "notes.txt": {},
	}}}, kinds())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"cut.yaml", "foreign.yaml", "values.yaml"}
	if len(loaded.Bare) != len(want) || loaded.Bare[0] != want[0] || loaded.Bare[1] != want[1] || loaded.Bare[2] != want[2] {
		t.Errorf("bare: %q, want %q", loaded.Bare, want)
	}
}
