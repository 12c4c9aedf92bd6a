package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/status"
)

// Changes writes the changes since a stack was last checked, one line each with the time. They are changes of the commit, of the steps that are
// left, and of the objects that the filter selects.
func (t StatusText) Changes(before, after StatusView, f StatusFilter, now time.Time) {
	var b strings.Builder
	line := func(format string, args ...any) {
		b.WriteString(now.Format(time.DateTime) + "  " + t.fitted(Clean(fmt.Sprintf(format, args...)), 21) + "\n")
	}
	if before.Rev.Commit != after.Rev.Commit {
		rev := after.Rev
		rev.Subject = after.Plan.Secrets.Text(rev.Subject)
		line("%s", heading(after.Plan.Stack, rev))
	}
	if was, is := remainingText(before), remainingText(after); was != is {
		line("stack %s: %s", after.Plan.Stack, is)
	}
	had := map[status.Owner]string{}
	for _, o := range f.Select(before.Objects) {
		had[selfOf(o)] += outline(o)
	}
	for _, o := range f.Select(after.Objects) {
		was, known := had[selfOf(o)]
		delete(had, selfOf(o))
		if is := outline(o); !known || was != is {
			line("%s  %s", nameOf(o), is)
		}
	}
	for _, o := range f.Select(before.Objects) {
		if _, gone := had[selfOf(o)]; gone {
			delete(had, selfOf(o))
			line("%s  is no longer shown", nameOf(o))
		}
	}
	_, _ = io.WriteString(t.W, b.String()) // one write, so that other output does not interrupt it
}

// remainingText returns a text about the steps that are left.
func remainingText(v StatusView) string {
	if v.Plan.Held != nil {
		return objectsText(v) + " held: " + v.Plan.Held.String()
	}
	return objectsText(v)
}

func objectsText(v StatusView) string {
	if v.Unverified != "" {
		return "not read, because the revision is not verified"
	}
	return sum(v.Plan)
}

// outline returns the row of an object in the table, without its name.
func outline(o status.Object) string {
	s := o.Status
	text := s.Ready + "  " + stateText(s) + "  " + addressText(s.Addresses)
	if s.Message != "" {
		text += "  " + s.Message
	}
	return text
}
