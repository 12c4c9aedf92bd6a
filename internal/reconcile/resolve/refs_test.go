package resolve_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// references returns the references of an object as texts: field, target and properties.
func references(d kind.Desired) (list []string) {
	for _, r := range d.Refs {
		text := strings.TrimPrefix(r.Field, "spec.") + " " + r.Key.String()
		for _, flag := range []struct {
			word string
			is   bool
		}{{"fixed", r.Fixed}, {"order", r.Order}, {"credentials", r.Credentials}, {"reads", r.Reads}, {"late", r.Late}} {
			if flag.is {
				text += " " + flag.word
			}
		}
		list = append(list, text)
	}
	return list
}

func TestReferencesOfManifests(t *testing.T) {
	for name, c := range map[string]struct {
		repo []string
		of   string
		want []string
	}{
		"of all sorts": {[]string{"Thing a", "Text t", "Secret s", "Box b {thing: a, things: [a, a], after: a, reads: a, text: t, secret: s, opens: s, lid: a, inside: {lid: a}}"}, "Box/b", []string{
			"resource.thing Thing/a credentials", "resource.things[0] Thing/a fixed", "resource.things[1] Thing/a fixed", "resource.after Thing/a order", "resource.reads Thing/a reads",
			"resource.text Text/t", "resource.secret Secret/s", "resource.opens Secret/s order", "resource.inside.lid Thing/a fixed", "resource.lid Thing/a"}},
		"of none":                       {[]string{"Box b {colour: red, labels: {thing: a}}"}, "Box/b", nil},
		"of an import":                  {[]string{"Thing a", "Box b =spec: {managementPolicy: unmanaged, import: {filter: {name: x, thing: a}}}"}, "Box/b", []string{"import.filter.thing Thing/a"}},
		"of an import by its ID":        {[]string{"Box b =spec: {managementPolicy: unmanaged, import: {id: x}}"}, "Box/b", nil},
		"in its own namespace":          {[]string{"Thing a", "Thing n:a", "Box n:b {lid: a}"}, "Box/n/b", []string{"resource.lid Thing/n/a"}},
		"late, and in no circle":        {[]string{"Thing a", "Box b {late: a}"}, "Box/b", []string{"resource.late Thing/a"}},
		"late, in a circle":             {[]string{"Thing a {beside: [b]}", "Thing b {near: [a]}"}, "Thing/a", []string{"resource.beside[0] Thing/b late"}},
		"late, beside a circle":         {[]string{"Thing a {beside: [b, c]}", "Thing b {near: [a]}", "Thing c"}, "Thing/a", []string{"resource.beside[0] Thing/b late", "resource.beside[1] Thing/c"}},
		"to itself, which can be later": {[]string{"Thing a {near: [a]}"}, "Thing/a", nil},
	} {
		if got := references(object(t, wanted(t, c.repo...), c.of)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Each object comes after the objects that it refers to. Apart from that, the order is that of the files.
func TestOrderOfObjects(t *testing.T) {
	for want, repo := range map[string][]string{
		"Thing/b Thing/a Thing/c":                              {"Thing b", "Thing a", "Thing c"},
		"Thing/c Thing/a Thing/b":                              {"Thing a {near: [c]}", "Thing b", "Thing c"},
		"Thing/c Thing/b Thing/a":                              {"Thing a {near: [b]}", "Thing b {atop: [c]}", "Thing c"},
		"Thing/a Thing/b":                                      {"Thing a {beside: [b]}", "Thing b {near: [a]}"},
		"Crowd/c Thing/x Thing/c-0 Thing/c-1 Thing/c-scaled-0": {"Crowd c {count: 2, scaled: 1, member: {resource: {near: [x]}}}", "Thing x"},
	} {
		if got := names(wanted(t, repo...)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// References to objects without a manifest are refused, with advice that names the object that was probably meant.
func TestMissingObjects(t *testing.T) {
	refused(t, resolve.Reader{}, map[string]refusal{
		"a name that is alike":        {[]string{"Thing web-net", "Box b {lid: web-nte}"}, []string{"Box/b spec.resource.lid"}, "web-net"},
		"another namespace":           {[]string{"Thing z:a", "Thing n:a", "Thing o:a", "Box b {lid: a}"}, []string{"Box/b spec.resource.lid"}, "namespace n,"},
		"of another kind only":        {[]string{"Box n:web-net", "Box b {lid: web-net}"}, []string{"Box/b spec.resource.lid"}, "managementPolicy"},
		"nothing is like it":          {[]string{"Thing x", "Box b {lid: web-net}"}, []string{"Box/b spec.resource.lid"}, "managementPolicy"},
		"data, which is in no cloud":  {[]string{"Box n:b {text: words}"}, []string{"Box/n/b spec.resource.text"}, "in namespace n"},
		"two fields of one object":    {[]string{"Box b {lid: web-net, reads: other}"}, []string{"Box/b spec.resource.reads", "Box/b spec.resource.lid"}, ""},
		"one that only has to exist":  {[]string{"Box b {after: web-net}"}, []string{"Box/b spec.resource.after"}, ""},
		"the same of several members": {[]string{"Crowd c {count: 3, member: {resource: {near: [x]}}}"}, []string{"Crowd/c spec.member.resource.near[0]"}, ""},
	})
	advised := 0
	_, err := read(resolve.Reader{Bounds: resolve.Bounds{Objects: 2}}, "Thing web-net", "Box b {things: [web-nt1, web-nt2, web-nt3, web-nt4, web-nt5, web-nt6]}")
	for _, p := range problemsOf(t, err) {
		if strings.Contains(p.Fix, "web-net") {
			advised++
		}
	}
	if advised < 3 || advised > 5 {
		t.Errorf("%d names are guessed", advised)
	}
	for _, advised := range []struct{ repo, not string }{{"Box b {text: words}", "managementPolicy"}} {
		_, err := read(resolve.Reader{}, advised.repo)
		if p := problemsOf(t, err); strings.Contains(p[0].Fix, advised.not) {
			t.Errorf("the advice is %s", p[0].Fix)
		}
	}
}

// If the stack allows it, manifests may refer to an object without a manifest, which somebody else makes.
func TestMissingObjectsThatAreAllowed(t *testing.T) {
	reading, err := read(resolve.Reader{Missing: true, Kinds: kinds(other())}, "Box b {lid: a, reads: a}", "Thing c {near: [a]}", "Box i =spec: {managementPolicy: unmanaged, import: {filter: {thing: a}}}", "Other o {box: i}")
	if err != nil || names(reading.Want) != "Thing/a Box/b Thing/c Box/i Other/o" {
		t.Fatalf("%s, %v", names(reading.Want), err)
	}
	a, b := object(t, reading.Want, "Thing/a"), object(t, reading.Want, "Box/b")
	if !a.Absent() || a.Origin.Line != 1 || b.Absent() {
		t.Errorf("%+v", a.Origin)
	}
	if reading.Size.Objects != 5 {
		t.Errorf("%d objects", reading.Size.Objects)
	}
	only := []*kind.Kind{box().Resource()}
	if _, err := read(resolve.Reader{Missing: true, Kinds: only}, "Box b {lid: a}"); len(faults(t, err)) != 1 {
		t.Errorf("an object of an unknown kind: %v", err)
	}
	if _, err := read(resolve.Reader{Missing: true, Bounds: resolve.Bounds{Objects: 1}}, "Box b {lid: a}"); err == nil {
		t.Error("it counts for nothing")
	}
}

// A circle is reported with the names of its objects, at the reference that closes it. The number of mistakes is limited.
func TestCirclesAreRefused(t *testing.T) {
	refused(t, resolve.Reader{}, map[string]refusal{
		"of two":        {[]string{"Thing a {near: [b]}", "Thing b {near: [a]}"}, []string{"Thing/b spec.resource.near[0]"}, ""},
		"of one, fixed": {[]string{"Thing a {atop: [a]}"}, []string{"Thing/a spec.resource.atop[0]"}, ""},
		"two circles":   {[]string{"Thing a {near: [a, b, c]}", "Thing b {near: [a]}", "Thing c {near: [a]}"}, []string{"Thing/b spec.resource.near[0]", "Thing/c spec.resource.near[0]"}, ""},
		"not in a fork": {[]string{"Thing a {near: [b, c]}", "Thing b {near: [c]}", "Thing c"}, nil, ""},
	})
	const n = 1500
	var repo []string
	for i := range n {
		repo = append(repo, fmt.Sprintf("Thing t%d {atop: [t%d]}", i, i))
	}
	_, err := read(resolve.Reader{}, repo...)
	if got := len(problemsOf(t, err)); got != 1001 {
		t.Errorf("%d mistakes are listed", got)
	}
	if _, err := read(resolve.Reader{}, repo[:999]...); len(problemsOf(t, err)) != 999 {
		t.Errorf("%d mistakes of 999 are listed", len(problemsOf(t, err)))
	}
}

// Objects of a kind use objects of the kinds that their fields name. If such a reference cannot be changed, the use is fixed.
func TestUsesOfKinds(t *testing.T) {
	type node struct {
		Next  *node  `json:"next,omitempty"`
		Thing string `json:"thing,omitempty" ref:"Thing"`
	}
	uses := func(k *kind.Kind) string { return fmt.Sprint(resolve.UsesOf(k)) }
	if got, want := uses(box().Resource()), "map[Secret:false Text:false Thing:true]"; got != want {
		t.Errorf("a Box: %s, want %s", got, want)
	}
	judge := box()
	judge.Info.ReportsHealth = true
	if got, want := uses(judge.Resource()), "map[Secret:false Text:false Thing:true]"; got != want {
		t.Errorf("a Box that reports health: %s, want %s", got, want)
	}
	if got := uses(others[node]("Node")); got != "map[Thing:false]" {
		t.Errorf("a kind that contains itself: %s", got)
	}
	if got := uses(&kind.Kind{}); got != "map[]" {
		t.Errorf("a kind without a type: %s", got)
	}
	if got := uses(crowd()); got != "map[]" {
		t.Errorf("a Crowd: %s", got)
	}
	if got := uses(thingtest.New().Kind()); got != "map[Thing:true]" {
		t.Errorf("a Thing: %s", got)
	}
}
