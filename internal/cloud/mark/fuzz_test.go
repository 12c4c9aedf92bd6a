package mark_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// FuzzMarks checks three things for any text in the places of marks. Only text in the form of a
// mark is read as a mark. A mark that is written beside that text is read back unchanged. Users'
// own text stays.
func FuzzMarks(f *testing.F) {
	owner := "stackreeve:prod:Network/front"
	f.Add(owner, "stackreeve-applied:0123456789ab", "0123456789ab", true)
	f.Add("blue", "["+owner+"]", "", false)
	f.Add("stackreeve:", "stackreeve-applied:", ":keep", true)
	f.Add("stackreeve-", "["+owner, "a:keep:keep", false)
	f.Add("stackreeve:", "stackreeve-applied::d:keep", ":d:keep", true)
	f.Fuzz(func(t *testing.T, a, b, applied string, keep bool) {
		for _, m := range []*kind.Mark{mark.InTags([]string{a, b}), mark.InText(a), mark.InMetadata(map[string]string{mark.OwnerKey: a, mark.AppliedKey: b})} {
			if m == nil {
				continue
			}
			if _, ok := ownertext.Parse(m.Owner); !ok || !strings.Contains(a+"\n"+b, m.Owner) {
				t.Errorf("%q, %q are taken for %+v", a, b, m)
			}
		}
		for _, tag := range mark.UserTags([]string{a, b}) {
			if mark.InTags([]string{tag}) != nil {
				t.Errorf("%q is a user's and a mark", tag)
			}
		}
		if strings.ContainsAny(applied, ":") || applied == "" {
			return // no digest has this form
		}
		want := kind.Mark{Owner: owner, Applied: applied, Keep: keep, Detach: keep && len(a)%2 == 1}
		user := mark.UserTags([]string{a, b})
		tags := mark.Tags(want, user)
		if m := mark.InTags(tags); m == nil || *m != want {
			t.Errorf("%q come back as %+v", tags, m)
		}
		if got := mark.UserTags(tags); !slices.Equal(got, slices.Compact(user)) {
			t.Errorf("users' tags %q come back as %q", user, got)
		}
		all := mark.Metadata(want, mark.UserMetadata(map[string]string{a: b}))
		if m := mark.InMetadata(all); m == nil || *m != want {
			t.Errorf("%q come back as %+v", all, m)
		}
	})
}
