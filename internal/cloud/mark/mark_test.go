package mark_test

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

const (
	ours    = "stackreeve:s:Network/a"
	theirs  = "stackreeve:bb:Network/a"
	applied = "stackreeve-applied:"
)

// Each text in a place of marks is read as the mark in its row.
func TestAttackMarksRead(t *testing.T) {
	want := func(owner, rivals, applied string, keep bool) *kind.Mark {
		return &kind.Mark{Owner: owner, Rivals: rivals, Applied: applied, Keep: keep}
	}
	detach := func(applied string) *kind.Mark {
		return &kind.Mark{Owner: ours, Applied: applied, Keep: true, Detach: true}
	}
	meta := func(pairs ...string) *kind.Mark {
		all := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			all[pairs[i]] = pairs[i+1]
		}
		return mark.InMetadata(all)
	}
	text := func(description string, tags ...string) *kind.Mark {
		return mark.InLabels(tags, description)
	}
	for name, tt := range map[string]struct{ got, want *kind.Mark }{
		"tags":                          {mark.InTags([]string{ours, applied + "d"}), want(ours, "", "d", false)},
		"tags: two owners":              {mark.InTags([]string{ours, theirs, applied + "d"}), want(theirs, ours, "d", false)},
		"tags: no digest":               {mark.InTags([]string{ours}), want(ours, "", kind.Unreadable, false)},
		"tags: empty digest":            {mark.InTags([]string{ours, applied}), want(ours, "", kind.Unreadable, false)},
		"tags: two digests":             {mark.InTags([]string{ours, applied + "d", applied + "e:keep"}), want(ours, "", kind.Unreadable, true)},
		"tags: digest alone":            {mark.InTags([]string{applied + "d"}), nil},
		"description":                   {text("[" + ours + "]"), want(ours, "", "", false)},
		"description: text around":      {text("see [" + ours + "]"), nil},
		"description and tags":          {text("["+ours+"]", ours, applied+"d"), want(ours, "", kind.Unreadable, false)},
		"description and others' tags":  {text("["+ours+"]", theirs, applied+"d"), want(theirs, ours, kind.Unreadable, false)},
		"finished in the description":   {text("[" + ours + " " + applied + "d]"), want(ours, "", "d", false)},
		"behind people's own words":     {text("web [1] [" + ours + " " + applied + "d:keep]"), want(ours, "", "d", true)},
		"no space between":              {text("web[" + ours + " " + applied + "d]"), nil},
		"words behind it":               {text("[" + ours + " " + applied + "d] web"), nil},
		"three words":                   {text("[" + ours + " " + applied + "d x]"), nil},
		"another second word":           {text("[" + ours + " d]"), nil},
		"description: empty digest":     {text("web [" + ours + " " + applied + "]"), want(ours, "", kind.Unreadable, false)},
		"description: two marks":        {text("[" + theirs + " " + applied + "d] [" + ours + " " + applied + "d]"), want(theirs, ours, "d", false)},
		"both, of one owner":            {text("web ["+ours+" "+applied+"d]", ours, applied+"d"), want(ours, "", "d", false)},
		"both, that disagree":           {text("web ["+ours+" "+applied+"d]", ours, applied+"e"), want(ours, "", kind.Unreadable, false)},
		"finished, and others' tags":    {text("web ["+ours+" "+applied+"d]", theirs, applied+"d"), want(theirs, ours, "d", false)},
		"detach":                        {mark.InTags([]string{ours, applied + "d:d:keep"}), detach("d")},
		"detach without keep":           {mark.InTags([]string{ours, applied + "d:d"}), want(ours, "", "d:d", false)},
		"detach twice":                  {mark.InTags([]string{ours, applied + "d:d:d:keep"}), detach("d:d")},
		"detach, and keep alone":        {mark.InTags([]string{ours, applied + "d:d:keep", applied + "d:keep"}), want(ours, "", "d", true)},
		"keep alone, and detach":        {text("web ["+ours+" "+applied+"d:keep]", ours, applied+"d:d:keep"), want(ours, "", "d", true)},
		"detach, and neither":           {text("web ["+ours+" "+applied+"d]", ours, applied+"d:d:keep"), want(ours, "", "d", true)},
		"detach, said twice":            {text("web ["+ours+" "+applied+"d:d:keep]", ours, applied+"d:d:keep"), detach("d")},
		"metadata: detach, half-made":   {meta("stackreeve", ours, "stackreeve-applied", ":d:keep"), detach("")},
		"metadata: gone back":           {meta("stackreeve", ours, "stackreeve-applied", "d:not:e:keep"), &kind.Mark{Owner: ours, Applied: "d", Keep: true, Refused: "e"}},
		"metadata: gone back, nothing":  {meta("stackreeve", ours, "stackreeve-applied", ":not:e"), want(ours, "", kind.Unreadable, false)},
		"tags: gone back from two":      {mark.InTags([]string{ours, applied + "d:not:e", applied + "d:not:f"}), want(ours, "", "d", false)},
		"metadata":                      {meta("stackreeve", ours, "stackreeve-applied", "d:keep"), want(ours, "", "d", true)},
		"metadata: half-made":           {meta("stackreeve", ours, "stackreeve-applied", ""), want(ours, "", "", false)},
		"metadata: no digest":           {meta("stackreeve", ours), want(ours, "", kind.Unreadable, false)},
		"metadata: odd case beside":     {meta("stackreeve", ours, "Stackreeve", theirs, "stackreeve-applied", "d"), want(theirs, ours, "d", false)},
		"metadata: odd case alone":      {meta("STACKREEVE", ours), nil},
		"metadata: not an owner's text": {meta("stackreeve", "yes"), nil},
	} {
		if (tt.got == nil) != (tt.want == nil) || tt.got != nil && *tt.got != *tt.want {
			t.Errorf("%s: read as %v, want %v", name, tt.got, tt.want)
		}
	}
}

// Some databases do not distinguish a key of the mark from a key in other letters or with spaces.
// So manifests cannot contain such keys.
func TestAttackReservedKeys(t *testing.T) {
	for key, want := range map[string]bool{
		"stackreeve": true, "Stackreeve": true, "stackreeve ": true, "STACKREEVE-applied": true, "stackreeve-user-data": true,
		"stackreeves": false, "my-stackreeve": false, "": false,
	} {
		if got := ownertext.ReservedKey(key); got != want {
			t.Errorf("%q: reserved is %t", key, got)
		}
	}
}
