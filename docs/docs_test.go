// Package docs keeps the documentation true: what it shows was printed by the
// program, what it quotes is in the code, its examples work, its links lead
// somewhere. `go test ./docs -update` writes what is made from the program.
package docs

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the pages and samples that are made from the program")

// binary is the program, built for these tests.
var binary string

func TestMain(m *testing.M) {
	flag.Parse()
	dir, err := os.MkdirTemp("", "stackreeve-docs-")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "stackreeve")
	if out, err := exec.CommandContext(context.Background(), "go", "build", "-o", binary, "../cmd/agent").CombinedOutput(); err != nil {
		panic(fmt.Sprintf("%v\n%s", err, out))
	}
	defer func() { _ = os.RemoveAll(dir) }()
	m.Run() // the testing package ends the process with what it returns
}

// documents are all pages for people, by their paths from here.
func documents(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, pattern := range []string{"*.md", "*/*.md", "../*.md", "../deploy/*.md", "../deploy/*/*.md", "../testdata/*/*.md"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			texts[filepath.Clean(name)] = read(t, name)
		}
	}
	if len(texts) < 20 {
		t.Fatalf("only %d pages were found", len(texts))
	}
	return texts
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// block is a fenced block of a page.
type block struct {
	info, text string
	start, end int // of text, in the page
	line       int
}

var fence = regexp.MustCompile("(?ms)^ *```([^\n`]*)\n(.*?)^ *```$")

func blocks(page string) (list []block) {
	for _, m := range fence.FindAllStringSubmatchIndex(page, -1) {
		list = append(list, block{page[m[2]:m[3]], page[m[4]:m[5]], m[4], m[5], 1 + strings.Count(page[:m[0]], "\n")})
	}
	return list
}

// language is the first word of a block's info, and word whether it has another.
func (b block) language() string { word, _, _ := strings.Cut(b.info, " "); return word }

func (b block) word(key string) string {
	for _, w := range strings.Fields(b.info)[min(1, len(strings.Fields(b.info))):] {
		if k, v, ok := strings.Cut(w, "="); k == key {
			if !ok {
				return key
			}
			return v
		}
	}
	return ""
}
