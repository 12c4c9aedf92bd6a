package cloud_test

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

const (
	ours    = "stackreeve:s:Network/a"
	theirs  = "stackreeve:bb:Network/a"
	applied = "stackreeve-applied:"
)

// What can stand in the places of a mark, and what it is read as.
func TestAttackMarksRead(t *testing.T) {
	mark := func(owner, rivals, applied string, keep bool) *kind.Mark {
		return &kind.Mark{Owner: owner, Rivals: rivals, Applied: applied, Keep: keep}
	}
	meta := func(pairs ...string) *kind.Mark {
		all := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			all[pairs[i]] = pairs[i+1]
		}
		return cloud.MarkInMetadata(all)
	}
	text := func(description string, tags ...string) *kind.Mark {
		return cloud.NeutronBase{Described: description, Tags: tags}.Mark()
	}
	for name, tt := range map[string]struct{ got, want *kind.Mark }{
		"tags":                          {cloud.MarkInTags([]string{ours, applied + "d"}), mark(ours, "", "d", false)},
		"tags: two owners":              {cloud.MarkInTags([]string{ours, theirs, applied + "d"}), mark(theirs, ours, "d", false)},
		"tags: no digest":               {cloud.MarkInTags([]string{ours}), mark(ours, "", kind.Unreadable, false)},
		"tags: empty digest":            {cloud.MarkInTags([]string{ours, applied}), mark(ours, "", kind.Unreadable, false)},
		"tags: two digests":             {cloud.MarkInTags([]string{ours, applied + "d", applied + "e:keep"}), mark(ours, "", kind.Unreadable, true)},
		"tags: digest alone":            {cloud.MarkInTags([]string{applied + "d"}), nil},
		"description":                   {cloud.NeutronBase{Described: "[" + ours + "]"}.Mark(), mark(ours, "", "", false)},
		"description: text around":      {cloud.NeutronBase{Described: "see [" + ours + "]"}.Mark(), nil},
		"description and tags":          {cloud.NeutronBase{Described: "[" + ours + "]", Tags: []string{ours, applied + "d"}}.Mark(), mark(ours, "", kind.Unreadable, false)},
		"description and others' tags":  {cloud.NeutronBase{Described: "[" + ours + "]", Tags: []string{theirs, applied + "d"}}.Mark(), mark(theirs, ours, kind.Unreadable, false)},
		"finished in the description":   {text("[" + ours + " " + applied + "d]"), mark(ours, "", "d", false)},
		"behind people's own words":     {text("web [1] [" + ours + " " + applied + "d:keep]"), mark(ours, "", "d", true)},
		"no space between":              {text("web[" + ours + " " + applied + "d]"), nil},
		"words behind it":               {text("[" + ours + " " + applied + "d] web"), nil},
		"three words":                   {text("[" + ours + " " + applied + "d x]"), nil},
		"another second word":           {text("[" + ours + " d]"), nil},
		"description: empty digest":     {text("web [" + ours + " " + applied + "]"), mark(ours, "", kind.Unreadable, false)},
		"description: two marks":        {text("[" + theirs + " " + applied + "d] [" + ours + " " + applied + "d]"), mark(theirs, ours, "d", false)},
		"both, of one owner":            {text("web ["+ours+" "+applied+"d]", ours, applied+"d"), mark(ours, "", "d", false)},
		"both, that disagree":           {text("web ["+ours+" "+applied+"d]", ours, applied+"e"), mark(ours, "", kind.Unreadable, false)},
		"finished, and others' tags":    {text("web ["+ours+" "+applied+"d]", theirs, applied+"d"), mark(theirs, ours, "d", false)},
		"metadata":                      {meta("stackreeve", ours, "stackreeve-applied", "d:keep"), mark(ours, "", "d", true)},
		"metadata: half-made":           {meta("stackreeve", ours, "stackreeve-applied", ""), mark(ours, "", "", false)},
		"metadata: no digest":           {meta("stackreeve", ours), mark(ours, "", kind.Unreadable, false)},
		"metadata: odd case beside":     {meta("stackreeve", ours, "Stackreeve", theirs, "stackreeve-applied", "d"), mark(theirs, ours, "d", false)},
		"metadata: odd case alone":      {meta("STACKREEVE", ours), nil},
		"metadata: not an owner's text": {meta("stackreeve", "yes"), nil},
	} {
		if (tt.got == nil) != (tt.want == nil) || tt.got != nil && *tt.got != *tt.want {
			t.Errorf("%s: read as %v, want %v", name, tt.got, tt.want)
		}
	}
}

// Keys that a database would take for one of a mark's are nobody's to use.
func TestAttackReservedKeys(t *testing.T) {
	for key, want := range map[string]bool{
		"stackreeve": true, "Stackreeve": true, "stackreeve ": true, "STACKREEVE-applied": true, "stackreeve-user-data": true,
		"stackreeves": false, "my-stackreeve": false, "": false,
	} {
		if got := kind.ReservedKey(key); got != want {
			t.Errorf("%q: reserved is %t", key, got)
		}
	}
}
