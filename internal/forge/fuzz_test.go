package forge

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzToken checks that FileToken returns a token that is valid in a header, or an error that
// contains nothing of the file.
func FuzzToken(f *testing.F) {
	for _, text := range []string{"ghp_0123456789abcdef\n", "", " \n", "two\nlines", "naïve", "\ufeffghp_x", "a\x00b", "x\r\nHost: y"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		token, err := FileToken(file)(t.Context())
		if err != nil {
			if word := strings.TrimSpace(text); len(word) > 12 && !strings.Contains(file, word) && strings.Contains(err.Error(), word) {
				t.Errorf("%q is in %q", word, err)
			}
			return
		}
		if token == "" || strings.TrimSpace(text) != token || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
			t.Errorf("%q gives %q", text, token)
		}
	})
}
