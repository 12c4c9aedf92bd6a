package report

import (
	"fmt"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
)

// Shortage says by how much a quota is too small for a plan.
func Shortage(q preflight.Quota) string {
	return fmt.Sprintf("the quota for %s is too small: %s; raise it by %d, or ask for less", QuotaName(q.Resource), Usage(q), q.Short())
}

// QuotaName returns the name of a resource for people, such as "cores (compute)".
func QuotaName(r kind.Resource) string {
	if r.Type != "" {
		return fmt.Sprintf("%s of type %s (%s)", r.Name, r.Type, r.Service)
	}
	return fmt.Sprintf("%s (%s)", r.Name, r.Service)
}

// Monthly returns the cost of a plan for a month, such as "+€41.00 a month (730 hours)".
func Monthly(c *preflight.Cost) string {
	text := fmt.Sprintf("%s a month (%d hours)", c.Amount(), preflight.HoursOfMonth)
	if len(c.Unpriced) == 0 {
		return text
	}
	names := make([]string, len(c.Unpriced))
	for i, r := range c.Unpriced {
		names[i] = QuotaName(r)
	}
	return text + ", without these, which have no price: " + some(names)
}

// Usage returns a text about how much of a quota a plan needs, and how much is free.
func Usage(q preflight.Quota) string {
	text := fmt.Sprintf("the plan needs %d", q.Needed)
	if q.Freed > 0 {
		text += fmt.Sprintf(" and frees %d", q.Freed)
	}
	free, known := q.Free()
	switch {
	case !known:
		return text + fmt.Sprintf(", of a quota of %d; the free part is unknown", q.Limit)
	case q.Tight():
		return text + fmt.Sprintf(", %d of %d are free before the plan", free, q.Limit)
	}
	return text + fmt.Sprintf(", %d of %d are free", free, q.Limit)
}

// preflight writes the plan's requirements for the cloud. It always writes quotas that are too small, and the rest only in verbose mode.
func (t Text) preflight(f preflight.Findings) {
	for _, q := range f.Short() {
		fmt.Fprintf(t.W, "%s %s.\n", t.paint(yellow, "Warning:"), Clean(Shortage(q)))
	}
	for _, warning := range f.Warnings.Texts() {
		fmt.Fprintf(t.W, "%s %s.\n", t.paint(yellow, "Warning:"), Clean(warning))
	}
	if f.Cost != nil {
		fmt.Fprintf(t.W, "%s %s.\n", t.bold("Cost:"), Clean(Monthly(f.Cost)))
	}
	if !t.Verbose {
		return
	}
	for _, q := range f.Quotas {
		if q.Short() == 0 {
			fmt.Fprintf(t.W, "%s %s: %s.\n", t.dim("Quota:"), Clean(QuotaName(q.Resource)), Usage(q))
		}
	}
	for _, note := range f.Notes.Texts() {
		fmt.Fprintf(t.W, "%s %s.\n", t.dim("Note:"), Clean(note))
	}
}
