package resolve_test

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
	"github.com/stackreeve/stackreeve/internal/sops"
)

// coreData returns the kinds ConfigMap and Secret, with data alone.
func coreData() []*kind.Kind {
	type body struct {
		Data map[string]string `json:"data,omitempty" rule:"secret"`
	}
	read := func(b *body, _ *kind.Report) map[string]string { return b.Data }
	return []*kind.Kind{
		typed.Data(kind.Info{Version: "v1", Kind: "ConfigMap", Public: true}, read),
		typed.Data(kind.Info{Version: "v1", Kind: "Secret"}, read),
	}
}

func TestSourcesOfValues(t *testing.T) {
	files := fstest.MapFS{
		"all.yaml":       {Data: []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: some}\ndata: {a: map, b: map, c: map}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: hush}\ndata: {d: secret-word}\n")},
		"sub/values.txt": {Data: []byte("a: file\nb: file\n")},
		"bad.txt":        {Data: []byte("a: 1\n")},
		"thing.yaml":     {Data: []byte("apiVersion: test/v1\nkind: Thing\nmetadata: {name: \"${a}\"}\nspec: {resource: {colour: \"${b}${c}${d:-}\"}}\n")},
	}
	some, file := resolve.ValueSource{ConfigMap: "some"}, resolve.ValueSource{File: "sub/values.txt"}
	for _, c := range []struct {
		inline  map[string]string
		from    []resolve.ValueSource
		name    string
		secrets int
		hints   int
		wrong   string // the file of the problem
	}{
		{nil, []resolve.ValueSource{some}, "map", 0, 0, ""},
		{nil, []resolve.ValueSource{some, file}, "file", 0, 0, ""},
		{map[string]string{"a": "inline", "x": "unused"}, []resolve.ValueSource{file, some}, "inline", 0, 1, ""},
		{nil, []resolve.ValueSource{some, {Secret: "hush"}}, "map", 1, 0, ""},
		{nil, []resolve.ValueSource{some, {ConfigMap: "none"}}, "", 0, 0, "stack.yaml"},
		{nil, []resolve.ValueSource{some, {File: "none.txt"}}, "", 0, 0, "root/none.txt"},
		{nil, []resolve.ValueSource{some, {File: "bad.txt"}}, "", 0, 0, "root/bad.txt"},
		{map[string]string{"a": "x", "b": "y"}, nil, "", 0, 0, "root/thing.yaml"},
	} {
		r := resolve.Reader{Kinds: append(coreData(), thingtest.New().Kind()), Root: "root", Values: resolve.Values{Inline: c.inline, From: c.from,
			Where: func(string) manifest.Origin { return manifest.Origin{File: "stack.yaml"} }}}
		reading, err := r.Read(t.Context(), files)
		if c.wrong != "" {
			var problems manifest.Problems
			if !errors.As(err, &problems) || problems[0].Origin.File != c.wrong && problems[len(problems)-1].Origin.File != c.wrong {
				t.Errorf("%+v: got %v", c, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		for i := range reading.Want {
			if d := &reading.Want[i]; d.Key.Kind == "Thing" && (d.Key.Name != c.name || len(d.Object.Secrets()) != c.secrets) {
				t.Errorf("%+v: got %s with %d secrets", c, d.Key, len(d.Object.Secrets()))
			}
		}
		if len(reading.Hints) != c.hints {
			t.Errorf("%+v: got %v", c, reading.Hints)
		}
	}
}

// A message about a field does not show a secret value that a manifest has put there.
func TestMessagesHideSecretValues(t *testing.T) {
	files := fstest.MapFS{"all.yaml": {Data: []byte("apiVersion: v1\nkind: Secret\nmetadata: {name: hush}\ndata: {d: secret-word}\n---\n" +
		"apiVersion: test/v1\nkind: Thing\nmetadata: {name: a}\nspec: {resource: {near: [\"${d}\"]}}\n")}}
	r := resolve.Reader{Kinds: append(coreData(), thingtest.New().Kind()), Values: resolve.Values{From: []resolve.ValueSource{{Secret: "hush"}}}}
	if _, err := r.Read(t.Context(), files); err == nil || strings.Contains(err.Error(), "secret-word") {
		t.Errorf("got %v", err)
	}
}

// A ConfigMap with encrypted values is a source of secret values.
func TestValuesOfEncryptedConfigMaps(t *testing.T) {
	key, err := os.ReadFile("../../sops/testdata/keys/first.age")
	if err != nil {
		t.Fatal(err)
	}
	keys := &sops.Keys{}
	if err := keys.AddAge(key); err != nil {
		t.Fatal(err)
	}
	encrypted, err := sops.Encrypt([]byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: some}\ndata: {a: hidden-word}\n"),
		sops.Encryption{Recipients: []string{regexp.MustCompile(`age1\w+`).FindString(string(key))}, Expression: "^data$"}, time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{"c.yaml": {Data: encrypted}, "thing.yaml": {Data: []byte("apiVersion: test/v1\nkind: Thing\nmetadata: {name: a}\nspec: {resource: {colour: \"${a}\"}}\n")}}
	r := resolve.Reader{Kinds: append(coreData(), thingtest.New().Kind()), Decryption: manifest.Decryption{Keys: keys}, Values: resolve.Values{From: []resolve.ValueSource{{ConfigMap: "some"}}}}
	reading, err := r.Read(t.Context(), files)
	if err != nil {
		t.Fatal(err)
	}
	for i := range reading.Want {
		if d := &reading.Want[i]; d.Key.Kind == "Thing" && !d.Encrypts("spec.resource.colour") {
			t.Error("the value is not hidden")
		}
	}
}
