package sops

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/testcost"
)

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// encryptions are ways to encrypt the samples in YAML.
func encryptions(t *testing.T) map[string]Encryption {
	first, quantum := recipient(t, "first"), recipient(t, "quantum")
	return map[string]Encryption{
		"usual":         {Recipients: []string{first, quantum}},
		"everything":    {Recipients: []string{first}, Field: "unencrypted_suffix", Expression: "_unencrypted"},
		"clear regex":   {Recipients: []string{first}, Field: "unencrypted_regex", Expression: "^(apiVersion|kind|metadata)$"},
		"suffix":        {Recipients: []string{first}, Field: "encrypted_suffix", Expression: "ata"},
		"comments":      {Recipients: []string{first}, Field: "encrypted_comment_regex", Expression: "sops:enc|first"},
		"open comments": {Recipients: []string{first}, Field: "unencrypted_comment_regex", Expression: "sops:enc"},
		"MAC only":      {Recipients: []string{first}, MACOnly: true},
	}
}

func plainFiles() map[string]string {
	return map[string]string{"secret": secretManifest, "types": typesManifest, "documents": documentsManifest, "comments": commentsManifest}
}

// eachEncryption encrypts each sample in each way that encrypts anything of it.
func eachEncryption(t *testing.T, check func(name, plain string, text []byte)) {
	t.Helper()
	count := 0
	for way, e := range encryptions(t) {
		for name, plain := range plainFiles() {
			text, err := Encrypt([]byte(plain), e, noon)
			if errors.Is(err, ErrNothing) && e.Field == "encrypted_comment_regex" {
				continue
			}
			if err != nil {
				t.Fatalf("%s: %s: %v", way, name, err)
			}
			count++
			check(way+": "+name, plain, text)
		}
	}
	if count < 20 {
		t.Errorf("only %d files were encrypted", count)
	}
}

func TestEncrypt(t *testing.T) {
	eachEncryption(t, func(name, plain string, text []byte) {
		docs, problems := opened(t, text, keysOf(t, "first"))
		if len(problems) > 0 {
			t.Errorf("%s: %v\n%s", name, problems, text)
			return
		}
		if have, want := plainValues(docs), plainValues(parse(t, []byte(plain))); have != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, have, want)
		}
	})
}

func TestEncryptedCommentsAndLayout(t *testing.T) {
	text, err := Encrypt([]byte(commentsManifest), Encryption{Recipients: []string{recipient(t, "first")}}, noon)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# head of the file\n", "apiVersion: v1 # behind the version\n", "  # before the name\n  name: app\n", "#ENC[AES256_GCM"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "second line") {
		t.Errorf("a comment of the encrypted part is in clear:\n%s", text)
	}
}

func TestEncryptRefuses(t *testing.T) {
	first := recipient(t, "first")
	for name, c := range map[string]struct {
		text string
		e    Encryption
		want error
	}{
		"nobody":            {secretManifest, Encryption{}, ErrNobody},
		"nothing":           {secretManifest, Encryption{Recipients: []string{first}, Expression: "^x$"}, ErrNothing},
		"an empty file":     {"# nothing\n", Encryption{Recipients: []string{first}}, ErrNothing},
		"twice":             {kept(t, "secret.yaml"), Encryption{Recipients: []string{first}}, ErrEncrypted},
		"an ssh key":        {secretManifest, Encryption{Recipients: []string{"ssh-ed25519 AAAA"}}, nil},
		"a plugin":          {secretManifest, Encryption{Recipients: []string{"age1yubikey1qwerty"}}, nil},
		"a bad expression":  {secretManifest, Encryption{Recipients: []string{first}, Expression: "("}, nil},
		"an alias":          {"stringData: {a: &a x, b: *a}\n", Encryption{Recipients: []string{first}}, nil},
		"a list":            {"- a\n", Encryption{Recipients: []string{first}}, nil},
		"a syntax error":    {"stringData: [\n", Encryption{Recipients: []string{first}}, nil},
		"a key of a number": {"stringData: {1: x}\n", Encryption{Recipients: []string{first}}, nil},
	} {
		if _, err := Encrypt([]byte(c.text), c.e, noon); err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
}

func TestCreationRules(t *testing.T) {
	config := "creation_rules:\n  - path_regex: ^prod/\n    age: >-\n      age1a,\n      age1b\n    encrypted_suffix: _secret\n    mac_only_encrypted: true\n  - path_regex: ^pgp/\n    pgp: ABC\n  - age: [age1c]\n"
	for name, want := range map[string]Encryption{
		"prod/a.yaml": {Recipients: []string{"age1a", "age1b"}, Field: "encrypted_suffix", Expression: "_secret", MACOnly: true},
		"a.yaml":      {Recipients: []string{"age1c"}},
	} {
		have, err := CreationRule([]byte(config), name)
		if err != nil || !slices.Equal(have.Recipients, want.Recipients) || have.Field != want.Field || have.Expression != want.Expression || have.MACOnly != want.MACOnly {
			t.Errorf("%s: got %+v, %v", name, have, err)
		}
	}
	for name, text := range map[string]string{"pgp/a.yaml": config, "a.yaml": "creation_rules: []", "b.yaml": "[", "c.yaml": "creation_rules: [{path_regex: (}]"} {
		if _, err := CreationRule([]byte(text), name); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// TestTheRealSopsReads has the real sops decrypt, edit and rotate what Encrypt writes.
func TestTheRealSopsReads(t *testing.T) {
	testcost.Long(t)
	folder := workshop(t)
	file := filepath.Join(folder, "a.yaml")
	eachEncryption(t, func(name, plain string, text []byte) {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := tool(t, folder, "sops", "decrypt", "a.yaml")
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
			return
		}
		if have, want := plainValues(parse(t, []byte(out))), plainValues(parse(t, []byte(plain))); have != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, have, want)
		}
		if _, err := tool(t, folder, "sops", "rotate", "-i", "a.yaml"); err != nil {
			t.Errorf("%s: rotate: %v", name, err)
		}
		rotated, _ := os.ReadFile(file)
		if _, problems := opened(t, rotated, keysOf(t, "first")); len(problems) > 0 {
			t.Errorf("%s: rotated: %v", name, problems)
		}
	})
}
