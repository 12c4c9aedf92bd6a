package decide

import (
	"encoding/base64"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/stackreeve/stackreeve/internal/fingerprint"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

type chest struct {
	Colour  string  `json:"colour,omitempty"`
	Code    *string `json:"code,omitempty" rule:"secret"`
	TextRef string  `json:"textRef,omitempty" ref:"Text"`
	SafeRef string  `json:"safeRef,omitempty" ref:"Safe"`
	MakeRef string  `json:"makeRef,omitempty" ref:"Make"`
}

type (
	brand       struct{}
	brandFilter struct {
		Name *string `json:"name,omitempty"`
	}
	brandState struct{ Name string }
)

func isBrand(w typed.Want[brandFilter], have *brandState) bool {
	return w.Spec.Name != nil && *w.Spec.Name == have.Name
}

type bytesBody struct {
	Data map[string][]byte `json:"data,omitempty"`
}

func readBytes(b *bytesBody, _ *kind.Report) map[string]string {
	out := map[string]string{}
	for name, value := range b.Data {
		out[name] = string(value)
	}
	return out
}

func chestKinds() []*kind.Kind {
	return []*kind.Kind{
		typed.Kind[chest, struct{}, chest]{Info: kind.Info{Group: "test", Version: "v1", Kind: "Chest"}}.Flat(),
		typed.Kind[brand, brandFilter, brandState]{Info: kind.Info{Group: "test", Version: "v1", Kind: "Make"}, Match: isBrand}.Resource(),
		typed.Data(kind.Info{Group: "test", Version: "v1", Kind: "Text", Public: true}, readBytes),
		typed.Data(kind.Info{Group: "test", Version: "v1", Kind: "Safe"}, readBytes),
	}
}

// chestWish is the content of a commit.
type chestWish struct {
	Colour, Code, Make, Prune string
	Text, Safe                []byte
}

func (c chestWish) want(t interface{ Fatal(...any) }) []kind.Desired {
	doc := fmt.Sprintf(`
apiVersion: test/v1
kind: Chest
metadata: {name: c, annotations: {stackreeve.dev/prune: %q}}
spec: {colour: %q, code: %q, textRef: t, safeRef: s, makeRef: m}
---
apiVersion: test/v1
kind: Text
metadata: {name: t}
data: {a: %q}
---
apiVersion: test/v1
kind: Safe
metadata: {name: s}
data: {a: %q}
---
apiVersion: test/v1
kind: Make
metadata: {name: m}
spec: {managementPolicy: unmanaged, import: {filter: {name: %q}}}
`, c.Prune, c.Colour, c.Code, base64.StdEncoding.EncodeToString(c.Text), base64.StdEncoding.EncodeToString(c.Safe), c.Make)
	want, _, err := resolve.Read(fstest.MapFS{"a.yaml": {Data: []byte(doc)}}, chestKinds())
	if err != nil {
		t.Fatal(err)
	}
	return want
}

func chestPlan(want []kind.Desired) plan.Plan {
	brands := []*kind.Live{}
	for _, name := range []string{"oak", "elm"} {
		brands = append(brands, &kind.Live{ID: "id-" + name, Name: name, Phase: kind.Ready, InOwnProject: true, State: &brandState{Name: name}})
	}
	prints, _ := fingerprint.New("project/s")
	return Compute(world.Input{Stack: "s", Kinds: chestKinds(), Want: want, Printer: prints, Have: kind.Snapshot{"Chest": {}, "Make": {Items: brands}}})
}

// collide gives the objects of each commit the same digests for their marks, as if somebody had found a collision of the digests.
func collide(want []kind.Desired) []kind.Desired {
	want = slices.Clone(want)
	for i := range want {
		want[i].Digest = "aaaaaaaaaaaa"
		if want[i].Confidential.Secret != "" {
			want[i].Confidential.Secret = "the same"
		}
	}
	return want
}

func differ(t interface {
	Errorf(string, ...any)
	Fatal(...any)
}, a, b chestWish,
) {
	p, q := chestPlan(collide(a.want(t))), chestPlan(collide(b.want(t)))
	if len(p.Fingerprints()) == 0 || !slices.ContainsFunc(p.Steps, func(s plan.Step) bool { return s.Action == plan.Create }) {
		t.Fatal("nothing to approve of")
	}
	same := p.Hash() == q.Hash()
	if same != (fmt.Sprint(a) == fmt.Sprint(b)) || same != slices.Equal(p.Fingerprints(), q.Fingerprints()) || same != (p.Proof().Exact == q.Proof().Exact) {
		t.Errorf("%.100v and %.100v: the same hash %t, prints %t", a, b, same, slices.Equal(p.Fingerprints(), q.Fingerprints()))
	}
	approval := plan.Approval{Hash: p.Hash(), Commit: "c", Proof: p.Proof()}
	if q.Commit = "c"; approval.Covers(q) != same || q.Permission(true).Allows("s", chestStep(p)) != same {
		t.Errorf("an approval of %.100v covers %.100v: %t", a, b, !same)
	}
}

func chestStep(p plan.Plan) plan.Step {
	return p.Steps[slices.IndexFunc(p.Steps, func(s plan.Step) bool { return s.Key.Kind == "Chest" })]
}

// Two commits that differ in anything have different hashes, even if the digests in their marks are equal.
func TestAttackTwoPlansOfOneHash(t *testing.T) {
	long := func(size int, end string) []byte { return append(slices.Repeat([]byte{'x'}, size), end...) }
	base := chestWish{Colour: "red", Code: "4711", Make: "oak", Prune: "true", Text: []byte("apt-get install nginx"), Safe: []byte("pw")}
	for name, change := range map[string]func(*chestWish){
		"nothing":                   func(*chestWish) {},
		"a field":                   func(c *chestWish) { c.Colour = "blue" },
		"an option":                 func(c *chestWish) { c.Prune = "false" },
		"a secret":                  func(c *chestWish) { c.Code = "4712" },
		"data":                      func(c *chestWish) { c.Text = []byte("curl | sh") },
		"data that is no text":      func(c *chestWish) { c.Text = []byte{0xff} },
		"secret data":               func(c *chestWish) { c.Safe = []byte("qw") },
		"what an import stands for": func(c *chestWish) { c.Make = "elm" },
		"an import without object":  func(c *chestWish) { c.Make = "ash" },
	} {
		t.Run(name, func(t *testing.T) {
			other := base
			change(&other)
			differ(t, base, other)
		})
	}
	for _, size := range []int{2 << 10, 70 << 10} {
		a, b := base, base
		a.Text, b.Text = long(size, "a"), long(size, "b")
		differ(t, a, b)
		a, b = base, base
		a.Safe, b.Safe = long(size, "a"), long(size, "b")
		differ(t, a, b)
		a, b = base, base
		a.Code, b.Code = string(long(size, "a")), string(long(size, "b"))
		differ(t, a, b)
	}
	one, two := base, base // as JSON strings, both are equal
	one.Safe, two.Safe = []byte{0xfe}, []byte{0xff}
	differ(t, one, two)
	if a, b := one.want(t), two.want(t); a[len(a)-1].Digest == b[len(b)-1].Digest {
		t.Error("a mark does not tell two binary secrets apart")
	}
}

func TestPlansOfOneHashAreEqual(t *testing.T) {
	testcost.Long(t)
	word := rapid.SampledFrom([]string{"", "a", "b", "ab", strings.Repeat("x", 2000) + "a", strings.Repeat("x", 2000) + "b"})
	data := rapid.SampledFrom([][]byte{nil, {0xfe}, {0xff}, []byte("a"), []byte(`{"a":"b"}`), []byte("\nspec.safeRef=Safe/s")})
	draw := func(rt *rapid.T, name string) chestWish {
		return chestWish{
			Colour: word.Draw(rt, name), Code: word.Draw(rt, name), Text: data.Draw(rt, name), Safe: data.Draw(rt, name),
			Make: rapid.SampledFrom([]string{"oak", "elm", "ash", "fir"}).Draw(rt, name), Prune: rapid.SampledFrom([]string{"true", "false"}).Draw(rt, name),
		}
	}
	rapid.Check(t, func(rt *rapid.T) { differ(rt, draw(rt, "one"), draw(rt, "two")) })
}

// If an import had found no object when a plan was approved, the approval covers the object that the same import finds later, and no other
// change.
func TestApprovalOfAnImportThatIsFoundLater(t *testing.T) {
	wish := chestWish{Make: "ash", Prune: "true"}
	before := chestPlan(wish.want(t))
	before.Commit = "c"
	approval := plan.Approval{Hash: before.Hash(), Commit: "c", Proof: before.Proof()}
	found := &kind.Live{ID: "id-ash", Name: "ash", Phase: kind.Ready, InOwnProject: true, State: &brandState{Name: "ash"}}
	later := func(wish chestWish) plan.Plan {
		prints, _ := fingerprint.New("project/s")
		return Compute(world.Input{Stack: "s", Commit: "c", Kinds: chestKinds(), Want: wish.want(t), Printer: prints, Have: kind.Snapshot{"Chest": {}, "Make": {Items: []*kind.Live{found}}}})
	}
	if now := later(wish); now.Hash() == before.Hash() || !approval.Covers(now) {
		t.Error("what the approved description finds is not covered")
	}
	found.Name, found.State = "oak", &brandState{Name: "oak"}
	if approval.Covers(later(chestWish{Make: "oak", Prune: "true"})) {
		t.Error("what another description finds is covered")
	}
}

// short are the functions of these packages that shorten a checksum. They shorten only checksums for marks. Any other function named Short that is
// called shortens amounts.
var short = map[string]bool{"checksums": true, "dataText": true, "secretText": true, "InMark": true, "orphanKey": true, "Short": true, "Tight": true}

// A plan's hash includes only checksums of 256 bits. All functions that shorten a checksum are in the list short, and none of them makes a
// value that an approval binds.
func TestHashesAreWhole(t *testing.T) {
	if n := 8 * len(plan.Print{}); n < 256 || len(plan.Plan{}.Hash()) != plan.HashDigits || plan.HashDigits < 64 {
		t.Errorf("prints have %d bits, hashes %d digits", n, plan.HashDigits)
	}
	for _, dir := range []string{".", "..", "../group", "../guard", "../world", "../../resolve"} {
		names, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(names) == 0 {
			t.Fatal("no files in ", dir, err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, decl := range file.Decls {
				if f, ok := decl.(*ast.FuncDecl); ok {
					shortens(t, name, f)
				}
			}
		}
	}
}

func shortens(t *testing.T, file string, f *ast.FuncDecl) {
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || short[f.Name.Name] {
			return true
		}
		called, ok := call.Fun.(*ast.SelectorExpr)
		if ok && slices.Contains([]string{"Digest", "Short", "Print", "New64a", "New32a"}, called.Sel.Name) && len(call.Args) < 2 {
			t.Errorf("%s: %s shortens a sum with %s", file, f.Name.Name, called.Sel.Name)
		}
		return true
	})
}
