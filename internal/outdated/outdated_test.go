package outdated_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/outdated"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

var now = time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)

// image returns an image of the cloud that was created some days ago.
func image(name string, days int, change ...func(*kind.Live)) *kind.Live {
	l := &kind.Live{ID: "id-" + name + fmt.Sprint(-days), Name: name, Phase: kind.Ready, Created: now.AddDate(0, 0, -days), Facts: kind.Facts{Trusted: true}}
	for _, c := range change {
		c(l)
	}
	return l
}

func key(kindName, name string) manifest.Key { return manifest.Key{Kind: kindName, Name: name} }

// planOf returns the plan of a stack with one import and one server that uses it.
func planOf(of string, have *kind.Live, kept string) plan.Plan {
	target := key(of, "os")
	s := plan.Step{Key: target, Action: plan.Keep}
	s.Want, s.Have = &kind.Desired{Key: target, Unmanaged: true, Import: &kind.Import{}}, have
	user := plan.Step{Key: key("Server", "web"), Action: plan.Keep}
	user.Want = &kind.Desired{Key: user.Key, Refs: []kind.RefSpec{{Field: "spec.resource.imageRef", Key: target}}}
	if kept != "" {
		user.Outrun = []kind.Change{{Field: "spec.resource.imageRef", Have: kept, Want: "other"}}
	}
	return plan.Plan{Steps: []plan.Step{s, user}}
}

// words describes findings in short: name used, state, and what is newer with its rule.
func words(f outdated.Findings) string {
	var list []string
	for _, i := range f.Items {
		text := i.Used.Name
		if i.State != "" {
			text += " " + string(i.State)
		}
		for _, n := range i.Newer {
			text += " " + string(n.Rule) + "=" + n.Name
		}
		list = append(list, fmt.Sprintf("%s users=%d", text, len(i.Users)))
	}
	for range f.Unknown {
		list = append(list, "unknown")
	}
	return strings.Join(list, "; ")
}

func TestCompare(t *testing.T) {
	unusable := func(l *kind.Live) { l.Facts.Unusable = "deactivated" }
	foreign := func(l *kind.Live) { l.Facts.Trusted = false }
	failed := func(l *kind.Live) { l.Phase = kind.Failed }
	sized := func(cpus int) func(*kind.Live) {
		return func(l *kind.Live) {
			l.Facts, l.Created = kind.Facts{Size: kind.Size{CPUs: cpus, Memory: 512}}, time.Time{}
		}
	}
	used := image("os-12-20260201", 30)
	tests := []struct {
		name   string
		kind   string
		used   *kind.Live
		offer  []*kind.Live
		kept   string
		failed bool // whether the list failed
		want   string
	}{
		{name: "alone", used: used},
		{name: "a greater last number", used: used, offer: []*kind.Live{image("os-12-20260301", 2), image("os-12-20260310", 1), image("os-12-20260101", 60)}, want: "os-12-20260201 greater-number=os-12-20260310 users=1"},
		{name: "the least change first", used: used, offer: []*kind.Live{image("os-13-20260101", 2), image("os-12-20260301", 1), image("os-11-20270101", 1)}, want: "os-12-20260201 greater-number=os-12-20260301 greater-number=os-13-20260101 users=1"},
		{name: "numbers are not texts", used: image("os-9", 9), offer: []*kind.Live{image("os-10", 1), image("os-09", 1)}, want: "os-9 greater-number=os-10 users=1"},
		{name: "another name", used: used, offer: []*kind.Live{image("os-12-20260301-minimal", 2), image("db-12-20260301", 2), image("os-12", 2)}},
		{name: "a later upload", used: used, offer: []*kind.Live{image("os-12-20260201", 3), image("os-12-20260201", 90)}, want: "os-12-20260201 same-name=os-12-20260201 users=1"},
		{name: "homonyms of strangers", used: used, offer: []*kind.Live{image("os-12-20260201", 3, foreign), image("os-12-20260301", 3, foreign), image("os-12-20260302", 3, unusable), image("os-12-20260303", 3, failed)}},
		{name: "deactivated", used: image("os", 30, unusable), want: "os unusable users=1"},
		{name: "old", used: image("os", 101), want: "os old users=1"},
		{name: "gone", want: " gone users=1"},
		{name: "not listed", failed: true, want: "unknown"},
		{name: "kept", used: used, offer: []*kind.Live{image("os-12-20260101", 60)}, kept: "id-os-12-20260101-60", want: "os-12-20260101 newest-of-pattern=os-12-20260201 users=1"},
		{name: "kept and gone", used: used, kept: "lost", want: " gone newest-of-pattern=os-12-20260201 users=1"},
		{name: "kept and deactivated", used: used, offer: []*kind.Live{image("os-12-20260101", 60, unusable)}, kept: "id-os-12-20260101-60", want: "os-12-20260101 unusable newest-of-pattern=os-12-20260201 users=1"},
		{name: "a flavor of the same size", kind: "Flavor", used: image("m1.small", 0, sized(1)), offer: []*kind.Live{image("m2.small", 0, sized(1)), image("m3.small", 0, sized(2))}, want: "m1.small greater-number=m2.small users=1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			of := tt.kind
			if of == "" {
				of = "Image"
			}
			list := kind.Collection{Items: tt.offer}
			if tt.used != nil {
				list.Items = append(slices.Clone(tt.offer), tt.used)
			}
			if tt.failed {
				list.Err = errors.New("no answer")
			}
			found := outdated.Compare(planOf(of, tt.used, tt.kept), kind.Snapshot{of: list}, now, 100*24*time.Hour)
			if got := words(found); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

type ownedBy string

func (f ownedBy) OwnedBy() string { return string(f) }

// An image of the owner whom the manifest names is offered although strangers own it. Other images are not.
func TestOwner(t *testing.T) {
	owned := func(by string) func(*kind.Live) {
		return func(l *kind.Live) { l.State, l.Facts = ownedBy(by), kind.Facts{Trusted: by == "public"} }
	}
	used := image("os-1", 9, owned("team"))
	list := kind.Collection{Items: []*kind.Live{used, image("os-2", 3, owned("team")), image("os-3", 2, owned("stranger")), image("os-4", 1, owned("public"))}}
	for owner, want := range map[string]string{"team": "os-1 greater-number=os-2 users=1", "": "os-1 greater-number=os-4 users=1"} {
		p := planOf("Image", used, "")
		p.Steps[0].Want.Import.Filter = ownedBy(owner)
		if got := words(outdated.Compare(p, kind.Snapshot{"Image": list}, now, 0)); got != want {
			t.Errorf("%q: %q, want %q", owner, got, want)
		}
	}
}

func TestSourceTags(t *testing.T) {
	tags := []string{"v1.2.0", "v1.2.1", "v1.10.0", "v2.0.0", "v3.0.0-rc1", "prod", "v1.2.0-1"}
	for tag, want := range map[string]string{"v1.2.0": "v1.2.0 greater-number=v1.2.1 greater-number=v1.10.0 greater-number=v2.0.0 users=0", "v2.0.0": "v2.0.0 users=0", "prod": "prod users=0"} {
		if got := words(outdated.Findings{Items: []outdated.Item{outdated.SourceTags("env", tag, "sha256:a", tags)}}); got != want {
			t.Errorf("%s: %q, want %q", tag, got, want)
		}
	}
}

// A list that is absent is unknown. It does not mean that its objects are gone.
func TestAbsentList(t *testing.T) {
	if got := words(outdated.Compare(planOf("Image", nil, ""), kind.Snapshot{}, now, 0)); got != "unknown" {
		t.Error(got)
	}
}

func TestTags(t *testing.T) {
	tags := map[string]string{"v1.2.0": "a", "v1.9.3": "b", "v1.10.0": "c", "v2.0.0": "d", "v3.0.0-rc1": "e", "stable": "a", "release-7": "f", "release-8": "f"}
	for commit, want := range map[string]string{
		"a": "v1.2.0 greater-number=v1.10.0 greater-number=v2.0.0 users=0", "b": "v1.9.3 greater-number=v1.10.0 greater-number=v2.0.0 users=0",
		"d": "v2.0.0 users=0", "f": "release-8 users=0", "x": "",
	} {
		item, known := outdated.Tags("lib", commit, tags)
		var f outdated.Findings
		if known {
			f.Items = append(f.Items, item)
		}
		if got := words(f); got != want {
			t.Errorf("%s: %q, want %q", commit, got, want)
		}
	}
}

// Something is never newer than itself, and two names are never newer than each other.
func FuzzTags(f *testing.F) {
	f.Add("v1.2", "v1.10")
	f.Add("a01", "a1")
	f.Add("\xff9", "#8")
	f.Add("99999999999999999999999", "1")
	f.Add("000000", "#")
	f.Fuzz(func(t *testing.T, a, b string) {
		newer := func(from, to string) bool {
			item, _ := outdated.Tags("lib", "1", map[string]string{from: "1", to: "2"})
			return from != to && len(item.Newer) > 0
		}
		if newer(a, b) && newer(b, a) {
			t.Errorf("%q and %q are newer than each other", a, b)
		}
	})
}
