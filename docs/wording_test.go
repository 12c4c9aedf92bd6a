package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// commonWords is the number of successive words that a long test and the program may not have in common.
const commonWords = 4

// TestLongTestsCompareNoSentences finds long tests that contain a sentence of the program. `make test` does not run them, so nobody
// would see that a better sentence breaks them. They compare codes, errors, fields and values instead. Texts that a test
// reports, and those of simulated servers, do not count.
func TestLongTestsCompareNoSentences(t *testing.T) {
	said := map[string]bool{}
	others := regexp.MustCompile(`_test\.go$|/(simulator|standin)/`)
	for _, file := range goFiles(t, func(name string) bool { return !others.MatchString(filepath.ToSlash(name)) }) {
		ast.Inspect(file, func(n ast.Node) bool {
			if l, is := n.(*ast.BasicLit); is {
				for _, phrase := range phrases(l) {
					said[phrase] = true
				}
			}
			return true
		})
	}
	found := 0
	for name, file := range goFiles(t, func(name string) bool { return strings.HasSuffix(name, "_test.go") }) {
		for _, d := range file.Decls {
			f, is := d.(*ast.FuncDecl)
			if !is || !isLong(f) {
				continue
			}
			found++
			for _, l := range compared(f) {
				if i := slices.IndexFunc(phrases(l), func(phrase string) bool { return said[phrase] }); i >= 0 {
					t.Errorf("%s: %s compares words of the program: %q; compare a code, an error, a field or a value", name, f.Name.Name, phrases(l)[i])
				}
			}
		}
	}
	if found < 100 || len(said) < 1000 {
		t.Errorf("only %d long tests and %d phrases of the program were found", found, len(said))
	}
}

// goFiles parses those Go files of the program whose names are chosen.
func goFiles(t *testing.T, chosen func(name string) bool) map[string]*ast.File {
	t.Helper()
	files := map[string]*ast.File{}
	for _, root := range []string{"../internal", "../cmd"} {
		err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case e.IsDir() && e.Name() == "testdata":
				return fs.SkipDir
			case e.IsDir() || !strings.HasSuffix(name, ".go") || !chosen(name):
				return nil
			}
			files[name], err = parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// isLong reports whether a function begins with a call to a function of testcost that skips it.
func isLong(f *ast.FuncDecl) bool {
	if f.Body == nil || len(f.Body.List) == 0 {
		return false
	}
	s, is := f.Body.List[0].(*ast.ExprStmt)
	if !is {
		return false
	}
	called := calledName(s.X)
	return called == "Long" || called == "NotUnderRace"
}

// compared returns the texts of a function, except those that it reports or makes errors of, and the names of its cases.
func compared(f *ast.FuncDecl) (list []*ast.BasicLit) {
	makes := regexp.MustCompile(`^(Errorf?|Fatalf?|Logf?|Skipf?|New|Run)$`)
	var visit func(ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			return !makes.MatchString(calledName(n))
		case *ast.KeyValueExpr: // the key is the name of a field or a case
			ast.Inspect(n.Value, visit)
			return false
		case *ast.BasicLit:
			list = append(list, n)
		}
		return true
	}
	ast.Inspect(f.Body, visit)
	return list
}

// calledName returns the last part of the name of a called function; "" for any other expression.
func calledName(e ast.Expr) string {
	call, is := e.(*ast.CallExpr)
	if !is {
		return ""
	}
	if s, is := call.Fun.(*ast.SelectorExpr); is {
		return s.Sel.Name
	}
	return ""
}

var plainWord = regexp.MustCompile(`^[A-Za-z]?[a-z]*('[a-z]+)?$`)

// phrases returns each sequence of successive plain words in a text.
func phrases(l *ast.BasicLit) (list []string) {
	text, err := strconv.Unquote(l.Value)
	if l.Kind != token.STRING || err != nil {
		return nil
	}
	for line := range strings.Lines(text) {
		var words []string
		for _, word := range strings.Fields(line) {
			if word = strings.Trim(word, "\"'`(),.;:?!"); word == "" || !plainWord.MatchString(word) {
				words = nil
				continue
			}
			if words = append(words, word); len(words) >= commonWords {
				list = append(list, strings.Join(words[len(words)-commonWords:], " "))
			}
		}
	}
	return list
}
