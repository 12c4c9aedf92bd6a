package all_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// furtherFiles are the kinds that have more files than others, each with the reason.
var furtherFiles = map[string]string{
	"loadbalancer":   "it is a tree of objects that the service locks as one: what is under it (tree), how it is listed (list), what leads from one to the other (edits), what is left unfinished (stuck), who answers (expand), what shall be there (wanted, bodies), listeners' policies and pools (policies, pools), what Octavia refuses (validate, versions)",
	"server":         "what is plugged into it, its user data and its action log are subjects of their own",
	"virtualmachine": "it expands into all that a machine consists of",
}

// TestFilesOfKinds: what a kind is stands in files of the same names in every folder.
func TestFilesOfKinds(t *testing.T) {
	dirs, err := filepath.Glob("../*/")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		files, err := filepath.Glob(dir + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Base(dir)
		if slices.Contains([]string{"all", "kindtest", "table", "machine"}, folder) || len(files) == 0 {
			continue
		}
		for _, must := range []string{"spec.go", "laws_test.go"} {
			if !slices.Contains(files, filepath.Join(dir, must)) {
				t.Errorf("%s has no %s", folder, must)
			}
		}
		for _, file := range files {
			name := filepath.Base(file)
			if !strings.HasSuffix(name, "_test.go") && furtherFiles[folder] == "" && !slices.Contains([]string{"spec.go", "rules.go", "driver.go"}, name) {
				t.Errorf("%s: kinds have spec.go (what it is), rules.go (what is right) and driver.go (requests of its own)", file)
			}
		}
	}
}

var (
	expandsInto = regexp.MustCompile(`\.(?:Child|Children|Spares|Varied)\("(\w+)"`)
	inQuotes    = regexp.MustCompile(`"(\w+)"`)
	partsSaid   = regexp.MustCompile(`Parts: \[\]string\{(.*?)\}`)
)

// TestParts: each kind says of which kinds the objects are that it expands into.
func TestParts(t *testing.T) {
	made, said := map[string][]string{}, map[string][]string{}
	files, err := filepath.Glob("../*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Base(filepath.Dir(file))
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, found := range expandsInto.FindAllSubmatch(text, -1) {
			made[folder] = append(made[folder], string(found[1]))
		}
		for _, list := range partsSaid.FindAllSubmatch(text, -1) {
			for _, found := range inQuotes.FindAllSubmatch(list[1], -1) {
				said[folder] = append(said[folder], string(found[1]))
			}
		}
	}
	for folder, kinds := range made {
		slices.Sort(kinds)
		slices.Sort(said[folder])
		if kinds = slices.Compact(kinds); !slices.Equal(kinds, said[folder]) {
			t.Errorf("%s expands into %v, and says Parts: %v", folder, kinds, said[folder])
		}
	}
	if len(made) < 6 {
		t.Errorf("only %d kinds are found to expand into others", len(made))
	}
}

// TestFacts: each fact that a kind reads of another one's objects is written by some
// kind, and the other way round.
func TestFacts(t *testing.T) {
	files, err := filepath.Glob("../*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("../*.go")
	if err != nil {
		t.Fatal(err)
	}
	read, written := map[string]bool{}, map[string]bool{}
	for _, file := range append(files, more...) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		factsOf(parsed, read, written)
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[kind.Facts]()) {
		if !read[f.Name] || !written[f.Name] {
			t.Errorf("the fact %s: read by a kind: %t, written by one: %t", f.Name, read[f.Name], written[f.Name])
		}
	}
}

func factsOf(file *ast.File, read, written map[string]bool) {
	assigned := map[ast.Expr]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, to := range n.Lhs {
				assigned[to] = true
			}
		case *ast.CompositeLit:
			if of, ok := n.Type.(*ast.SelectorExpr); !ok || of.Sel.Name != "Facts" {
				break
			}
			for _, element := range n.Elts {
				written[element.(*ast.KeyValueExpr).Key.(*ast.Ident).Name] = true
			}
		case *ast.SelectorExpr:
			from := n.X
			if call, ok := from.(*ast.CallExpr); ok {
				from = call.Fun
			}
			of, ok := from.(*ast.SelectorExpr)
			if !ok || of.Sel.Name != "Facts" && of.Sel.Name != "Stated" {
				break
			}
			if assigned[n] {
				written[n.Sel.Name] = true
			} else {
				read[n.Sel.Name] = true
			}
		}
		return true
	})
}
