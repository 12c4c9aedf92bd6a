package sops

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/testcost"
)

var keep = flag.Bool("keep", false, "write what the real sops makes to testdata/real")

// sample is a plain file and how the real sops encrypts it.
type sample struct {
	name, plain string
	args        []string
	config      string // the creation rule, without its recipient if the file has one; args are then not used
	rotate      bool
	keys        []string
}

const secretManifest = `apiVersion: v1
kind: Secret
metadata:
  name: app
stringData:
  password: correct horse
  empty: ""
  text: |
    two
    lines
`

const typesManifest = `apiVersion: v1
kind: ConfigMap
metadata: {name: types}
data:
  text: "yes"
  old: yes
  whole: 42
  negative: -7
  large: 9007199254740993
  fraction: 1.50
  tiny: 1e-7
  huge: 1e21
  on: true
  off: false
  none: null
  day: 2026-01-31
  time: 2026-01-31T12:00:00.123456789+02:00
  octal: 0o17
  hex: 0xff
  umlaut: "ä\n\t€"
  list: [a, 1, true, [b, {c: d}]]
  emptyList: []
  emptyMap: {}
  visible_unencrypted: shown
`

const documentsManifest = "# first\n" + secretManifest + "---\napiVersion: v1\nkind: Secret\nmetadata: {name: b}\nstringData: {password: other}\n---\n# third\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n"

const commentsManifest = `# head of the file

# before the version
apiVersion: v1 # behind the version
kind: Secret
metadata:
  # before the name
  name: app
  # after the name
stringData:
  # sops:enc
  # second line
  password: one # behind
  open: two
  # sops:enc
  nested:
    a: three
    b: [four, five]
  list:
    # sops:enc
    - six
    - seven # sops:enc
    # sops:enc
  last: eight
# foot
`

func samples(t *testing.T) []sample {
	first, second, quantum := recipient(t, "first"), recipient(t, "second"), recipient(t, "quantum")
	data := []string{"--age", first, "--encrypted-regex", "^(data|stringData)$"}
	return []sample{
		{name: "secret.yaml", plain: secretManifest, args: data, keys: []string{"first"}},
		{name: "types.yaml", plain: typesManifest, args: []string{"--age", first}, keys: []string{"first"}},
		{name: "documents.yaml", plain: documentsManifest, args: data, keys: []string{"first"}},
		{name: "comments.yaml", plain: commentsManifest, args: []string{"--age", first}, keys: []string{"first"}},
		{name: "comment-regex.yaml", plain: commentsManifest, config: "encrypted_comment_regex: ^ sops:enc$", keys: []string{"first"}},
		{name: "clear-comment-regex.yaml", plain: commentsManifest, config: "unencrypted_comment_regex: ^ sops:enc$", keys: []string{"first"}},
		{name: "mac-only.yaml", plain: secretManifest, config: "encrypted_regex: ^(data|stringData)$, mac_only_encrypted: true", keys: []string{"first"}},
		{name: "suffix.yaml", plain: secretManifest, args: []string{"--age", first, "--encrypted-suffix", "Data"}, keys: []string{"first"}},
		{name: "clear-suffix.yaml", plain: secretManifest, args: []string{"--age", first, "--unencrypted-suffix", "data"}, keys: []string{"first"}},
		{name: "clear-regex.yaml", plain: secretManifest, args: []string{"--age", first, "--unencrypted-regex", "^(apiVersion|kind|metadata)$"}, keys: []string{"first"}},
		{name: "rotated.yaml", plain: secretManifest, args: data, rotate: true, keys: []string{"second"}},
		{name: "several.yaml", plain: secretManifest, args: []string{"--age", first + "," + second, "--encrypted-regex", "^(data|stringData)$"}, keys: []string{"second"}},
		{name: "quantum.yaml", plain: secretManifest, args: []string{"--age", quantum, "--encrypted-regex", "^(data|stringData)$"}, keys: []string{"quantum"}},
		{name: "openpgp.yaml", plain: secretManifest, args: []string{"--pgp", fingerprint, "--encrypted-regex", "^(data|stringData)$"}, keys: []string{"openpgp"}},
		{name: "groups.yaml", plain: secretManifest, config: groupsConfig(t), keys: []string{"first", "openpgp"}},
		{name: "secret.json", plain: `{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "app", "n": 1, "big": 12345678901234567890}, "stringData": {"f": 1.0, "e": 1e3, "password": "correct \"horse\" ü", "empty": "", "list": [1, 2.5, true, null]}}`, args: data, keys: []string{"first"}},
	}
}

const fingerprint = "5FFE1C4C8085907A85511258E94E83EA713D70FE"

// groupsConfig has three groups of keys, two of which are needed.
func groupsConfig(t *testing.T) string {
	return "encrypted_regex: ^(data|stringData)$, shamir_threshold: 2, key_groups: [{age: [" + recipient(t, "first") + "]}, {age: [" + recipient(t, "second") + "]}, {pgp: [" + fingerprint + "]}]"
}

var publicKey = regexp.MustCompile(`public key: (\S+)`)

func recipient(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/keys/" + name + ".age")
	if err != nil {
		t.Fatal(err)
	}
	return publicKey.FindStringSubmatch(string(text))[1]
}

// tool runs the real sops or age in a folder.
func tool(t *testing.T, folder, name string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(filepath.Join(os.Getenv("STACKREEVE_TEST_SOPS"), name), args...)
	cmd.Dir = folder
	keys, _ := filepath.Abs("testdata/keys")
	cmd.Env = append(os.Environ(), "SOPS_AGE_KEY_FILE="+keys+"/all.age", "GNUPGHOME="+folder+"/gnupg", "SOPS_DISABLE_VERSION_CHECK=true")
	var out, wrong bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &wrong
	err := cmd.Run()
	if err != nil {
		t.Log(wrong.String())
	}
	return out.String(), err
}

// workshop returns a folder with the OpenPGP key in a key ring of its own.
func workshop(t *testing.T) string {
	t.Helper()
	if os.Getenv("STACKREEVE_TEST_SOPS") == "" {
		t.Skip("STACKREEVE_TEST_SOPS names no folder with sops and age")
	}
	folder, err := os.MkdirTemp("", "gpg") //nolint:usetesting // the name must be short, because the socket of gpg-agent lies in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = exec.Command("gpgconf", "--homedir", folder+"/gnupg", "--kill", "all").Run()
		_ = os.RemoveAll(folder)
	})
	if err := os.Mkdir(folder+"/gnupg", 0o700); err != nil {
		t.Fatal(err)
	}
	key, _ := filepath.Abs("testdata/keys/openpgp.asc")
	for _, args := range [][]string{{"--import", key}} {
		cmd := exec.Command("gpg", append([]string{"--homedir", folder + "/gnupg", "--batch", "--quiet"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	return folder
}

func writeConfig(t *testing.T, folder string, s sample) string {
	t.Helper()
	rule := s.config
	if !strings.Contains(rule, "key_groups") {
		rule += ", age: " + recipient(t, "first")
	}
	file := filepath.Join(folder, "config-"+s.name)
	if err := os.WriteFile(file, []byte("creation_rules: [{"+rule+"}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestTheRealSopsIsRead reads what the real sops makes of each sample.
func TestTheRealSopsIsRead(t *testing.T) {
	testcost.Long(t)
	folder := workshop(t)
	for _, s := range samples(t) {
		if err := os.WriteFile(filepath.Join(folder, s.name), []byte(s.plain), 0o600); err != nil {
			t.Fatal(err)
		}
		args := append([]string{"encrypt", "--in-place"}, s.args...)
		if s.config != "" {
			args = []string{"--config", writeConfig(t, folder, s), "encrypt", "--in-place"}
		}
		if _, err := tool(t, folder, "sops", append(args, s.name)...); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		if s.rotate {
			if _, err := tool(t, folder, "sops", "rotate", "-i", "--add-age", recipient(t, "second"), "--rm-age", recipient(t, "first"), s.name); err != nil {
				t.Fatal(err)
			}
		}
		text, err := os.ReadFile(filepath.Join(folder, s.name))
		if err != nil {
			t.Fatal(err)
		}
		compareSample(t, s, text)
		if *keep {
			if err := os.WriteFile("testdata/real/"+s.name, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestKeptFilesAreRead reads the files in testdata that the real sops made.
func TestKeptFilesAreRead(t *testing.T) {
	for _, s := range samples(t) {
		text, err := os.ReadFile("testdata/real/" + s.name)
		if err != nil {
			t.Fatal(err)
		}
		compareSample(t, s, text)
	}
}

func compareSample(t *testing.T, s sample, text []byte) {
	t.Helper()
	if strings.Contains(string(text), "correct horse") {
		t.Errorf("%s is not encrypted", s.name)
	}
	docs, problems := opened(t, text, keysOf(t, s.keys...))
	if len(problems) > 0 {
		t.Errorf("%s: %v", s.name, problems)
		return
	}
	have, want := plainValues(docs), plainValues(parse(t, []byte(s.plain)))
	if have != want {
		t.Errorf("%s: got\n%s\nwant\n%s", s.name, have, want)
	}
}
