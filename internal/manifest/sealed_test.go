package manifest

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/sops"
)

const token = tokenPrefix + "0123456789abcdef0123456789abcdef01234567"

func reveal(t *testing.T, text string, values map[string]yaml.Node, room int64) (*yaml.Node, revealer) {
	t.Helper()
	roots, err := parseNodes([]byte(text))
	if err != nil || len(roots) != 1 {
		t.Fatal(err)
	}
	r := revealer{tokens: &tokens{values: values}, room: room}
	r.document(roots[0])
	return roots[0], r
}

func TestReveal(t *testing.T) {
	values := map[string]yaml.Node{token: {Kind: yaml.ScalarNode, Tag: "!!int", Value: "4711"}}
	inBase64 := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	for name, c := range map[string]struct{ text, want, parts string }{
		"the whole value":     {"a: " + token, "a: 4711", ""},
		"a part of a text":    {"a: [x, 'pin " + token + ".']", `a: [x, "pin 4711."]`, "4711"},
		"a key":               {token + ": b", token + ": b", ""},
		"a token of nothing":  {"a: " + strings.Replace(token, "0", "1", 1), "a: " + strings.Replace(token, "0", "1", 1), ""},
		"a short token":       {"a: " + token[:30], "a: " + token[:30], ""},
		"prefixes":            {"a: " + tokenPrefix + tokenPrefix + token, `a: "` + tokenPrefix + tokenPrefix + `4711"`, "4711"},
		"encoded in a Secret": {"apiVersion: v1\nkind: Secret\ndata: {a: " + inBase64("pin "+token) + "}", "apiVersion: v1\nkind: Secret\ndata: {a: \"" + inBase64("pin 4711") + "\"}", "4711"},
		"encoded elsewhere":   {"kind: Thing\ndata: {a: " + inBase64(token) + "}", "kind: Thing\ndata: {a: " + inBase64(token) + "}", ""},
	} {
		root, r := reveal(t, c.text, values, 1000)
		text, err := yaml.Marshal(root)
		if got := strings.TrimSpace(string(text)); err != nil || got != c.want || strings.Join(r.parts, " ") != c.parts || (len(r.nodes) > 0) != (c.text != c.want) {
			t.Errorf("%s: got %q, %q, %d nodes", name, got, r.parts, len(r.nodes))
		}
	}
}

func TestRevealIsBounded(t *testing.T) {
	values := map[string]yaml.Node{token: {Kind: yaml.ScalarNode, Tag: "!!str", Value: strings.Repeat("x", 1000)}}
	text := "a: [" + strings.Join(slices.Repeat([]string{token}, 100), ", ") + "]\nb: 'and " + token + "'"
	for room, want := range map[int64]bool{200_000: false, 50_000: true, 0: true} {
		root, r := reveal(t, text, values, room)
		made, err := yaml.Marshal(root)
		if err != nil || r.tooMuch != want || int64(len(made)) > room+int64(2*len(text)) {
			t.Errorf("room %d: got %v, %d bytes", room, r.tooMuch, len(made))
		}
	}
}

// sealedPart returns a document that a program made of an encrypted file. In the text, TOKEN stands for the token of the value
// "correct horse", and BASE64 for the token in base64.
func sealedPart(t *testing.T, document string) (Part, *sops.Keys) {
	t.Helper()
	text, keys := encryptedFile(t, "secret.yaml")
	roots, _ := Documents("a.yaml", []byte(text))
	if found, problems := Seal("a.yaml", roots, &Effort{}); !found || len(problems) > 0 {
		t.Fatal(problems)
	}
	inside := valueAt(roots[0], "stringData", "password").Value
	document = strings.NewReplacer("TOKEN", inside, "BASE64", base64.StdEncoding.EncodeToString([]byte(inside))).Replace(document)
	var places []Origin
	for i := range strings.Count(document, "\n") + 1 {
		places = append(places, Origin{"b.yaml", 101 + i})
	}
	built := Built{Text: []byte(document), At: Origin{File: "a.yaml", Line: 1}, Places: places}
	return Part{Sealed: []SealedFile{{"a.yaml", []byte(text)}}, Built: []Built{built}}, keys
}

// An alias or a merge key beside encrypted values is refused, because its field would not count as secret.
func TestAnAliasBesideEncryptedValuesIsRefused(t *testing.T) {
	for data, want := range map[string]int{
		"{a: &a TOKEN, b: b}":                 1,
		"{a: TOKEN, '<<': b}":                 1,
		"{a: &a TOKEN, b: *a}":                0,
		"{a: &a b, *a : TOKEN}":               0,
		"{<<: {a: TOKEN}}":                    0,
		"{<<: {a: b}, c: TOKEN}":              0,
		"{<<: [{a: b}, {c: x TOKEN}]}":        0,
		"{!!merge x: {a: TOKEN}}":             0,
		"{a: TOKEN}\n<<: {data: {a: BASE64}}": 0,
	} {
		part, keys := sealedPart(t, "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: "+data+"\n")
		loaded, err := LoadParts([]Part{part}, Options{Decryption: Decryption{Keys: keys}, Kinds: []GroupVersionKind{{Version: "v1", Kind: "Secret"}}})
		if len(loaded.Objects) != want || (err == nil) != (want == 1) || loaded.Lost != (want == 0) {
			t.Errorf("%s: %d objects, %v", data, len(loaded.Objects), err)
		}
	}
}

// Encrypted values in fields that messages quote are refused. No message shows them, because the document is not recognised.
func TestOpenFieldsShowNoEncryptedValue(t *testing.T) {
	const secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: a"
	for text, field := range map[string]string{
		"apiVersion: v1\nkind: VALUE\nmetadata: {name: a}\n":                                        "kind",
		"apiVersion: v1\nkind: [VALUE]\nmetadata: {name: a}\n":                                      "kind[0]",
		"apiVersion: x.example/v1\nkind: VALUE\nmetadata: {name: a}\n":                              "kind",
		"apiVersion: VALUE\nkind: Secret\nmetadata: {name: a}\n":                                    "apiVersion",
		"apiVersion: VALUE\nkind: Thing\nmetadata: {name: a}\n":                                     "apiVersion",
		"apiVersion: VALUE/v1\nkind: Secret\nmetadata: {name: a}\n":                                 "apiVersion",
		"apiVersion: v1/VALUE\nkind: Secret\nmetadata: {name: a}\n":                                 "apiVersion",
		"apiVersion: v1\nkind: Secret\nmetadata: {name: VALUE}\n":                                   "metadata.name",
		"apiVersion: v1\nkind: Thing\nmetadata: {name: VALUE}\n":                                    "metadata.name",
		"apiVersion: v1\nkind: Secrets\nmetadata: {name: VALUE}\n":                                  "metadata.name",
		"apiVersion: v1\nkind: Secret\nkind: VALUE\nmetadata: {name: a}\n":                          "kind",
		"metadata: {name: VALUE}\n":                                                                 "metadata.name",
		"apiVersion: v1\nkind: Secret\nmetadata: VALUE\n":                                           "metadata",
		secret + ", namespace: VALUE}\n":                                                            "metadata.namespace",
		secret + ", labels: {x: VALUE}}\n":                                                          "metadata.labels.x",
		secret + ", annotations: {x: VALUE}}\n":                                                     "metadata.annotations.x",
		secret + ", finalizers: [b, VALUE]}\n":                                                      "metadata.finalizers[1]",
		secret + ", <<: {name: VALUE}}\n":                                                           "metadata.<<.name",
		"apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: VALUE, metadata: {name: a}}]\n": "items[0].kind",
		"apiVersion: v1\nkind: SecretList\nitems: [{}, {metadata: {name: VALUE}}]\n":                "items[1].metadata.name",
	} {
		for _, value := range []string{"TOKEN", "'pin TOKEN.'", "BASE64", "'TOKEN-TOKEN'"} {
			document := strings.ReplaceAll(text, "VALUE", value)
			if strings.Contains(text, "/VALUE") || strings.Contains(text, "VALUE/") {
				document = strings.ReplaceAll(text, "VALUE", "TOKEN") // a part of a text is not in base64
			}
			for _, unknown := range []bool{false, true} {
				part, keys := sealedPart(t, document)
				decryption := Decryption{Keys: keys}
				if unknown {
					decryption = Decryption{Unknown: true}
				}
				loaded, err := LoadParts([]Part{part}, Options{Decryption: decryption, Kinds: []GroupVersionKind{{Version: "v1", Kind: "Secret"}}})
				var problems Problems
				if !errors.As(err, &problems) || len(problems) != 1 {
					t.Errorf("%s: %v, ignored %v", document, err, loaded.Ignored)
					continue
				}
				p := problems[0]
				line := 101 + strings.Count(text[:strings.Index(text, "VALUE")], "\n")
				if p.Field != field || p.Key != (Key{}) || p.Origin != (Origin{"b.yaml", line}) || !loaded.Lost {
					t.Errorf("%s: got %+v, lost %v", document, p, loaded.Lost)
				}
				if shown := fmt.Sprintf("%v %+v %+v", err, problems, loaded); strings.Contains(shown, "horse") || len(loaded.Objects)+len(loaded.Ignored) > 0 {
					t.Errorf("%s: shows %s", document, shown)
				}
			}
		}
	}
}

// FuzzReveal puts a value into hostile documents. No token with a value is left besides keys, and a second time changes nothing.
func FuzzReveal(f *testing.F) {
	f.Add("a: " + token + "\nb: [x" + token + "]\n")
	f.Add("apiVersion: v1\nkind: Secret\ndata: {a: " + base64.StdEncoding.EncodeToString([]byte(token)) + "}\n")
	f.Add("a: &a " + tokenPrefix + token + "\nb: *a\n" + token + ": x\n")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(HideTokens(text), token) {
			t.Error("a message shows a token")
		}
		roots, err := parseNodes([]byte(text))
		if err != nil || len(roots) == 0 || roots[0].Kind != yaml.MappingNode {
			return
		}
		r := revealer{tokens: &tokens{values: map[string]yaml.Node{token: {Kind: yaml.ScalarNode, Tag: "!!str", Value: "horse"}}}, room: 1 << 20}
		if r.document(roots[0]); r.tooMuch {
			return
		}
		paths(roots[0], nil, func(n *yaml.Node, _ *fieldPath) {
			if strings.Contains(n.Value, token) {
				t.Errorf("%q has a token", n.Value)
			}
		})
		if r.document(roots[0]); len(r.nodes) > 0 {
			t.Error("a second time, there are tokens")
		}
	})
}
