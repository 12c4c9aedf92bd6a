package resolve_test

import (
	"context"
	"errors"
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

// boxSpec has fields of all types, and references of all sorts. A Box is an object of the cloud.
type boxSpec struct {
	Colour   string            `json:"colour,omitempty"`
	Thing    string            `json:"thing,omitempty" ref:"Thing,credentials"`
	Things   []string          `json:"things,omitempty" ref:"Thing" rule:"immutable"`
	After    string            `json:"after,omitempty" ref:"Thing,order"`
	Reads    string            `json:"reads,omitempty" ref:"Thing,reads"`
	Late     string            `json:"late,omitempty" ref:"Thing,late"`
	Text     string            `json:"text,omitempty" ref:"Text"`
	Secret   string            `json:"secret,omitempty" ref:"Secret"`
	Opens    string            `json:"opens,omitempty" ref:"Secret,order"`
	Password *string           `json:"password,omitempty" rule:"secret"`
	Lines    []string          `json:"lines,omitempty"`
	Labels   map[string]string `json:"labels,omitempty"`
	Counts   map[string]int    `json:"counts,omitempty"`
	Bytes    []byte            `json:"bytes,omitempty"`
	Inside   *InsideSpec       `json:"inside,omitempty" rule:"immutable"`
	InsideSpec
}

// InsideSpec is embedded in a Box.
type InsideSpec struct {
	Late string `json:"lateInside,omitempty" ref:"Thing,late"`
	Lid  string `json:"lid,omitempty" ref:"Thing" ways:"bend=reboot"`
}

type boxFilter struct {
	Name  string `json:"name,omitempty"`
	Thing string `json:"thing,omitempty" ref:"Thing"`
}

func box() typed.Kind[boxSpec, boxFilter, struct{}] {
	return typed.Kind[boxSpec, boxFilter, struct{}]{
		Info: kind.Info{Group: "test", Version: "v1", Kind: "Box"},
		List: func(context.Context, kind.Listing) ([]typed.Live[struct{}], error) { return nil, nil },
		Stated: func(s *boxSpec) kind.Facts {
			return kind.Facts{Name: s.Colour}
		},
		Validate: func(s *boxSpec, r *kind.Report) {
			if s.Colour == "ugly" {
				r.Problem("spec.resource.colour", "is ugly", "choose another one")
			}
		},
	}
}

// crowdSpec is the spec of a Crowd, a group of Things. Its manifest has the template of their specs in spec.member. A Fleet is a group of
// Crowds, and has their template in spec.crowd.
type crowdSpec struct {
	Count  int            `json:"count,omitempty"`
	Spares int            `json:"spares,omitempty"`
	Scaled int            `json:"scaled,omitempty"`
	Member map[string]any `json:"member,omitempty"`
}

type fleetSpec struct {
	Count int            `json:"count,omitempty"`
	Crowd map[string]any `json:"crowd,omitempty"`
}

func crowd() *kind.Kind {
	return typed.Workload[crowdSpec]{
		Info: kind.Info{Group: "test", Version: "v1", Kind: "Crowd", Parts: []string{"Thing"}}, Group: kind.Group{Members: "Thing", Spec: "spec.member"},
		Validate: func(*crowdSpec, *kind.Report) {},
		Expand: func(s *crowdSpec, e *kind.Expansion) {
			name := func(format string) func(int) string {
				return func(i int) string { return fmt.Sprintf("%s-"+format, e.Key.Name, i) }
			}
			member := s.Member
			if member == nil {
				member = map[string]any{"resource": map[string]any{}}
			}
			bodies, first := []any{map[string]any{"spec": member}}, func(int) int { return 0 }
			e.Varied("Thing", s.Count, name("%d"), bodies, first, kind.Always)
			e.Varied("Thing", s.Spares, name("spare-%d"), bodies, first, kind.Spare)
			e.Varied("Thing", s.Scaled, name("scaled-%d"), bodies, first, kind.Scaled)
		},
	}.Kind()
}

func fleet() *kind.Kind {
	return typed.Workload[fleetSpec]{
		Info: kind.Info{Group: "test", Version: "v1", Kind: "Fleet", Parts: []string{"Crowd"}}, Group: kind.Group{Members: "Crowd", Spec: "spec.crowd"},
		Validate: func(*fleetSpec, *kind.Report) {},
		Expand: func(s *fleetSpec, e *kind.Expansion) {
			for i := range s.Count {
				e.Child("Crowd", fmt.Sprintf("%s-%d", e.Key.Name, i), map[string]any{"spec": s.Crowd})
			}
		},
	}.Kind()
}

// texts returns the kinds of data: Text, which may be shown, and Secret.
func texts() []*kind.Kind {
	type body struct {
		Data map[string]string `json:"data,omitempty"`
	}
	read := func(b *body, _ *kind.Report) map[string]string { return b.Data }
	return []*kind.Kind{
		typed.Data(kind.Info{Version: "v1", Kind: "Text", Public: true}, read),
		typed.Data(kind.Info{Version: "v1", Kind: "Secret"}, read),
	}
}

// asker returns a kind of workload that expands by calling a function of the test.
func asker(expand func(e *kind.Expansion), parts ...string) *kind.Kind {
	return typed.Workload[map[string]any]{
		Info:     kind.Info{Group: "test", Version: "v1", Kind: "Asker", Parts: parts},
		Validate: func(*map[string]any, *kind.Report) {},
		Expand:   func(_ *map[string]any, e *kind.Expansion) { expand(e) },
	}.Kind()
}

func kinds(more ...*kind.Kind) []*kind.Kind {
	return slices.Concat([]*kind.Kind{thingtest.New().Kind(), box().Resource(), crowd(), fleet()}, texts(), more)
}

// manifests returns a file of documents. Each argument is "Kind name CONTENT", and may end with " | annotation=value …". A name can be
// "namespace:name". CONTENT is the spec; for a Thing or a Box it is spec.resource, and for a Text or a Secret it is the data. If CONTENT begins with
// "=", the rest is written unchanged beside the metadata.
func manifests(docs ...string) string {
	var file strings.Builder
	for _, doc := range docs {
		text, annotations, _ := strings.Cut(doc, " | ")
		words := strings.SplitN(text, " ", 3)
		content := "{}"
		if len(words) > 2 {
			content = words[2]
		}
		group := "test/"
		switch whole, is := strings.CutPrefix(content, "="); {
		case is:
			content = whole
		case words[0] == "Thing" || words[0] == "Box":
			content = "spec: {resource: " + content + "}"
		case words[0] == "Text" || words[0] == "Secret":
			group, content = "", "data: "+content
		default:
			content = "spec: " + content
		}
		namespace, name, is := strings.Cut(words[1], ":")
		if !is {
			namespace, name = "default", namespace
		}
		var notes []string
		for _, a := range strings.Fields(annotations) {
			field, value, _ := strings.Cut(a, "=")
			notes = append(notes, fmt.Sprintf("stackreeve.dev/%s: %q", field, value))
		}
		fmt.Fprintf(&file, "{apiVersion: %sv1, kind: %s, metadata: {namespace: %q, name: %q, annotations: {%s}}, %s}\n---\n", group, words[0], namespace, name, strings.Join(notes, ", "), content)
	}
	return file.String()
}

// read reads a repository with one file.
func read(r resolve.Reader, docs ...string) (resolve.Reading, error) {
	if r.Kinds == nil {
		r.Kinds = kinds()
	}
	return r.Read(context.Background(), fstest.MapFS{"a.yaml": {Data: []byte(manifests(docs...))}})
}

func wanted(t *testing.T, docs ...string) []kind.Desired {
	t.Helper()
	reading, err := read(resolve.Reader{}, docs...)
	if err != nil {
		t.Fatal(err)
	}
	return reading.Want
}

// object returns the object with the name "Kind/name".
func object(t *testing.T, want []kind.Desired, name string) kind.Desired {
	t.Helper()
	i := slices.IndexFunc(want, func(d kind.Desired) bool { return d.Key.String() == name })
	if i < 0 {
		t.Fatalf("there is no %s", name)
	}
	return want[i]
}

// faults returns the objects and fields with mistakes, in their order: "Kind/name field".
func faults(t *testing.T, err error) (list []string) {
	t.Helper()
	for _, p := range problemsOf(t, err) {
		list = append(list, strings.TrimSpace(p.Key.String()+" "+p.Field))
	}
	return list
}

func problemsOf(t *testing.T, err error) (problems manifest.Problems) {
	t.Helper()
	if err != nil && !errors.As(err, &problems) {
		t.Fatal(err)
	}
	return problems
}

// refused reads each repository, and compares the mistakes that it finds.
func refused(t *testing.T, r resolve.Reader, cases map[string]refusal) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := read(r, c.repo...)
			got := faults(t, err)
			if !slices.Equal(got, c.faults) {
				t.Errorf("got %q, want %q", got, c.faults)
			}
			for _, p := range problemsOf(t, err) {
				if !strings.Contains(p.Fix, c.advice) {
					t.Errorf("the advice is %q, want %q", p.Fix, c.advice)
				}
			}
		})
	}
}

type refusal struct {
	repo   []string
	faults []string
	advice string // a name or value that the advice must contain
}

func names(want []kind.Desired) string {
	var all []string
	for _, d := range want {
		all = append(all, d.Key.String())
	}
	return strings.Join(all, " ")
}

// others returns another kind of objects of the cloud.
func others[Spec any](name string) *kind.Kind {
	return typed.Kind[Spec, struct{}, struct{}]{
		Info: kind.Info{Group: "test", Version: "v1", Kind: name}, Validate: func(*Spec, *kind.Report) {},
		List: func(context.Context, kind.Listing) ([]typed.Live[struct{}], error) { return nil, nil },
	}.Flat()
}
