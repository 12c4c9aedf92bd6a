package pattern_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// All expressions of the program can be compiled. Otherwise, a mistake would be found only at the first use.
// Expressions that consist of several constants are compiled with a word for each constant.
func TestAllOfThem(t *testing.T) {
	testcost.Long(t)
	found := 0
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && isOf(call.Fun) {
				found++
				if _, err := regexp.Compile(text(call.Args[0])); err != nil {
					t.Errorf("%s: %v", path, err)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 100 {
		t.Errorf("the program has %d patterns; where are the others?", found)
	}
}

func isOf(call ast.Expr) bool {
	s, ok := call.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != "Of" {
		return false
	}
	of, ok := s.X.(*ast.Ident)
	return ok && of.Name == "pattern"
}

func text(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if value, err := strconv.Unquote(e.Value); err == nil {
			return value
		}
	case *ast.BinaryExpr:
		return text(e.X) + text(e.Y)
	}
	return "word"
}

func TestAPatternIsCompiledOnce(t *testing.T) {
	p := pattern.Of(`^([a-z]+)-(\d+)$`)
	if !p.MatchString("web-7") || p.MatchString("web") {
		t.Error("MatchString is not regexp's")
	}
	if got := p.FindStringSubmatch("web-7"); len(got) != 3 || got[1] != "web" || got[2] != "7" {
		t.Errorf("found %q", got)
	}
	if got := p.ReplaceAllString("web-7", "$2"); got != "7" {
		t.Errorf("replaced by %q", got)
	}
	if p.Regexp() != p.Regexp() || p.String() != p.Regexp().String() {
		t.Error("it is compiled twice, or says another expression")
	}
}

func TestAFaultyPatternPanicsWhenUsed(t *testing.T) {
	p := pattern.Of("(")
	defer func() {
		if recover() == nil {
			t.Error("it did not panic")
		}
	}()
	p.MatchString("")
}
