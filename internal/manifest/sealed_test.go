package manifest

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
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

// TestAnAliasBesideEncryptedValuesIsRefused because its field would not count as secret.
func TestAnAliasBesideEncryptedValuesIsRefused(t *testing.T) {
	text, keys := encryptedFile(t, "secret.yaml")
	roots, _ := Documents("a.yaml", []byte(text))
	if found, problems := Seal("a.yaml", roots); !found || len(problems) > 0 {
		t.Fatal(problems)
	}
	inside := valueAt(roots[0], "stringData", "password").Value
	for value, want := range map[string]int{"b": 1, "*a": 0} {
		part := Part{Sealed: []SealedFile{{"a.yaml", []byte(text)}}, Built: []Built{{Text: []byte("apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {a: &a " + inside + ", b: " + value + "}\n"), At: Origin{File: "a.yaml", Line: 1}}}}
		loaded, err := LoadParts([]Part{part}, Options{Decryption: Decryption{Keys: keys}, Kinds: []GroupVersionKind{{Version: "v1", Kind: "Secret"}}})
		if len(loaded.Objects) != want || (err == nil) != (want == 1) || loaded.Lost != (want == 0) {
			t.Errorf("%s: %d objects, %v", value, len(loaded.Objects), err)
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
