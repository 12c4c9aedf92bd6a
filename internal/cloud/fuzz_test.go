package cloud_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// FuzzMarks: whatever others write where marks are carried, only what has the
// form of a mark is one, a mark comes back as it was written beside it, and
// users' own words stay theirs.
func FuzzMarks(f *testing.F) {
	owner := "stackreeve:prod:Network/front"
	f.Add(owner, "stackreeve-applied:0123456789ab", "0123456789ab", true)
	f.Add("blue", "["+owner+"]", "", false)
	f.Add("stackreeve:", "stackreeve-applied:", ":keep", true)
	f.Add("stackreeve-", "["+owner, "a:keep:keep", false)
	f.Fuzz(func(t *testing.T, a, b, applied string, keep bool) {
		for _, m := range []*kind.Mark{cloud.MarkInTags([]string{a, b}), cloud.MarkInText(a), cloud.MarkInMetadata(map[string]string{cloud.OwnerKey: a, cloud.AppliedKey: b})} {
			if m == nil {
				continue
			}
			if _, ok := kind.ParseOwner(m.Owner); !ok || !strings.Contains(a+"\n"+b, m.Owner) {
				t.Errorf("%q, %q are taken for %+v", a, b, m)
			}
		}
		for _, tag := range cloud.UserTags([]string{a, b}) {
			if cloud.MarkInTags([]string{tag}) != nil {
				t.Errorf("%q is a user's and a mark", tag)
			}
		}
		if strings.ContainsAny(applied, ":") || applied == "" {
			return // no digest is written so
		}
		want := kind.Mark{Owner: owner, Applied: applied, Keep: keep}
		user := cloud.UserTags([]string{a, b})
		tags := cloud.Tags(want, user)
		if m := cloud.MarkInTags(tags); m == nil || m.Owner != owner || m.Applied != applied || m.Keep != keep {
			t.Errorf("%q come back as %+v", tags, m)
		}
		if got := cloud.UserTags(tags); !slices.Equal(got, slices.Compact(user)) {
			t.Errorf("users' tags %q come back as %q", user, got)
		}
		all := cloud.Metadata(want, cloud.UserMetadata(map[string]string{a: b}))
		if m := cloud.MarkInMetadata(all); m == nil || m.Owner != owner || m.Applied != applied || m.Keep != keep {
			t.Errorf("%q come back as %+v", all, m)
		}
	})
}
