package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
)

// Changes writes what has changed since a stack was last checked, one line each with the time. It covers the commit, what is left to do, and
// the objects that the filter takes.
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
	if was, is := leftOf(before.Plan), leftOf(after.Plan); was != is {
		line("stack %s: %s", after.Plan.Stack, is)
	}
	had := map[status.Owner]string{}
	for _, o := range f.Of(before.Objects) {
		had[selfOf(o)] += outline(o)
	}
	for _, o := range f.Of(after.Objects) {
		was, known := had[selfOf(o)]
		delete(had, selfOf(o))
		if is := outline(o); !known || was != is {
			line("%s  %s", nameOf(o), is)
		}
	}
	for _, o := range f.Of(before.Objects) {
		if _, gone := had[selfOf(o)]; gone {
			delete(had, selfOf(o))
			line("%s  is no longer shown", nameOf(o))
		}
	}
	_, _ = io.WriteString(t.W, b.String()) // in one piece
}

// leftOf is what a plan has left to do.
func leftOf(p plan.Plan) string {
	if p.Held != nil {
		return sum(p) + " held: " + p.Held.String()
	}
	return sum(p)
}

// outline is an object's row of the table, without its name.
func outline(o status.Object) string {
	s := o.Status
	text := s.Ready + "  " + stateText(s) + "  " + addressText(s.Addresses)
	if s.Message != "" {
		text += "  " + s.Message
	}
	return text
}
