package comment

import (
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/report"
)

// ignoredFiles lists the files and documents of the commit that were ignored.
func (p Page) ignoredFiles() string {
	list, more := report.IgnoredFiles(p.Plan.Ignored, report.MaxLeft)
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	in := p.places()
	fmt.Fprintf(&b, "<details><summary>%s ignored</summary>\n\n", report.Plural(len(list)+more, "document"))
	for _, i := range list {
		b.WriteString("- " + in.code(i.Origin) + ": " + quote(i.Why) + "\n")
	}
	if more > 0 {
		fmt.Fprintf(&b, "- and %d more\n", more)
	}
	return b.String() + "\n</details>\n\n"
}

// refusedLists names the collections that the cloud refuses to list.
func (p Page) refusedLists() string {
	var b strings.Builder
	for _, reason := range p.Plan.Refused {
		b.WriteString("- " + quote(upperFirst(report.RefusedText(reason))) + "\n")
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	return b.String()
}
