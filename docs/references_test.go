package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// source is what the Go files of the tree declare.
type source struct {
	files    []string                   // with a slash in front
	declares map[string]map[string]bool // by the name of a package: "Name", and "Type.Member"
	comments []said
}

// said is a comment of a file.
type said struct{ file, pkg, text string }

// TestReferencesAreThere: a file or a declaration that a page names is there, and so is what a comment refers to in brackets.
func TestReferencesAreThere(t *testing.T) {
	s := readSource(t)
	named := regexp.MustCompile("`([a-z0-9_./-]*[a-z0-9_]\\.go)`")
	declared := regexp.MustCompile("`([a-z][a-z0-9]*)\\.([A-Z]\\w*(?:\\.[A-Z]\\w*)?)(?:\\([^`]*\\))?`")
	for _, page := range pagesToRead(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			if !s.hasFile(strings.TrimLeft(m[1], "./")) {
				t.Errorf("%s: there is no file %s", page, m[1])
			}
		}
		for _, m := range declared.FindAllStringSubmatch(string(text), -1) {
			if names := s.declares[m[1]]; names != nil && !names[m[2]] {
				t.Errorf("%s: there is no %s.%s", page, m[1], m[2])
			}
		}
	}
	refers := regexp.MustCompile(`\[(?:([a-z][a-z0-9]*)\.)?([A-Z]\w*[a-z]\w*(?:\.[A-Z]\w*)?)\](?:[^(:\w]|$)`)
	for _, c := range s.comments {
		for _, m := range refers.FindAllStringSubmatch(c.text, -1) {
			pkg := c.pkg
			if m[1] != "" {
				pkg = m[1]
			}
			if names := s.declares[pkg]; names != nil && !names[m[2]] {
				t.Errorf("%s: a comment refers to %s.%s, which is not there", c.file, pkg, m[2])
			}
		}
	}
}

func (s source) hasFile(name string) bool {
	for _, f := range s.files {
		if strings.HasSuffix(f, "/"+name) {
			return true
		}
	}
	return false
}

// pagesToRead are the Markdown files of the project.
func pagesToRead(t *testing.T) (pages []string) {
	t.Helper()
	for _, pattern := range []string{"../*.md", "*.md", "decisions/*.md"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, more...)
	}
	return pages
}

func readSource(t *testing.T) source {
	t.Helper()
	s := source{declares: map[string]map[string]bool{}}
	top, err := filepath.Glob("../*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range top {
		s.files = append(s.files, strings.TrimPrefix(name, ".."))
	}
	for _, root := range []string{"../cmd", "../internal", "../docs", "../deploy"} {
		err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") {
				return err
			}
			s.files = append(s.files, "/"+filepath.ToSlash(strings.TrimPrefix(name, "../")))
			parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err == nil {
				s.add(name, parsed)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func (s *source) add(name string, f *ast.File) {
	pkg := strings.TrimSuffix(f.Name.Name, "_test")
	names := s.declares[pkg]
	if names == nil {
		names = map[string]bool{}
		s.declares[pkg] = names
	}
	for _, g := range f.Comments {
		s.comments = append(s.comments, said{name, pkg, g.Text()})
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			names[n.Name.Name] = true
			if n.Recv != nil && len(n.Recv.List) == 1 {
				names[receiver(n.Recv.List[0].Type)+"."+n.Name.Name] = true
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				names[id.Name] = true
			}
		case *ast.TypeSpec:
			names[n.Name.Name] = true
			members(n, names)
		}
		return true
	})
}

// members notes the fields of a type, or the methods of an interface.
func members(of *ast.TypeSpec, names map[string]bool) {
	var list *ast.FieldList
	switch t := of.Type.(type) {
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list = t.Methods
	default:
		return
	}
	for _, f := range list.List {
		for _, id := range f.Names {
			names[of.Name.Name+"."+id.Name] = true
		}
		if sel, ok := f.Type.(*ast.SelectorExpr); ok && len(f.Names) == 0 {
			names[of.Name.Name+"."+sel.Sel.Name] = true
		}
	}
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
