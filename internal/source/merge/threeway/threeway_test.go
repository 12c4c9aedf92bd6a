package threeway

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stackreeve/stackreeve/internal/source/gittest"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

func TestMerge(t *testing.T) {
	const o = "a\nb\nc\nd\ne\n"
	for name, c := range map[string]struct {
		before, ours, theirs string
		want                 string // the merged text, or "conflict"
	}{
		"theirs alone":            {o, o, "a\nB\nc\nd\ne\n", "a\nB\nc\nd\ne\n"},
		"ours alone":              {o, "a\nb\n", o, "a\nb\n"},
		"apart":                   {o, "A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n", "A\nb\nc\nd\nE\n"},
		"a line between":          {o, "A\nb\nc\nd\ne\n", "a\nb\nC\nd\ne\n", "A\nb\nC\nd\ne\n"},
		"side by side":            {o, "A\nb\nc\nd\ne\n", "a\nB\nc\nd\ne\n", "conflict"},
		"the same line":           {o, "a\nX\nc\nd\ne\n", "a\nY\nc\nd\ne\n", "conflict"},
		"alike":                   {o, "a\nX\nc\nd\ne\nf\n", "a\nX\nc\nd\ne\n", "a\nX\nc\nd\ne\nf\n"},
		"both deleted, one more":  {o, "a\ne\n", "a\nd\ne\n", "conflict"},
		"insertions at one place": {o, "a\nb\nx\nc\nd\ne\n", "a\nb\ny\nc\nd\ne\n", "conflict"},
		"insertions apart":        {o, "x\na\nb\nc\nd\ne\n", "a\nb\nc\nd\ne\ny\n", "x\na\nb\nc\nd\ne\ny\n"},
		"moved and changed":       {o, "b\nc\nd\ne\na\n", "a\nb\nC\nd\ne\n", "b\nC\nd\ne\na\n"},
		"no end of line":          {"a\nb\nc", "A\nb\nc", "a\nb\nc\n", "A\nb\nc\n"},
		"two beginnings":          {"", "a\n", "b\n", "conflict"},
		"one of nothing":          {"a\n", "", "b\n", "conflict"},
		"one added nothing":       {"", "a\n", "", "a\n"},
		"no text":                 {o, "a\nb\nc\nd\ne\nf\x00\n", "A\nb\nc\nd\ne\n", "conflict"},
		"windows":                 {"a\r\nb\r\nc\r\n", "A\r\nb\r\nc\r\n", "a\r\nb\r\nC\r\n", "A\r\nb\r\nC\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := Merge([]byte(c.before), []byte(c.ours), []byte(c.theirs))
			if !ok {
				got = []byte("conflict")
			}
			if string(got) != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestTime merges texts that were made to take a long time.
func TestTime(t *testing.T) {
	testcost.Long(t) // The test merges large texts.
	periodic := func(n int, words ...string) []byte {
		var b bytes.Buffer
		for i := range n {
			b.WriteString(words[i%len(words)] + "\n")
		}
		return b.Bytes()
	}
	const many = maxLines - 10
	same, pairs := periodic(many, "a"), periodic(many, "a", "b")
	var mixed, other bytes.Buffer
	for i := range many {
		fmt.Fprintf(&mixed, "%d\n", i*7919%5000)
		fmt.Fprintf(&other, "%d\n", i*104729%5000)
	}
	for name, c := range map[string]struct {
		texts [3][]byte
		ok    bool
	}{
		"one line":      {[3][]byte{same, slices.Concat(same[:len(same)/2], []byte("x\n")), slices.Concat([]byte("y\n"), same)}, true},
		"two lines":     {[3][]byte{pairs, slices.Concat([]byte("b\nb\n"), pairs), slices.Concat(pairs, []byte("x\na\na\n"))}, true},
		"nothing alike": {[3][]byte{mixed.Bytes(), other.Bytes(), pairs}, false},
		"too long":      {[3][]byte{slices.Concat(same, same), same, pairs}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if _, ok := Merge(c.texts[0], c.texts[1], c.texts[2]); ok != c.ok {
				t.Errorf("ok is %v, want %v", ok, c.ok)
			}
		})
	}
}

// version draws a version of lines with some edits.
func version(t *rapid.T, name string, lines []string, words *rapid.Generator[string]) []string {
	var out []string
	at := 0
	for range rapid.IntRange(0, 3).Draw(t, name+" edits") {
		if at > len(lines) {
			break
		}
		next := rapid.IntRange(at, len(lines)).Draw(t, name+" at")
		out = append(out, lines[at:next]...)
		out = append(out, rapid.SliceOfN(words, 0, 4).Draw(t, name+" put")...)
		at = min(len(lines), next+rapid.IntRange(0, 3).Draw(t, name+" cut"))
	}
	return append(out, lines[at:]...)
}

// TestLikeGit compares with real git, on texts with few different lines. The changes of such texts
// can be described in many ways.
func TestLikeGit(t *testing.T) {
	g := gittest.New(t)
	g.NeedMergeTree()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.StringMatching("[a-" + rapid.SampledFrom([]string{"c", "g", "z"}).Draw(t, "alphabet") + "]")
		base := rapid.SliceOfN(words, 0, 24).Draw(t, "base")
		texts := [3]string{}
		for i, v := range [][]string{base, version(t, "ours", base, words), version(t, "theirs", base, words)} {
			texts[i] = strings.Join(v, "\n")
			if len(v) > 0 && rapid.IntRange(0, 9).Draw(t, "open end") > 0 {
				texts[i] += "\n"
			}
		}
		got, ok := Merge([]byte(texts[0]), []byte(texts[1]), []byte(texts[2]))
		want, clean := gitMerge(g, texts)
		if ok != clean || ok && string(got) != want {
			t.Fatalf("%q\n%q\n%q\nours %v %q\ngit  %v %q", texts[0], texts[1], texts[2], ok, got, clean, want)
		}
	})
}

// gitMerge merges with the real git.
func gitMerge(g *gittest.Repo, texts [3]string) (merged string, clean bool) {
	var in strings.Builder
	for i, text := range texts {
		fmt.Fprintf(&in, "commit refs/heads/%d\nmark :%d\ncommitter a <a@b> %d +0000\ndata 0\n", i, i+1, i)
		if i > 0 {
			fmt.Fprintln(&in, "from :1")
		}
		fmt.Fprintf(&in, "M 644 inline f\ndata %d\n%s\n", len(text), text)
	}
	g.FastImport(in.String())
	tree, err := g.FirstLine("merge-tree", "--write-tree", "1", "2")
	if err != nil {
		return "", false
	}
	return g.GitWith("", "cat-file", "blob", tree+":f"), true
}

func FuzzMerge(f *testing.F) {
	f.Add([]byte("a\nb\nc\n"), []byte("A\nb\nc\n"), []byte("a\nb\nC\n"))
	f.Fuzz(func(t *testing.T, before, ours, theirs []byte) {
		merged, ok := Merge(before, ours, theirs)
		again, also := Merge(before, theirs, ours)
		if ok != also || !bytes.Equal(merged, again) {
			t.Errorf("%q, %q, %q: %v %q one way, %v %q the other", before, ours, theirs, ok, merged, also, again)
		}
	})
}
