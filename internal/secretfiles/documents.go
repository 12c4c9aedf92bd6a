package secretfiles

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/kustomize"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/sops"
)

// secretKind is the kind whose data are secrets.
const secretKind = "Secret"

// fromValue matches a text that is the name of a value of the stack.
var fromValue = pattern.Of(`^\$\{[A-Za-z_][A-Za-z0-9_]*\}$`)

// InDocuments lists the secrets in clear text in documents and texts as they are in their files, in the order of files and lines. The
// kinds are known by their names.
func InDocuments(list []kustomize.Read, kinds []*kind.Kind) (found []Finding) {
	s := scan{bodies: map[string]manifest.Type{}}
	for _, k := range kinds {
		s.bodies[k.Info.Kind] = k.Body
	}
	for _, one := range list {
		switch {
		case one.Root == nil:
			s.text(one)
		case one.Root.Kind == yaml.SequenceNode && one.Root.Content != nil:
			s.operations(one)
		default:
			s.document(one.File, one.Root, "", one.Target)
		}
	}
	return s.found
}

// Together returns findings without repetitions, in the order of files and lines. A finding without a field is left out if there is one
// with a field in its line.
func Together(lists ...[]Finding) (all []Finding) {
	line := func(a, b Finding) int { return cmp.Or(a.Origin.Compare(b.Origin), cmp.Compare(b.Field, a.Field)) }
	sorted := slices.SortedStableFunc(slices.Values(slices.Concat(lists...)), line)
	for _, f := range sorted {
		if n := len(all); n == 0 || f.Origin != all[n-1].Origin || f.Field != "" && f.Field != all[n-1].Field {
			all = append(all, f)
		}
	}
	return all
}

type scan struct {
	bodies map[string]manifest.Type
	found  []Finding
}

// text looks at the lines of a file that is no manifest.
func (s *scan) text(one kustomize.Read) {
	number := 0
	for line := range strings.Lines(string(one.Text)) {
		if number++; looks(line) != "" {
			s.found = append(s.found, Finding{Origin: manifest.Origin{File: one.File, Line: number}, Why: looks(line)})
		}
	}
}

// document looks at a document, or at the items of a list. assumed is the kind of an item that does not name its kind.
func (s *scan) document(file string, root *yaml.Node, assumed string, target *kustomize.Selector) {
	name := cmp.Or(head(root, "kind"), assumed)
	if one, isList := strings.CutSuffix(name, "List"); isList {
		for key, value := range manifest.Entries(root) {
			if key.Value != "items" || value.Kind != yaml.SequenceNode {
				continue
			}
			for _, item := range value.Content {
				s.document(file, item, one, nil)
			}
			return
		}
	}
	of := manifest.Key{Kind: name, Name: nameIn(root)}
	if target != nil && name == "" {
		of = manifest.Key{Kind: target.Kind, Name: target.Name}
	}
	s.values(file, root, of, isSecret(of.Kind, name == ""))
}

// operations looks at the operations of a JSON patch.
func (s *scan) operations(one kustomize.Read) {
	of := manifest.Key{}
	if one.Target != nil {
		of = manifest.Key{Kind: one.Target.Kind, Name: one.Target.Name}
	}
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	for _, n := range one.Root.Content {
		for key, value := range manifest.Entries(n) {
			if key.Value != "value" {
				continue
			}
			steps := strings.Split(strings.TrimPrefix(head(n, "path"), "/"), "/")
			if len(steps) > maxSteps {
				continue
			}
			at := value
			for _, step := range slices.Backward(steps) {
				at = around(unescape.Replace(step), key.Line, at)
			}
			s.values(one.File, at, of, isSecret(of.Kind, true))
		}
	}
}

// maxSteps is the depth of documents: see [manifest.Options].
const maxSteps = 100

// around returns a mapping or a list that contains a value at one step of a path.
func around(step string, line int, value *yaml.Node) *yaml.Node {
	if _, err := strconv.Atoi(step); err == nil || step == "-" {
		return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Line: line, Content: []*yaml.Node{value}}
	}
	key := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: step, Line: line}
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: line, Content: []*yaml.Node{key, value}}
}

// isSecret reports whether a kind is that of Secrets. In the target of a patch, it is an expression, and "" means all kinds.
func isSecret(name string, target bool) bool {
	if name == secretKind || !target || name == "" {
		return name == secretKind
	}
	re, err := regexp.Compile("^(?:" + name + ")$")
	return err == nil && re.MatchString(secretKind)
}

func (s *scan) values(file string, root *yaml.Node, of manifest.Key, secret bool) {
	manifest.Scalars(root, s.bodies[of.Kind], func(v manifest.Scalar) {
		if v.Text == "" || sops.Looks(v.Text) || manifest.HideTokens(v.Text) != v.Text || fromValue.MatchString(v.Text) {
			return
		}
		inData := strings.HasPrefix(v.Field, "stringData") || secret && strings.HasPrefix(v.Field, "data")
		why := looks(v.Text)
		switch {
		case why != "":
		case inData:
			why = InSecret
		case v.Secret:
			why = SecretField
		default:
			return
		}
		s.found = append(s.found, Finding{manifest.Origin{File: file, Line: v.Line}, of, v.Field, why})
	})
}

func nameIn(root *yaml.Node) string {
	for key, value := range manifest.Entries(root) {
		if key.Value == "metadata" {
			return head(value, "name")
		}
	}
	return ""
}
