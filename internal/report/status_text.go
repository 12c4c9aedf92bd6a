package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/status"
)

// StatusText writes the status of stacks for people.
type StatusText struct {
	Text
	// Width is the width of the terminal in characters. If it is 0, nothing is cut.
	Width int
	// Wide also shows IDs.
	Wide bool
	// Depth is the number of levels that are shown: 1 means objects without their parts, and 0 means all levels.
	Depth int
}

// Stack writes the status of a stack, and a table of the objects that the filter selects.
func (t StatusText) Stack(v StatusView, f StatusFilter) {
	var b strings.Builder
	t.header(&b, v)
	if shown := f.Select(v.Objects); len(shown) > 0 {
		b.WriteString("\n" + t.table(t.rows(shown)))
		if n := len(v.Objects) - len(shown); n > 0 {
			fmt.Fprintf(&b, "\n%s shown, %d hidden by the filter\n", Plural(len(shown), "object"), n)
		}
	} else if len(v.Objects) > 0 {
		fmt.Fprintf(&b, "\nNo object matches (of %d).\n", len(v.Objects))
	}
	_, _ = io.WriteString(t.W, b.String()) // one write, so that other output does not interrupt it
}

func (t StatusText) header(b *strings.Builder, v StatusView) {
	p, show := v.Plan, func(text string) string { return Clean(v.Plan.Secrets.Text(text)) }
	line := func(label, text string) {
		if text != "" {
			fmt.Fprintf(b, "  %s %s\n", t.dim(fmt.Sprintf("%-10s", label+":")), t.fitted(text, 13))
		}
	}
	rev := v.Rev
	rev.Subject = p.Secrets.Text(rev.Subject)
	b.WriteString(t.bold(t.fitted(Clean(heading(p.Stack, rev)), 0)) + "\n")
	if v.Rev.Author != "" {
		line("commit", show(v.Rev.Author)+", "+v.Rev.Time.UTC().Format("2006-01-02 15:04 UTC"))
	}
	line("signed", show(v.Rev.Signed.String()))
	if v.Unverified != "" {
		line("signed", show("not as the configuration wants: "+v.Unverified))
	}
	cloud := v.Cloud
	if v.Region != "" {
		cloud += ", region " + v.Region
	}
	line("cloud", Clean(cloud))
	if v.Agent != nil {
		line("agent", show(v.Agent.String()))
	}
	if v.Agent == nil || v.Agent.Error != "" || v.LastPass != nil {
		line("last pass", t.lastPass(v))
	}
	line("objects", objectsText(v))
	line("states", stateCounts(v))
	for _, reason := range p.Unlisted {
		line("not seen", Clean(reason))
	}
	for _, reason := range p.Refused {
		line("refused", Clean("the list of "+reason))
	}
	if p.Suspended != "" {
		line("suspended", Clean(p.Suspended)+"; nothing is carried out")
	}
	if p.Held != nil {
		line("held", Clean(p.Held.String()))
	}
	if v.Agent != nil && v.Agent.Hash != "" {
		fmt.Fprintf(b, "  To have the agent carry out the plan that it holds:\n    stackreeve approve %s %s\n", p.Stack, v.Agent.Hash)
	} else if p.Held != nil {
		fmt.Fprintf(b, "  To carry out exactly this plan (%s):\n    %s %s\n", p.Hash(), Clean(t.Approve), p.Hash())
	}
}

func (t StatusText) lastPass(v StatusView) string {
	if v.LastPass != nil {
		return Clean(v.LastPass.State + ": " + v.Plan.Secrets.Text(v.LastPass.Description))
	}
	return "not known (" + Clean(cmp.Or(v.WhyUnknown, "no forge is configured")) + "); this check: " + v.Outcome().String()
}

// stateCounts returns the number of the plan's objects in each state, or "" if all of them are in sync.
func stateCounts(v StatusView) string {
	counts := v.doc().States
	if len(counts) == 0 || len(counts) == 1 && counts[string(status.StateInSync)] > 0 {
		return ""
	}
	var parts []string
	for state, n := range counts {
		parts = append(parts, strconv.Itoa(n)+" "+Clean(state))
	}
	slices.SortFunc(parts, func(a, b string) int {
		m, _, _ := strings.Cut(a, " ")
		n, _, _ := strings.Cut(b, " ")
		return cmp.Or(cmp.Compare(len(n), len(m)), strings.Compare(n, m), strings.Compare(a, b)) // the largest number first
	})
	return strings.Join(parts, ", ")
}

// rows returns the cells of a table.
func (t StatusText) rows(list []status.Object) [][]string {
	rows := [][]string{{"OBJECT", "READY", "STATE", "ADDRESSES", "ID", "MESSAGE"}}
	branches := grown(list)
	if !t.Verbose {
		branches = folded(branches, t.Depth)
	}
	for _, b := range branches {
		rows = append(rows, b.rows(0)...)
	}
	if !t.Wide {
		rows = withoutColumn(rows, slices.Index(rows[0], "ID"))
	}
	return rows
}

// selfOf and ownerOf return owners that contain the namespace, so that owners with the same name in different namespaces and stacks differ.
func selfOf(o status.Object) status.Owner {
	return status.Owner{APIVersion: o.APIVersion, Kind: o.Kind, Name: o.Metadata.Namespace + "/" + o.Metadata.Name}
}

func ownerOf(o status.Object) (owner status.Owner, ok bool) {
	if len(o.Metadata.OwnerReferences) == 0 {
		return owner, false
	}
	owner = o.Metadata.OwnerReferences[0]
	owner.Name = o.Metadata.Namespace + "/" + owner.Name
	return owner, true
}

func stateText(s status.Status) string {
	text := string(s.State)
	if s.WaitsFor != "" && s.State == status.StateWaiting {
		text += " for " + s.WaitsFor
	}
	return Clean(text)
}

// addressText returns the first few addresses of an object.
func addressText(list []string) string {
	const most = 3
	if len(list) == 0 {
		return "-"
	}
	text := strings.Join(list[:min(most, len(list))], ", ")
	if more := len(list) - most; more > 0 {
		text += fmt.Sprintf(" +%d", more)
	}
	return Clean(text)
}
