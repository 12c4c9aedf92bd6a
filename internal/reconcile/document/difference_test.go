package document

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

type vaultBody struct {
	Text map[string]string `json:"text,omitempty" rule:"secret"`
}

type houseSpec struct {
	Colour string      `json:"colour,omitempty"`
	Code   string      `json:"code,omitempty" rule:"secret"`
	Rooms  []houseRoom `json:"rooms,omitempty"`
}

type houseRoom struct {
	Name string `json:"name,omitempty"`
	Lock string `json:"lock,omitempty" rule:"secret"`
	Size *int   `json:"size,omitempty"`
}

// house is a kind that expands into a Thing with the same name.
func house() *kind.Kind {
	return typed.Workload[houseSpec]{
		Info:     kind.Info{Group: "test", Version: "v1", Kind: "House"},
		Validate: func(*houseSpec, *kind.Report) {},
		Expand: func(s *houseSpec, e *kind.Expansion) {
			e.Child("Thing", e.Key.Name, map[string]any{"spec": map[string]any{"resource": map[string]any{"colour": s.Colour}}})
		},
	}.Kind()
}

// revision returns the objects in manifests of things, houses, vaults and notes.
func revision(t *testing.T, text string) []kind.Desired {
	t.Helper()
	read := func(b *vaultBody, _ *kind.Report) map[string]string { return b.Text }
	kinds := []*kind.Kind{
		typed.Data(kind.Info{Group: "test", Version: "v1", Kind: "Vault"}, read),
		typed.Data(kind.Info{Group: "test", Version: "v1", Kind: "Note", Public: true}, func(b *struct {
			Text map[string]string `json:"text,omitempty"`
		}, _ *kind.Report) map[string]string {
			return b.Text
		}),
		thingtest.New().Kind(),
		house(),
	}
	var doc strings.Builder
	for block := range strings.SplitSeq(strings.TrimSpace(text), "\n---\n") {
		fmt.Fprintf(&doc, "---\napiVersion: test/v1\n%s\n", block)
	}
	want, _, err := resolve.Read(fstest.MapFS{"all.yaml": {Data: []byte(doc.String())}}, kinds)
	if err != nil {
		t.Fatal(err)
	}
	return want
}

// listing returns differences as a text, with one line for each object and each field.
func listing(list []Difference) string {
	var b strings.Builder
	for _, d := range list {
		fmt.Fprintf(&b, "%s %s at %s\n", d.Edit, d.Key, d.Origin)
		for _, c := range d.Changes {
			have, _ := json.Marshal(c.Have)
			want, _ := json.Marshal(c.Want)
			fmt.Fprintf(&b, "  %s: %s -> %s", c.Field, have, want)
			if c.Secret {
				b.WriteString(" (secret)")
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

func TestDifferences(t *testing.T) {
	for name, c := range map[string]struct{ before, after, want string }{
		"nothing that has an effect": {
			"kind: Thing\nmetadata: {name: a, labels: {x: one}, annotations: {example.com/z: \"1\"}}\nspec: {resource: {colour: red, near: []}}",
			"# a comment\nkind: Thing\nmetadata: {name: a}\nspec:\n  resource: {colour: \"red\"}",
			"",
		},
		"made, changed, gone": {
			"kind: Thing\nmetadata: {name: gone}\nspec: {resource: {}}\n---\nkind: Thing\nmetadata: {name: stays}\nspec: {resource: {colour: red}}",
			"kind: Thing\nmetadata: {name: stays}\nspec: {resource: {colour: blue, near: [new]}}\n---\nkind: Thing\nmetadata: {name: new}\nspec: {resource: {}}",
			`added Thing/new at all.yaml:7
changed Thing/stays at all.yaml:2
  spec.resource.colour: "red" -> "blue"
  spec.resource.near: null -> ["new"]
removed Thing/gone at all.yaml:2
`,
		},
		"annotations and management": {
			"kind: Thing\nmetadata: {name: a, annotations: {stackreeve.dev/prune: \"false\"}}\nspec: {resource: {colour: red}}",
			"kind: Thing\nmetadata: {name: a}\nspec: {managementPolicy: unmanaged, import: {filter: {name: a}}}",
			`changed Thing/a at all.yaml:2
  metadata.annotations[stackreeve.dev/prune]: "false" -> null
  spec.import: null -> {"filter":{"name":"a"}}
  spec.managementPolicy: null -> "unmanaged"
  spec.resource: {"colour":"red"} -> null
`,
		},
		"one annotation": {
			"kind: Thing\nmetadata: {name: a, annotations: {stackreeve.dev/prune: \"false\", stackreeve.dev/suspend: \"true\"}}\nspec: {resource: {}}",
			"kind: Thing\nmetadata: {name: a, annotations: {stackreeve.dev/prune: \"true\", stackreeve.dev/suspend: \"true\"}}\nspec: {resource: {}}",
			"changed Thing/a at all.yaml:2\n  metadata.annotations[stackreeve.dev/prune]: \"false\" -> \"true\"\n",
		},
		"the workload that people wrote, not what it stands for": {
			"kind: House\nmetadata: {name: h}\nspec: {colour: red, code: \"12345\", rooms: [{name: hall, lock: old-key}, {name: bath}]}",
			"kind: House\nmetadata: {name: h}\nspec: {colour: blue, code: \"54321\", rooms: [{name: hall, lock: new-key}, {name: attic, size: 4, lock: a-key}, {name: bath}]}",
			`changed House/h at all.yaml:2
  spec.code: "[redacted]" -> "[redacted]" (secret)
  spec.colour: "red" -> "blue"
  spec.rooms[0]: {"lock":"[redacted]","name":"hall"} -> null
  spec.rooms[0]: null -> {"lock":"[redacted]","name":"hall"}
  spec.rooms[1]: null -> {"lock":"[redacted]","name":"attic","size":4}
`,
		},
		"within a list": {
			"kind: House\nmetadata: {name: h}\nspec: {rooms: [{name: hall, lock: old-key}, {name: attic}, {name: bath, size: 2}]}",
			"kind: House\nmetadata: {name: h}\nspec: {rooms: [{name: hall, lock: new-key}, {name: attic}, {name: bath, size: 3}]}",
			"changed House/h at all.yaml:2\n  spec.rooms[0].lock: \"[redacted]\" -> \"[redacted]\" (secret)\n  spec.rooms[2].size: 2 -> 3\n",
		},
		"secrets, and where they are repeated": {
			"kind: Vault\nmetadata: {name: v}\ntext: {old: s3cret-one, same: s3cret-too}\n---\nkind: Note\nmetadata: {name: note}\ntext: {a.conf: the word is s3cret-one, b: plain}",
			"kind: Vault\nmetadata: {name: v}\ntext: {new: s3cret-new, same: s3cret-too}\n---\nkind: Note\nmetadata: {name: note}\ntext: {a.conf: the word is s3cret-new, b: plainer}",
			`changed Vault/v at all.yaml:2
  text.new: null -> "[redacted]" (secret)
  text.old: "[redacted]" -> null (secret)
changed Note/note at all.yaml:7
  text[a.conf]: "the word is [redacted]" -> "the word is [redacted]" (secret)
  text.b: "plain" -> "plainer"
`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := listing(Differences(revision(t, c.before), revision(t, c.after)))
			if got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if strings.Contains(got, "s3cret") || strings.Contains(got, "-key") {
				t.Error("a secret is shown")
			}
			if same := Differences(revision(t, c.after), revision(t, c.after)); len(same) != 0 {
				t.Errorf("a revision differs from itself:\n%s", listing(same))
			}
		})
	}
}

// With the path of a field, its line in the file is found.
func TestDifferencesSayWhere(t *testing.T) {
	after := revision(t, "kind: House\nmetadata: {name: h}\nspec:\n  rooms:\n  - name: hall\n  - name: bath\n    size: 3")
	list := Differences(revision(t, "kind: House\nmetadata: {name: h}\nspec: {rooms: [{name: hall}, {name: bath, size: 2}]}"), after)
	i := slices.IndexFunc(after, func(d kind.Desired) bool { return d.Key.Kind == "House" })
	if len(list) != 1 || after[i].Object.Where(list[0].Changes[0].Field) != (manifest.Origin{File: "all.yaml", Line: 9}) {
		t.Errorf("got %s", listing(list))
	}
}
