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

// furtherFiles are the kinds whose folders have more files than those of other kinds, each with the
// reason.
var furtherFiles = map[string]string{
	"barbicansecret":         "its mark is a metadata of its own, written apart",
	"dnsrecordset":           "records follow what others have, and names of addresses are reversed",
	"domain":                 "what is in a domain, and whose, is asked before it goes",
	"etcdbackup":             "a series of snapshots: whom to ask, taking one, which stay, what went wrong",
	"etcdcluster":            "what maps of a pod, certificates and status are subjects of their own",
	"etcdmember":             "its service is a cluster in machines: how it is looked at, whose it is, what is found, left over, restored",
	"etcdrestore":            "where a snapshot is taken from",
	"image":                  "content is sent beside the pass",
	"loadbalancer":           "it is a tree of objects that the service locks as one: what is under it (tree), how it is listed (list), what leads from one to the other (edits), what is left unfinished (stuck), who answers (expand), what shall be there (wanted, bodies), listeners' policies and pools (policies, pools), what Octavia refuses (validate, versions)",
	"m3dbcluster":            "its etcd, what manifests for Kubernetes say, presets and status are subjects of their own",
	"m3dbinstance":           "its service is a cluster in machines: how it is looked at, what is seen, and what goes",
	"m3dbnamespace":          "its service is a cluster in machines: how it is looked at",
	"port":                   "addresses are chosen by Neutron, or by manifests",
	"roleassignment":         "it has no place for a mark, so another object notes it",
	"securitygroup":          "rules are compared with those of the cloud one by one",
	"server":                 "what is plugged into it, its user data and its action log are subjects of their own",
	"subnet":                 "a gateway is none, chosen or given",
	"swiftcontainer":         "it is read and written as headers",
	"user":                   "passwords come from a Secret, and only a digest of them is known",
	"virtualmachine":         "it expands into all that a machine consists of",
	"virtualmachinegroup":    "how a group is changed, healed, probed, scaled and spread are subjects of their own",
	"volume":                 "what it is made from, what a restore leaves, and how it is retyped or grown",
	"volumesnapshotschedule": "which snapshots of a series stay",
}

// judgedWith maps each kind that runs inside machines to the kind of its cluster. The tests of the
// cluster's kind test both.
var judgedWith = map[string]string{"etcdmember": "etcdcluster", "m3dbinstance": "m3dbcluster", "m3dbnamespace": "m3dbcluster"}

// TestFilesOfKinds: the folder of each kind has tests of its laws or stories. Files other than spec.go, rules.go,
// driver.go and tests need a reason in furtherFiles.
func TestFilesOfKinds(t *testing.T) {
	specs, err := filepath.Glob("../kinds/*/spec.go")
	if err != nil || len(specs) < 50 {
		t.Fatalf("%d kinds: %v", len(specs), err)
	}
	for _, spec := range specs {
		dir := filepath.Dir(spec)
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		if judgedWith[filepath.Base(dir)] == "" && !slices.ContainsFunc([]string{"laws_test.go", "story_test.go"}, func(name string) bool { return slices.Contains(files, filepath.Join(dir, name)) }) {
			t.Errorf("%s has no laws_test.go, and no story_test.go", dir)
		}
		further := slices.DeleteFunc(files, func(file string) bool {
			return strings.HasSuffix(file, "_test.go") || slices.Contains([]string{"spec.go", "rules.go", "driver.go"}, filepath.Base(file))
		})
		if reason := furtherFiles[filepath.Base(dir)]; (reason == "") != (len(further) == 0) {
			t.Errorf("%s has %q: kinds have spec.go (what it is), rules.go (what is right) and driver.go (requests of its own); the reason for more is %q", dir, further, reason)
		}
	}
}

var (
	expandsInto = regexp.MustCompile(`\.(?:Child|Children|Spares|Varied)\("(\w+)"`)
	inQuotes    = regexp.MustCompile(`"(\w+)"`)
	partsSaid   = regexp.MustCompile(`Parts: \[\]string\{(.*?)\}`)
)

// TestParts: each kind declares the kinds of the objects that it expands into.
func TestParts(t *testing.T) {
	made, said := map[string][]string{}, map[string][]string{}
	files, err := filepath.Glob("../kinds/*/*.go")
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

// TestFacts: each fact that a kind, a plan or the command outdated reads is set by some kind, and each fact that is set
// is read.
func TestFacts(t *testing.T) {
	files, err := filepath.Glob("../*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"../*.go", "../kinds/*/*.go", "../../reconcile/plan/*.go", "../../reconcile/plan/*/*.go", "../../reconcile/preflight/*.go", "../../outdated/*.go"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	read, written := map[string]bool{}, map[string]bool{}
	for _, file := range files {
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
			if !ok || of.Sel.Name != "Facts" && of.Sel.Name != "Stated" && of.Sel.Name != "Expected" {
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
