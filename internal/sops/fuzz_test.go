package sops

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"go.yaml.in/yaml/v3"
)

// FuzzRead decrypts hostile files. A file whose values were decrypted contains no encrypted text, and each problem names a
// line.
func FuzzRead(f *testing.F) {
	files, _ := filepath.Glob("testdata/real/*")
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	text, err := os.ReadFile("testdata/keys/first.age")
	if err != nil {
		f.Fatal(err)
	}
	keys := &Keys{}
	if err := keys.AddAge(text); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var docs []*yaml.Node
		dec := yaml.NewDecoder(bytes.NewReader(text))
		for len(docs) < 5 {
			var doc yaml.Node
			if dec.Decode(&doc) != nil || len(doc.Content) != 1 {
				break
			}
			docs = append(docs, doc.Content[0])
		}
		if len(docs) == 0 {
			return
		}
		file, problems := Read(docs, &Effort{})
		if len(problems) == 0 {
			_, problems = file.Decrypt(keys)
		}
		for _, p := range problems {
			if p.Line < 1 || p.What == "" || p.Code == "" {
				t.Errorf("%+v", p)
			}
		}
		for i := 0; file != nil && len(problems) == 0 && i < len(docs); i++ {
			if Has(docs[i]) {
				t.Error("the block is still there")
			}
		}
	})
}
