package format

import (
	"bytes"
	"strings"
	"testing"
)

// TestOneLine formats lines of up to 1 MiB with quoted items. Each character is walked a bounded number of times.
func TestOneLine(t *testing.T) {
	for item, size := range map[string]int{`"x", `: 1 << 20, `"ü", `: 1 << 17, "&a\t\"x\", ": 1 << 17} {
		t.Run(item, func(t *testing.T) {
			text := "apiVersion: v1\nkind: A\nspec: [" + strings.Repeat(item, size/len(item)) + "]\n"
			docs, err := documents(text)
			if err != nil {
				t.Fatal(err)
			}
			v := docs[0].values()
			if err := v.visit(docs[0].root, -1); err != nil {
				t.Fatal(err)
			}
			if items := len(docs[0].root.Content[5].Content); len(v.quotes) != items {
				t.Errorf("%d of %d quoted items were found", len(v.quotes), items)
			}
			if most := (stride + 2) * len(text); v.walked > most {
				t.Errorf("walked %d characters, want at most %d", v.walked, most)
			}
			if got, err := Text([]byte(text)); err != nil || !bytes.Contains(got, []byte(item)) {
				t.Errorf("got %d bytes, %v", len(got), err)
			}
		})
	}
}

// TestOffset compares offsets with those of a walk from the beginning of the line.
func TestOffset(t *testing.T) {
	text := strings.Repeat("aü€𝄞\xff", 100)
	v := values{lines: []line{{text: text}}, marks: make([][]int, 1)}
	want := []int{}
	for at := range text {
		want = append(want, at)
	}
	want = append(want, len(text), len(text)) // beyond the end
	for character := len(want) - 1; character >= 0; character-- {
		if got := v.offset(0, character); got != want[character] {
			t.Fatalf("character %d: got byte %d, want %d", character, got, want[character])
		}
	}
}
