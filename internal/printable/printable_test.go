package printable

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

var nasty = []string{
	"\x1b[2J\x1b[31mred\x1b[0m", "a\r\nb", "a\x00b", "\x7f", "\u0080\u009b31m", "\u202etxt.exe", "\u2066x\u2069", "zero\u200bwidth\u200d\ufeff", "\U000e0041\U000e0042tags",
	"\u00a0", "e" + strings.Repeat("\u0301", 50), "\u0301lone", "\xff\xfe broken", "::error file=a::x", "  ::set-output name=a::b", "\u2028::error::x", "\r::error::x",
	"##[error]x", "say ##vso[task.setvariable variable=PATH]x", "##teamcity[buildStatus]", "####[group]", "a\n::add-mask::x\nb", "section_start:1:x\r\x1b[0K", "\ufe0f\u2800\u3164",
	"x; all is well, nothing to do", strings.Repeat("x", 3*MaxLine), strings.Repeat("\x1b", MaxLine), "plain", "日本語", "naïve",
}

var (
	forbidden = regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f-\x{9f}\x{ad}\x{61c}\x{180e}\x{200b}-\x{200f}\x{2028}-\x{202e}\x{2060}-\x{206f}\x{feff}\x{fe00}-\x{fe0f}\x{e0000}-\x{e0fff}\x{2800}\x{3164}]`)
	command   = regexp.MustCompile(`(?m)^\s*::|##[A-Za-z]*\[`)
)

func check(t *testing.T, from, got string) {
	t.Helper()
	if found := forbidden.FindString(got); found != "" || !utf8.ValidString(got) {
		t.Errorf("%q: %q is left in %q", from, found, got)
	}
	if found := command.FindString(got); found != "" {
		t.Errorf("%q: a command is left in %q", from, got)
	}
}

func TestAttackPrintedText(t *testing.T) {
	for _, text := range nasty {
		line := Line(text)
		check(t, text, "x "+line)
		if n := utf8.RuneCountInString(line); n > MaxLine || strings.ContainsAny(line, "\n\t") {
			t.Errorf("%q: %d characters: %.100q", text, n, line)
		}
		if again := Line(line); again != line {
			t.Errorf("%q: once %.200q, twice %.200q", text, line, again)
		}
		for _, colors := range []bool{false, true} {
			var b bytes.Buffer
			w := NewWriter(&b, colors)
			for i := range len(text) { // each write contains only one byte, which is the worst case
				if n, err := w.Write([]byte{text[i]}); n != 1 || err != nil {
					t.Fatal(n, err)
				}
			}
			check(t, text, b.String())
		}
	}
}

func TestOurOwnColorsStay(t *testing.T) {
	var b bytes.Buffer
	ours := "\x1b[1mbold\x1b[0m\n\x1b[2A\x1b[J\x1b[31m::x\x1b[0m ::1\n"
	if _, err := NewWriter(&b, true).Write([]byte(ours + "\x1b]0;title\a\x1b[6n")); err != nil {
		t.Fatal(err)
	}
	if want := strings.Replace(ours, "::x", `:\x3ax`, 1) + `\x1b]0;title\a\x1b[6n`; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

func TestWhatIsHarmlessStays(t *testing.T) {
	for _, text := range []string{"", "stack prod: in sync (1s)", "::/0", "a::b", "[x]", "# x [y]", "## heading [link](x)", "日本語 naïve Ünïcödé", "नमस्ते", "e\u0301", "😀"} {
		if got := Line(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	for name, want := range map[string]string{
		"a/b-c_d.yaml": "a/b-c_d.yaml", "日本.yaml": "日本.yaml", "x; all is well, nothing to do": `"x; all is well, nothing to do"`,
		"": `""`, `say "hi"`: `"say \"hi\""`, "a\nb": `"a\nb"`, "a\u202eb": `"a\u202eb"`,
	} {
		if got := Name(name); got != want {
			t.Errorf("%q is named %s, want %s", name, got, want)
		}
	}
}

func TestAttackEncodedText(t *testing.T) {
	for _, text := range nasty {
		text = strings.ToValidUTF8(text, "\ufffd")
		value := map[string][]string{text: {text, "##vso", "["}}
		encoded, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		encoded = JSON(encoded)
		check(t, text, string(encoded))
		var back map[string][]string
		if err := json.Unmarshal(encoded, &back); err != nil || back[text] == nil || back[text][0] != text {
			t.Errorf("%q came back as %q: %v", text, back, err)
		}
		node := yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
		if !Safe(text) {
			node.Style = yaml.DoubleQuotedStyle
		}
		encoded, err = yaml.Marshal(map[string]*yaml.Node{"a": &node})
		if err != nil {
			t.Fatal(err)
		}
		encoded = YAML(encoded)
		check(t, text, string(encoded))
		var again map[string]string
		if err := yaml.Unmarshal(encoded, &again); err != nil || again["a"] != text {
			t.Errorf("%q came back as %q: %v", text, again["a"], err)
		}
	}
}

func TestAttackTableOfWideNames(t *testing.T) {
	got := Table([][]string{{"NAME", "STATE"}, {"日本語", "ok"}, {"e\u0301", "ok"}, {strings.Repeat("x", 200), "ok"}})
	want := "NAME    STATE\n日本語  ok\ne\u0301       ok\n" + strings.Repeat("x", 200) + "  ok\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := Fit("日本語", 5); got != "日本" {
		t.Errorf("5 columns hold %q", got)
	}
}

func FuzzPrintable(f *testing.F) {
	for _, text := range nasty {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		line := Line(text)
		if Line(line) != line {
			t.Errorf("not the same twice: %q", line)
		}
		check(t, text, "x "+line)
		check(t, text, "x "+Name(text))
		var b bytes.Buffer
		if _, err := NewWriter(&b, false).Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		check(t, text, b.String())
		once := b.String()
		b.Reset()
		if _, err := NewWriter(&b, false).Write([]byte(once)); err != nil || b.String() != once {
			t.Errorf("%q was written as %q (%v)", once, b.String(), err)
		}
		if encoded, err := json.Marshal(text); err == nil {
			check(t, text, string(JSON(encoded)))
			var back string
			if err := json.Unmarshal(JSON(encoded), &back); err != nil || back != strings.ToValidUTF8(text, "\ufffd") && utf8.ValidString(text) {
				t.Errorf("%q came back as %q: %v", text, back, err)
			}
		}
	})
}
