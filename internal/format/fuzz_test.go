package format

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"go.yaml.in/yaml/v3"
)

// FuzzText lays out any text. The result has the same values and letters, and laying it out again changes nothing.
func FuzzText(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txt")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(bytes.Split(text, []byte(">>>\n"))[0])
	}
	const head = "kind: a\napiVersion: b\n"
	for _, body := range []string{"a: &x\n    - b\n    - *x\n", "? a\n: b\n", "a: |2\n    b\n   c\n", "- a\n", "a: !!str\n      b: 1\n", "a:\n  >-\n  b\n", "---\na: {b: [c,\nd]}\n...\n", "a: 'b''c\n d'\n"} {
		f.Add([]byte(head + body))
		f.Add([]byte("x:\n" + body))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 4<<10 {
			return
		}
		got, err := Text(text)
		if err != nil {
			return // the file stays as it is
		}
		if letters(string(got)) != letters(string(text)) {
			t.Fatalf("other letters:\n%s\n%s", text, got)
		}
		if a, b := decoded(text), decoded(got); !bytes.Contains(text, []byte("*")) && !bytes.Equal(a, b) { // aliases of aliases would take minutes
			t.Fatalf("other values:\n%s\n%s", a, b)
		}
		if again, err := Text(got); err != nil || !bytes.Equal(again, got) {
			t.Fatalf("not stable: %v\n%q\n%q\n%q", err, text, got, again)
		}
	})
}

// decoded returns the values of all documents, with sorted fields.
func decoded(text []byte) []byte {
	var all []any
	dec := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var v any
		if dec.Decode(&v) != nil {
			break
		}
		all = append(all, v)
	}
	b, err := yaml.Marshal(all)
	if err != nil {
		return []byte(err.Error())
	}
	return b
}
