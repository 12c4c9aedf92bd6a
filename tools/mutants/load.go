package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// source is a package without its tests, parsed and type-checked.
type source struct {
	name  string
	dir   string
	set   *token.FileSet
	files []*ast.File
	texts map[string]*text // the keys are names of files
	info  *types.Info
}

// load parses and type-checks a package. The types of its imports come from the compiler's own export data.
func load(module, pkg string) (*source, error) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Name,Dir,GoFiles,Export,DepOnly", pkg)
	cmd.Dir = module
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, stderr.String())
	}
	type listed struct {
		ImportPath, Name, Dir, Export string
		GoFiles                       []string
		DepOnly                       bool
	}
	exports := map[string]string{}
	var it listed
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var l listed
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		exports[l.ImportPath] = l.Export
		if !l.DepOnly {
			it = l
		}
	}
	p := &source{name: it.Name, dir: it.Dir, set: token.NewFileSet(), texts: map[string]*text{}}
	for _, name := range it.GoFiles {
		if err := p.read(filepath.Join(it.Dir, name)); err != nil {
			return nil, err
		}
	}
	return p, p.check(it.ImportPath, exports)
}

func (p *source) read(name string) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	file, err := parser.ParseFile(p.set, name, b, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	p.files = append(p.files, file)
	p.texts[name] = &text{was: string(b)}
	return nil
}

func (p *source) check(path string, exports map[string]string) error {
	p.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: importer.ForCompiler(p.set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })}
	_, err := conf.Check(path, p.set, p.files, p.info)
	return err
}

// isBool reports whether an expression has the type bool itself and is not a constant. It must not be a
// constant, because a guard is a variable and constants must stay constants.
func (p *source) isBool(e ast.Expr) bool {
	t := p.info.Types[e]
	b, ok := types.Unalias(t.Type).(*types.Basic)
	return t.Value == nil && ok && b.Info()&types.IsBoolean != 0
}

// isNumber reports whether an expression is a number and not a constant.
func (p *source) isNumber(e ast.Expr) bool {
	t := p.info.Types[e]
	b, ok := t.Type.Underlying().(*types.Basic)
	return t.Value == nil && ok && b.Info()&(types.IsInteger|types.IsFloat) != 0
}

// called returns the object that a call calls, if it has a name.
func (p *source) called(call *ast.CallExpr) types.Object {
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return p.info.Uses[f]
	case *ast.SelectorExpr:
		return p.info.Uses[f.Sel]
	}
	return nil
}
