package forge

import (
	"reflect"
	"strings"
	"testing"
)

func TestMarkersComeBack(t *testing.T) {
	m := Marker{Kind: "plan", Stack: "a--b->", Run: 1763731200123, Part: 1, Parts: 2, Head: "h", Base: "b", Hash: "0f", Steps: []string{"-->", "x"}, To: 7}
	line := m.String()
	if strings.Count(line, "--") != 2 || strings.Contains(line, "\n") {
		t.Errorf("%q can be left before its end", line)
	}
	for _, body := range []string{line, line + "\nand more", line + "\r\nand more\r\n"} {
		if got, ok := ParseMarker(body); !ok || !reflect.DeepEqual(got, m) {
			t.Errorf("%q came back as %+v, %v", body, got, ok)
		}
	}
	for _, body := range []string{"", "hello\n" + line, "> " + line, "<!-- stackreeve {} ", "<!-- stackreeve nonsense -->"} {
		if got, ok := ParseMarker(body); ok {
			t.Errorf("%q is taken for a marker: %+v", body, got)
		}
	}
}
