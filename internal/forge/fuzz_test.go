package forge

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzMarkers: what is read of a comment can be written and read again, in one
// line that ends where it should.
func FuzzMarkers(f *testing.F) {
	f.Add(Marker{Kind: "plan", Stack: "a--b->", Run: 7, Steps: []string{"-->"}}.String()+"\nhello", "prod", "-->\n<!-- stackreeve {} -->")
	f.Add("<!-- stackreeve {\"kind\": 1} -->", "", "")
	f.Add("<!-- stackreeve [[[[ -->", "\u2028", "\xff")
	f.Fuzz(func(t *testing.T, body, stack, step string) {
		m, ok := ParseMarker(body)
		if ok && !Marked(body) {
			t.Errorf("%q has a marker and is not marked", body)
		}
		if !ok {
			if !utf8.ValidString(stack) || !utf8.ValidString(step) {
				return // JSON holds no such text
			}
			m = Marker{Kind: "plan", Stack: stack, Steps: []string{step}}
		}
		line := m.String()
		if strings.Count(line, "--") != 2 || strings.ContainsAny(line, "\r\n") {
			t.Errorf("%q can be left before its end", line)
		}
		again, ok := ParseMarker(line + "\n" + step)
		if !ok || !reflect.DeepEqual(again.String(), line) {
			t.Errorf("%q comes back as %+v", line, again)
		}
	})
}

// FuzzToken: what a file holds is a token that can be in a header, or an error
// without a word of it.
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
