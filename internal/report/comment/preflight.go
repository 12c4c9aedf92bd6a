package comment

import (
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/report"
)

// cost returns the text about the cost of merging.
func (p Page) cost() string {
	if p.Preflight.Cost == nil {
		return ""
	}
	return "**Cost:** " + prose(report.Monthly(p.Preflight.Cost)) + ".\n\n"
}

// maxQuotas is the maximum number of rows in the table of quotas.
const maxQuotas = 50

// quotas returns the text about the plan's use of limited quotas, folded.
func (p Page) quotas() string {
	f := p.Preflight
	if len(f.Quotas)+len(f.Notes) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("<details><summary>Quota</summary>\n\n")
	if len(f.Quotas) > 0 {
		b.WriteString("| | needed | freed | free | in all |\n|---|--:|--:|--:|--:|\n")
	}
	for i, q := range f.Quotas {
		if i == maxQuotas {
			fmt.Fprintf(&b, "\nand %d more\n", len(f.Quotas)-maxQuotas)
			break
		}
		b.WriteString(quotaRow(q))
	}
	for _, note := range f.Notes.Texts() {
		b.WriteString("\n" + quote(upperFirst(note)) + "\n")
	}
	return b.String() + "\n</details>\n\n"
}

func quotaRow(q preflight.Quota) string {
	free := "?"
	if n, known := q.Free(); known {
		free = fmt.Sprint(n)
	}
	if q.Short() > 0 {
		free = "**" + free + "**"
	}
	return fmt.Sprintf("| %s | %d | %d | %s | %d |\n", quotaName(q), q.Needed, q.Freed, free, q.Limit)
}

// quotaName returns the name of a quota. The name is safe in a row of a table.
func quotaName(q preflight.Quota) string {
	return strings.ReplaceAll(quote(report.QuotaName(q.Resource)), "|", "\\|")
}

// shortages returns the reasons why the plan as a whole cannot be carried out.
func (p Page) shortages() (list []string) {
	for _, q := range p.Preflight.Short() {
		list = append(list, prose(upperFirst(report.Shortage(q)))+".")
	}
	for _, warning := range p.Preflight.Warnings.Texts() {
		list = append(list, quote(warning))
	}
	return list
}

func upperFirst(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
