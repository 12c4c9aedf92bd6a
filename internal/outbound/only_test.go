package outbound_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/testcost"
)

// others contains the folders that may have their own HTTP clients. They are for tests, and not part of the
// program.
var others = []string{"internal/outbound/", "internal/forge/forgetest/", "internal/cloud/kindtest/"}

// TestAttackUnboundedClient checks that this package limits every request of the program. No other package may
// make a client or a transport, or use Go's default ones.
func TestAttackUnboundedClient(t *testing.T) {
	testcost.Long(t)
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		name = filepath.ToSlash(name)
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		for _, other := range others {
			if strings.HasPrefix(name, other) {
				return nil
			}
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if made := unbounded(n); made != "" {
				t.Errorf("%s: http.%s; use package outbound", files.Position(n.Pos()), made)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// unbounded returns the part of net/http without limits that a syntax node makes or uses.
func unbounded(n ast.Node) string {
	made := func(e ast.Expr, names ...string) string {
		s, ok := e.(*ast.SelectorExpr)
		if !ok {
			return ""
		}
		if p, ok := s.X.(*ast.Ident); !ok || p.Name != "http" {
			return ""
		}
		for _, name := range names {
			if s.Sel.Name == name {
				return name
			}
		}
		return ""
	}
	switch n := n.(type) {
	case *ast.CompositeLit:
		return made(n.Type, "Client", "Transport")
	case *ast.CallExpr:
		if f, ok := n.Fun.(*ast.Ident); ok && f.Name == "new" && len(n.Args) == 1 {
			return made(n.Args[0], "Client", "Transport")
		}
	case *ast.SelectorExpr:
		return made(n, "DefaultClient", "DefaultTransport", "Get", "Head", "Post", "PostForm")
	}
	return ""
}
