// Command mutants changes one condition of a package at a time and runs tests: a change that no test notices is a survivor.
//
//	go run . [-n 100] [-seed 1] ../.. ./internal/reconcile/plan ./internal/reconcile/plan ./internal/reconcile/engine
//
// The first argument is the module's folder, the second the package to change, the others are those whose tests run. Nothing in the
// folder is written: the compiler is given the changed file in place of the file that is there.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// mutant is a changed file.
type mutant struct {
	where, what string
	file        string
	text        []byte
}

func main() {
	n := flag.Int("n", 100, "how many changes are tried, drawn at random; 0 for all")
	seed := flag.Uint64("seed", 1, "of the draw")
	flag.Parse()
	if flag.NArg() < 3 {
		fmt.Fprintln(os.Stderr, "usage: mutants [-n N] [-seed S] MODULE PACKAGE TESTS...")
		os.Exit(2)
	}
	if err := run(*n, *seed, flag.Arg(0), flag.Arg(1), flag.Args()[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(n int, seed uint64, module, pkg string, tests []string) error {
	all, err := mutants(filepath.Join(module, pkg))
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(seed, 0))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	tried := all
	if n > 0 && n < len(all) {
		tried = all[:n]
	}
	survived := 0
	for _, m := range tried {
		killed, err := m.killed(module, tests)
		if err != nil {
			return err
		}
		if !killed {
			survived++
			fmt.Printf("%s: %s survives\n", m.where, m.what)
		}
	}
	fmt.Printf("%s: %d of %d changes tried, %d survived: %d %% were noticed\n", pkg, len(tried), len(all), survived, 100*(len(tried)-survived)/max(1, len(tried)))
	return nil
}

// mutants are all changes of a package, without its tests.
func mutants(folder string) (all []mutant, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		list, err := inFile(file)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// opposite is what takes the place of an operator.
var opposite = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.LAND: token.LOR, token.LOR: token.LAND, token.ADD: token.SUB, token.SUB: token.ADD,
}

// inFile makes the changes of a file: each operator by its opposite, each negation left out, each statement that goes on with the next
// round or ends a function early left out.
func inFile(file string) (all []mutant, err error) {
	name, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, name, nil, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	note := func(at token.Pos, what string) {
		var b bytes.Buffer
		if format.Node(&b, set, tree) == nil {
			p := set.Position(at)
			all = append(all, mutant{fmt.Sprintf("%s:%d:%d", filepath.Base(file), p.Line, p.Column), what, name, b.Bytes()})
		}
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if other, ok := opposite[n.Op]; ok && !isText(n) {
				was := n.Op
				n.Op = other
				note(n.OpPos, fmt.Sprintf("%s for %s", other, was))
				n.Op = was
			}
		case *ast.IfStmt:
			if not, ok := n.Cond.(*ast.UnaryExpr); ok && not.Op == token.NOT {
				n.Cond = not.X
				note(not.Pos(), "no negation")
				n.Cond = not
			}
		case *ast.BlockStmt:
			for i, s := range n.List {
				if b, ok := s.(*ast.BranchStmt); ok && b.Tok == token.CONTINUE && b.Label == nil {
					n.List[i] = &ast.EmptyStmt{Semicolon: b.Pos(), Implicit: true}
					note(b.Pos(), "no continue")
					n.List[i] = s
				}
			}
		}
		return true
	})
	return all, nil
}

// isText is true of a sum of which one side is a text: texts cannot be subtracted.
func isText(n *ast.BinaryExpr) bool {
	if n.Op != token.ADD {
		return false
	}
	for _, side := range []ast.Expr{n.X, n.Y} {
		switch side := side.(type) {
		case *ast.BasicLit:
			if side.Kind == token.STRING {
				return true
			}
		case *ast.BinaryExpr:
			if isText(side) {
				return true
			}
		}
	}
	return false
}

// killed reports whether a test fails with the change, or the compiler refuses it.
func (m mutant) killed(module string, tests []string) (bool, error) {
	dir, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	changed, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	list, _ := json.Marshal(map[string]any{"Replace": map[string]string{m.file: changed}})
	if err := os.WriteFile(changed, m.text, 0o600); err != nil {
		return false, err
	}
	if err := os.WriteFile(overlay, list, 0o600); err != nil {
		return false, err
	}
	for _, pkg := range tests { // the nearest tests first: most changes need no others
		cmd := exec.Command("go", "test", "-overlay", overlay, "-vet=off", "-failfast", "-timeout", "5m", pkg)
		cmd.Dir = module
		if cmd.Run() != nil {
			return true, nil
		}
	}
	return false, nil
}
