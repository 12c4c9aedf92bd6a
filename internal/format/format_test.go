package format

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestStories lays out the texts in testdata: each file has the text, a line with >>>, and the layout.
func TestStories(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		before, want, _ := strings.Cut(string(text), ">>>\n")
		before = strings.ReplaceAll(before, "$\n", "\n") // $ marks the end of a line with spaces
		want = strings.ReplaceAll(want, "$\n", "\n")
		got, err := Text([]byte(before))
		if err != nil || string(got) != want {
			t.Errorf("%s: %v\n%s", file, err, got)
		}
		if again, err := Text(got); err != nil || string(again) != string(got) {
			t.Errorf("%s again: %v\n%s", file, err, again)
		}
	}
}

// TestEveryManifest lays out all manifests of this repository, most of which people have written.
func TestEveryManifest(t *testing.T) {
	done := 0
	for _, dir := range []string{"../../testdata", "../../docs", "../../deploy", "../../internal"} {
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || filepath.Ext(path) != ".yaml" {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			got, err := Text(text)
			switch {
			case errors.Is(err, errUnusual), errors.Is(err, errChanged):
				t.Errorf("%s: %v", path, err)
			case err != nil:
				return nil
			}
			done++
			if again, err := Text(got); err != nil || string(again) != string(got) {
				t.Errorf("%s again: %v", path, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if done < 50 {
		t.Errorf("only %d files", done)
	}
}
