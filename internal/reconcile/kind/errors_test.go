package kind

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// ClassesOf returns every class that errors.go declares, so a redacted error keeps its classes.
func TestClassesOfKnowsEachClass(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "errors.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	declared := 0
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok && strings.HasPrefix(v.Names[0].Name, "Err") {
			declared++
		}
		return true
	})
	all := errors.Join(ErrBusy, ErrNotYet, ErrRejected, ErrForbidden, ErrExhausted, ErrGone, ErrUnanswered, ErrUnsent, ErrNoService)
	if known := ClassesOf(all); len(known) != declared {
		t.Errorf("%d classes are declared, %d are known: %v", declared, len(known), known)
	}
	if known := ClassesOf(fmt.Errorf("list: %w", ErrForbidden)); len(known) != 1 || !errors.Is(known[0], ErrForbidden) {
		t.Errorf("got %v", known)
	}
}
