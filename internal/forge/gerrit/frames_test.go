package gerrit

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// FuzzFrames writes a comment as messages and reads the messages back. The result must be the same
// comment, except for white space at both ends, which Gerrit removes. Another message does not
// change the comment.
func FuzzFrames(f *testing.F) {
	f.Add("", "")
	f.Add("<!-- stackreeve {} -->\nplan\n", "[stackreeve: comment new, part 2 of 2]")
	f.Add("<!-- a -->", "[stackreeve: comment 1, withdrawn]")
	f.Add(strings.Repeat("🙂 \n", 9_000), "[stackreeve: comment new, part 999 of 999 marked]")
	f.Fuzz(func(t *testing.T, body, other string) {
		if !utf8.ValidString(body) || len(body) > 4*forge.MaxComment {
			t.Skip()
		}
		var read reader
		for _, message := range pieces(0, body) {
			if n := len(utf16.Encode([]rune(message))); n > 16<<10 {
				t.Errorf("a message of %d characters", n)
			}
			text, frame, ok := framed(strings.TrimSpace(message))
			if !ok {
				t.Fatalf("%q has no frame", message)
			}
			read.take(forge.Comment{ID: 1, Mine: true}, text, frame)
		}
		list := read.list()
		if len(list) != 1 || strings.TrimSpace(list[0].Body) != strings.TrimSpace(body) {
			t.Fatalf("%q came back as %+v", body, list)
		}
		if text, frame, ok := framed(other); ok && frame.comment != 1 {
			read.take(forge.Comment{ID: 2, Mine: true}, text, frame)
			if list := read.list(); list[0].ID != 1 || strings.TrimSpace(list[0].Body) != strings.TrimSpace(body) {
				t.Errorf("%q changes another comment: %+v", other, list)
			}
		}
		if s, ok := statusOf(other); ok && statusText(s) != other && s.URL != "" {
			t.Errorf("%q is read as %+v", other, s)
		}
	})
}
