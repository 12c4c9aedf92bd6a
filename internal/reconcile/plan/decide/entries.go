package decide

import (
	"errors"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// entryChange returns a change if the entry of the manifest does not show the object, because it was created through another entry. The
// change replaces the object.
func (w worldReader) entryChange(d *kind.Desired, have *kind.Live) []kind.Change {
	if have.SeenBy(d.Entry) != nil {
		return nil
	}
	return []kind.Change{{Field: resolve.CloudField, Have: entryName(have.Entry), Want: entryName(d.Entry), Disruption: kind.Replace}}
}

// mayExistInOtherEntry says why d may exist in the cloud although no entry shows it; zero if it does not exist. Its manifest may have named
// another entry before, whose list is unknown now:
//
//	the other entry                                 d is created
//	----------------------------------------------  ----------------------------
//	offers no such service                          yes
//	could not log in                                yes, unless d was seen before and
//	                                                the agent has not deleted it
//	may not list d's kind, or its list failed       no
func (w worldReader) mayExistInOtherEntry(d *kind.Desired) cause.Cause {
	for _, part := range w.Have[d.Key.Kind].Parts {
		switch {
		case part.Err == nil || part.Entry == d.Entry || errors.Is(part.Err, kind.ErrNoService):
		case part.Closed && w.KnownIDs[d.Key.String()] == "":
		default:
			return cause.Of(cause.PerhapsThrough, entryName(part.Entry), part.Err.Error())
		}
	}
	return cause.Cause{}
}

// incompleteMessages returns messages about the entries that are logged in and could not list all their objects.
func (w worldReader) incompleteMessages() (out []string) {
	for _, name := range w.KindNames {
		for _, part := range w.Have[name].Parts {
			if part.Err != nil && !part.Refused && !part.Closed && !errors.Is(part.Err, kind.ErrNoService) {
				out = append(out, name+": "+entryPrefix(part.Entry)+part.Err.Error())
			}
		}
	}
	return out
}

// refusedMessages returns messages about the collections of the main entry that are refused and excused. The rare kinds are not among them, because
// most users may not list them.
func (w worldReader) refusedMessages() (out []string) {
	for _, name := range w.KindNames {
		c := w.Have[name]
		for _, part := range append([]kind.Shown{{Err: c.Err, Refused: c.Refused}}, c.Parts...) {
			if part.Refused && part.Entry == "" && !w.KindOf[name].Info.Seldom() {
				out = append(out, name+": "+requestID.Regexp().ReplaceAllString(part.Err.Error(), ""))
			}
		}
	}
	return out
}

// requestID matches the ID of a request in an error. The ID differs each time, and a report is written only if it differs from the last one.
var requestID = pattern.Of(` \(req-[0-9a-f-]{36}\)`)

// loginMessages returns messages about the entries that could not log in.
func (w worldReader) loginMessages() (out []string) {
	for _, name := range w.KindNames {
		for _, part := range w.Have[name].Parts {
			if line := entryPrefix(part.Entry); part.Closed && !slices.ContainsFunc(out, func(s string) bool { return strings.HasPrefix(s, line) }) {
				out = append(out, line+part.Err.Error())
			}
		}
	}
	return out
}

// entryName is the name of an entry in messages.
func entryName(entry string) string {
	if entry == "" {
		return "the main entry"
	}
	return "entry " + entry
}

// entryPrefix is the beginning of a message about an entry; "" for the main one.
func entryPrefix(entry string) string {
	if entry == "" {
		return ""
	}
	return entryName(entry) + ": "
}
