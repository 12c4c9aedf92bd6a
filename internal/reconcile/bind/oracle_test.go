package bind

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// The index of a list gives the same answers as a scan of all its objects: about marks, users, IDs and names. Some of the objects belong to
// other stacks and projects. Some have copied marks, marks of several owners, or marks that cannot be read. The list contains some twice.
func TestIndexGivesTheAnswersOfAScan(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		have := kind.Snapshot{}
		for _, name := range []string{"Thing", "Other"} {
			have[name] = kind.Collection{Items: drawObjects(rt, name)}
		}
		c := NewCloud(have, stack)
		for name, list := range have {
			x, want := c.collections[name], scan(name, list.Items)
			if !maps.EqualFunc(x.owners, want.owners, sameClaims) || !maps.EqualFunc(x.inOtherProjects, want.inOtherProjects, sameClaims) || !slices.Equal(x.misplaced, want.misplaced) {
				rt.Fatalf("%s: %v, %v, %v; want %v, %v, %v", name, x.owners, x.inOtherProjects, x.misplaced, want.owners, want.inOtherProjects, want.misplaced)
			}
			for _, id := range ids {
				for _, entry := range []string{"", "b"} {
					if got, want := x.Find(id, entry), found(want.listed, id, entry); got != want {
						rt.Fatalf("%s %s through %q: %v, want %v", name, id, entry, got, want)
					}
				}
				if got, want := x.WithName(id), named(want.listed, id); !slices.Equal(got, want) {
					rt.Fatalf("%s called %s: %d objects, want %d", name, id, len(got), len(want))
				}
			}
			for _, l := range list.Items {
				if got, want := c.usedByAnybody(l), usedInScan(have, l); got != want {
					rt.Fatalf("%s is used: %t, want %t", l.ID, got, want)
				}
			}
		}
	})
}

var ids = []string{"1", "2", "3"}

func drawObjects(rt *rapid.T, name string) (items []*Live) {
	for i := range rapid.IntRange(0, 10).Draw(rt, name) {
		draw := func(what string, from ...string) string {
			return rapid.SampledFrom(from).Draw(rt, fmt.Sprint(name, i, what))
		}
		l := &Live{ID: draw("id", ids...), Name: draw("name", ids...), Entry: draw("entry", "", "", "b"), Uses: []string{draw("use", ids...)}, Tokens: []string{draw("token", ids...)},
			InOwnProject: draw("own", "y", "y", "n") == "y", Guarded: draw("guarded", "y", "n") == "y", Project: draw("project", "", "p"), Copied: draw("copied", "", "", "was restored"), AlsoListedAs: draw("also", "", "", "Other")}
		owner := func(what string) string {
			return draw(what, ownertext.Of(stack, manifest.Key{Kind: "Thing", Name: "a"}), ownertext.Of(stack, manifest.Key{Kind: "Other", Name: "b"}), ownertext.Of("other", manifest.Key{Kind: "Thing", Name: "a"}), ownertext.Begin(stack)+"?", "x")
		}
		if draw("marked", "y", "y", "n") == "y" {
			l.Mark = &kind.Mark{Owner: owner("owner")}
			if draw("contested", "y", "n", "n") == "y" {
				l.Mark.Rivals = owner("rival")
			}
		}
		items = append(items, l)
	}
	return items
}

type scanned struct {
	Collection
	listed []*Live // without objects that the list contains again
}

// scan looks at each object of a list.
func scan(name string, items []*Live) scanned {
	x := scanned{Collection: Collection{owners: map[string]*Claims{}, inOtherProjects: map[string]*Claims{}}}
	first := map[string]*Live{}
	for _, l := range items {
		if first[l.ID] == nil {
			first[l.ID] = l
		} else if first[l.ID].SeenBy(l.Entry) != nil {
			continue
		}
		x.listed = append(x.listed, l)
		x.addClaim(name, l, ownertext.Begin(stack))
	}
	return x
}

func sameClaims(a, b *Claims) bool {
	return slices.Equal(a.Sole, b.Sole) && slices.Equal(a.Shared, b.Shared) && slices.Equal(a.Copied, b.Copied)
}

func found(listed []*Live, id, entry string) *Live {
	for _, l := range listed {
		if l.ID == id && l.SeenBy(entry) != nil {
			return l
		}
	}
	return nil
}

func named(listed []*Live, name string) (list []*Live) {
	for _, l := range listed {
		if l.Name == name {
			list = append(list, l)
		}
	}
	return list
}

func usedInScan(have kind.Snapshot, l *Live) bool {
	for _, list := range have {
		for _, user := range list.Items {
			if user.ID != l.ID && slices.ContainsFunc(user.Uses, func(token string) bool { return token == l.ID || slices.Contains(l.Tokens, token) }) {
				return true
			}
		}
	}
	return false
}
