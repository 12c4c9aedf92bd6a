package manifest

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stackreeve/stackreeve/internal/sops"
)

// encryptedFile returns a file that the real sops made, and its key.
func encryptedFile(t *testing.T, name string) (text string, keys *sops.Keys) {
	t.Helper()
	file, err := os.ReadFile("../sops/testdata/real/" + name)
	if err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile("../sops/testdata/keys/first.age")
	if err != nil {
		t.Fatal(err)
	}
	keys = &sops.Keys{}
	if err := keys.AddAge(key); err != nil {
		t.Fatal(err)
	}
	return string(file), keys
}

func loadEncrypted(name, text string, d Decryption) (Loaded, Problems) {
	var problems Problems
	loaded, err := Load(fstest.MapFS{name: {Data: []byte(text)}}, Options{Decryption: d,
		Kinds: []GroupVersionKind{{Version: "v1", Kind: "Secret"}, {Version: "v1", Kind: "ConfigMap"}}})
	errors.As(err, &problems)
	return loaded, problems
}

type secretBody struct {
	StringData map[string]string `json:"stringData,omitempty"`
	Data       map[string]string `json:"data,omitempty"`
}

func TestEncryptedObjects(t *testing.T) {
	text, keys := encryptedFile(t, "documents.yaml")
	loaded, problems := loadEncrypted("a.yaml", text, Decryption{Keys: keys})
	if len(problems) > 0 || len(loaded.Objects) != 3 {
		t.Fatalf("%d objects: %v", len(loaded.Objects), problems)
	}
	o := &loaded.Objects[0]
	for range 2 { // the second time, the document is parsed and decrypted again
		var body secretBody
		if problems := o.Decode(&body); len(problems) > 0 {
			t.Error(problems)
		}
		if body.StringData["password"] != "correct horse" || body.StringData["text"] != "two\nlines\n" {
			t.Errorf("got %+v", body)
		}
		o.Release()
	}
	if got := o.Encrypted(); !slices.Equal(got, []string{"stringData.password", "stringData.text"}) {
		t.Errorf("got %v", got)
	}
	if got := o.Plain(); !slices.Equal(got, []string{"correct horse", "two\nlines\n"}) {
		t.Errorf("got %q", got)
	}
	line := 1 + strings.Count(text[:strings.Index(text, "password:")], "\n")
	if at := o.Where("stringData.password"); at.Line != line || loaded.Objects[1].Origin.Line <= line {
		t.Errorf("got line %d, want %d", at.Line, line)
	}
	for field, want := range map[string]bool{"stringData": true, "stringData.password": true, "stringData.password.x": true, "stringData.passwords": false, "spec": false} {
		if o.Encrypts(field) != want {
			t.Errorf("%s: want %v", field, want)
		}
	}
}

func TestUnknownValues(t *testing.T) {
	text, _ := encryptedFile(t, "secret.yaml")
	loaded, problems := loadEncrypted("a.yaml", text, Decryption{Unknown: true})
	if len(problems) > 0 || len(loaded.Objects) != 1 || !loaded.Objects[0].Unknown() {
		t.Fatalf("got %v, %v", loaded.Objects, problems)
	}
	o := &loaded.Objects[0]
	for range 2 {
		var body secretBody
		if problems := o.Decode(&body); len(problems) > 0 {
			t.Error(problems)
		}
		if value, given := body.StringData["password"]; !given || value != "" {
			t.Errorf("got %q", value)
		}
		if plain := o.Plain(); !sops.Looks(plain[0]) {
			t.Errorf("got %q", plain)
		}
		o.Release()
	}
	if _, problems := loadEncrypted("a.yaml", strings.Replace(text, "type:str]", "type:str", 1), Decryption{Unknown: true}); len(problems) == 0 {
		t.Error("a broken value is accepted where there are no keys")
	}
}

// The paths of encrypted values count as bytes of manifests, because a short file can have many values with long paths.
func TestPathsOfEncryptedValuesAreBounded(t *testing.T) {
	const value = "ENC[AES256_GCM,data:,iv:AA==,tag:AAAAAAAAAAAAAAAAAAAAAA==,type:str]"
	names, list := "", strings.TrimSuffix(strings.Repeat("'"+value+"', ", 2000), ", ")
	for depth := range 90 {
		names += strings.Repeat(" ", depth+1) + strings.Repeat("k", 60) + ":\n"
	}
	text := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n" + names + strings.Repeat(" ", 91) + "[" + list + "]\n" +
		"sops: {mac: '" + value + "', lastmodified: '2026-01-01T00:00:00Z', encrypted_regex: ^data$, age: [{recipient: x, enc: x}]}\n"
	for most, fits := range map[int64]bool{DefaultTotalBytes: true, 2 << 20: false} {
		loaded, err := Load(fstest.MapFS{"a.yaml": {Data: []byte(text)}}, Options{Decryption: Decryption{Unknown: true}, MaxTotalBytes: most,
			Kinds: []GroupVersionKind{{Version: "v1", Kind: "ConfigMap"}}})
		if (err == nil) != fits || loaded.Lost == fits {
			t.Errorf("at most %d bytes: %v, lost %v", most, err, loaded.Lost)
		}
	}
}

// A load that ends at a limit hands out no object whose decrypted values it has not noted.
func TestNoObjectIsLoadedAfterTheLimit(t *testing.T) {
	text, keys := encryptedFile(t, "secret.yaml")
	loaded, err := Load(fstest.MapFS{"a.yaml": {Data: []byte(text)}}, Options{Decryption: Decryption{Keys: keys}, MaxTotalBytes: int64(len(text)) + 1,
		Kinds: []GroupVersionKind{{Version: "v1", Kind: "Secret"}}})
	if err == nil || !loaded.Lost || len(loaded.Objects) > 0 {
		t.Errorf("%d objects, lost %v, %v", len(loaded.Objects), loaded.Lost, err)
	}
}

func TestRefusedEncryptedFiles(t *testing.T) {
	text, keys := encryptedFile(t, "secret.yaml")
	all, _ := encryptedFile(t, "comments.yaml")
	block := text[strings.Index(text, "sops:"):]
	for name, c := range map[string]struct{ file, text, field string }{
		"a changed field":            {"a.yaml", strings.Replace(text, "name: app", "name: other", 1), "sops"},
		"an encrypted name":          {"a.yaml", all, "apiVersion"},
		"half encrypted":             {"a.yaml", strings.Replace(text, block, "", 1), "stringData.password"},
		"half encrypted in a file":   {"a.json", `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"a": "ENC[AES256_GCM,data:x,iv:x,tag:x,type:str]"}}`, "data.a"},
		"a syntax error":             {"a.yaml", text + "---\napiVersion: v1\nkind: [\n", ""},
		"a whole file in binary":     {"a.yaml", "data: ENC[AES256_GCM,data:x,iv:x,tag:x,type:str]\n" + block, ""},
		"a document without a block": {"a.yaml", text + "---\napiVersion: v1\nkind: Secret\nmetadata: {name: b}\n", ""},
	} {
		loaded, problems := loadEncrypted(c.file, c.text, Decryption{Keys: keys})
		if len(problems) == 0 || problems[0].Field != c.field || !loaded.Lost && name[:4] != "half" {
			t.Errorf("%s: got %v, lost %v", name, problems, loaded.Lost)
		}
		if strings.Contains(problems.Error(), "horse") {
			t.Errorf("%s: %v", name, problems)
		}
	}
	if _, problems := loadEncrypted("a.yaml", text, Decryption{}); len(problems) != 1 || problems[0].Field != "sops" {
		t.Errorf("without keys: %v", problems)
	}
}

// TestMessagesHideEncryptedValues decodes an encrypted value into a field of another type.
func TestMessagesHideEncryptedValues(t *testing.T) {
	text, keys := encryptedFile(t, "secret.yaml")
	loaded, _ := loadEncrypted("a.yaml", text, Decryption{Keys: keys})
	var number struct {
		StringData map[string]int `json:"stringData,omitempty"`
	}
	var nothing struct{}
	var free struct {
		StringData struct {
			Password bool `json:"password"`
			Text     any  `json:"text"`
			Empty    any  `json:"empty"`
		} `json:"stringData"`
	}
	for _, into := range []any{&number, &nothing, &free} {
		problems := loaded.Objects[0].Decode(into)
		if len(problems) == 0 || strings.Contains(Problems(problems).Error(), "horse") {
			t.Errorf("got %v", problems)
		}
	}
}

// sealedText encrypts the values of the keys that match an expression, for the key of encryptedFile.
func sealedText(t *testing.T, text, expression string) string {
	t.Helper()
	key, err := os.ReadFile("../sops/testdata/keys/first.age")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(key), "public key: ")
	made, err := sops.Encrypt([]byte(text), sops.Encryption{Recipients: []string{strings.Fields(after)[0]}, Expression: expression}, time.Unix(1e9, 0))
	if err != nil {
		t.Fatal(err)
	}
	return string(made)
}

// TestEncryptedNumbersOfAChoice decodes encrypted numbers into a field with a choice of values.
func TestEncryptedNumbersOfAChoice(t *testing.T) {
	_, keys := encryptedFile(t, "secret.yaml")
	for number, wrong := range map[string]int{"4": 0, "6": 0, "7": 1} {
		text := sealedText(t, "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {version: "+number+"}\n", "^version$")
		loaded, problems := loadEncrypted("a.yaml", text, Decryption{Keys: keys})
		var body struct {
			StringData struct {
				Version int `json:"version" rule:"enum=4|6"`
			} `json:"stringData"`
		}
		if problems = append(problems, loaded.Objects[0].Decode(&body)...); len(problems) != wrong || strings.Contains(problems.Error(), "7") {
			t.Errorf("%s: got %v", number, problems)
		}
	}
}

// TestEncryptedHeads encrypts the parts of a document that messages quote. No message shows them, not even the one that refuses them.
func TestEncryptedHeads(t *testing.T) {
	_, keys := encryptedFile(t, "documents.yaml")
	const word = "Secretariat"
	for name, c := range map[string]struct {
		text, expression string
		fields           []string
	}{
		"a name":                {"apiVersion: v1\nkind: Secret\nmetadata: {name: Secretariat}\n", "^name$", []string{"metadata.name"}},
		"a kind":                {"apiVersion: v1\nkind: Secretariat\nmetadata: {name: a}\n", "^kind$", []string{"kind"}},
		"a kind of no object":   {"apiVersion: example.org/v1\nkind: Secretariat\nmetadata: {name: a}\n", "^kind$", []string{"kind"}},
		"a version":             {"apiVersion: Secretariat\nkind: Secret\nmetadata: {name: a}\n", "^apiVersion$", []string{"apiVersion"}},
		"a similar kind":        {"apiVersion: v1\nkind: SecretariatList\nmetadata: {name: a}\nitems: []\n", "^kind$", []string{"kind"}},
		"an annotation":         {"apiVersion: v1\nkind: Secret\nmetadata: {name: a, annotations: {x: Secretariat}}\n", "^annotations$", []string{"metadata.annotations.x"}},
		"a kind in a list":      {"apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Secret, metadata: {name: a}}\n- {apiVersion: v1, kind: Secretariat, metadata: {name: a}}\n", "^kind$", []string{"kind"}},
		"a name in a list":      {"apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Secret, metadata: {name: Secretariat}}\n", "^name$", []string{"items[0].metadata.name"}},
		"the second document":   {"apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: a, labels: {x: Secretariat}}\n", "^labels$", []string{"metadata.labels.x"}},
		"a name of another API": {"apiVersion: example.org/v1\nkind: Other\nmetadata: {name: Secretariat}\n", "^name$", nil},
	} {
		text := sealedText(t, c.text, c.expression)
		for _, d := range []Decryption{{Keys: keys}, {Unknown: true}} {
			loaded, problems := loadEncrypted("a.yaml", text, d)
			var fields []string
			for _, p := range problems {
				fields = append(fields, p.Field)
			}
			if !slices.Equal(fields, c.fields) || loaded.Lost != (len(c.fields) > 0) {
				t.Errorf("%s, unknown %v: got %v, lost %v", name, d.Unknown, problems, loaded.Lost)
			}
			said := problems.Error()
			for _, i := range loaded.Ignored {
				said += i.Why
			}
			if strings.Contains(said, word) || strings.Contains(said, "ENC[") {
				t.Errorf("%s: %s", name, said)
			}
		}
	}
}
