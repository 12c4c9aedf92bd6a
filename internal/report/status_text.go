package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// StatusText writes the status of stacks for people.
type StatusText struct {
	Text
	// Width is the terminal's, in characters; 0 where nothing is cut.
	Width int
}

// Stack writes what is known of a stack, and a table of the objects that the filter
// takes.
func (t StatusText) Stack(v StatusView, f StatusFilter) {
	var b strings.Builder
	t.header(&b, v)
	if shown := f.Of(v.Objects); len(shown) > 0 {
		b.WriteString("\n" + t.table(statusRows(shown)))
		if n := len(v.Objects) - len(shown); n > 0 {
			fmt.Fprintf(&b, "\n%s shown, %d left out by the filter\n", Plural(len(shown), "object"), n)
		}
	} else if len(v.Objects) > 0 {
		b.WriteString("\nThe filter takes none of the " + Plural(len(v.Objects), "object") + ".\n")
	}
	_, _ = io.WriteString(t.W, b.String()) // in one piece
}

func (t StatusText) header(b *strings.Builder, v StatusView) {
	p, show := v.Plan, func(text string) string { return Clean(v.Plan.Redact(text)) }
	line := func(label, text string) {
		if text != "" {
			fmt.Fprintf(b, "  %s %s\n", t.dim(fmt.Sprintf("%-10s", label+":")), t.fitted(text, 13))
		}
	}
	b.WriteString(t.bold(t.fitted(show(heading(p.Stack, v.Rev)), 0)) + "\n")
	if v.Rev.Author != "" {
		line("commit", show(v.Rev.Author)+", "+v.Rev.Time.UTC().Format("2006-01-02 15:04 UTC"))
	}
	cloud := show(v.Cloud)
	if v.Region != "" {
		cloud += ", region " + show(v.Region)
	}
	line("cloud", cloud)
	line("last pass", t.lastPass(v))
	line("objects", sum(p))
	line("states", tally(v))
	for _, reason := range p.Unlisted {
		line("not seen", Clean(reason))
	}
	if p.Suspended != "" {
		line("suspended", Clean(p.Suspended)+"; nothing is carried out")
	}
	if p.Held != "" {
		line("held", Clean(p.Held))
		fmt.Fprintf(b, "  To carry out exactly this plan (%s):\n    %s %s\n", p.Hash(), Clean(t.Approve), p.Hash())
	}
}

func (t StatusText) lastPass(v StatusView) string {
	if v.LastPass != nil {
		return Clean(v.Plan.Redact(v.LastPass.State + ": " + v.LastPass.Description))
	}
	return "not known (" + Clean(cmp.Or(v.WhyUnknown, "no forge is configured")) + "); this check: " + v.Plan.Outcome().String()
}

// tally counts the states of the objects that the plan counts, "" when all of them
// are in sync.
func tally(v StatusView) string {
	counts := v.doc().States
	if len(counts) == 0 || len(counts) == 1 && counts[string(plan.StateInSync)] > 0 {
		return ""
	}
	var parts []string
	for state, n := range counts {
		parts = append(parts, strconv.Itoa(n)+" "+Clean(state))
	}
	slices.SortFunc(parts, func(a, b string) int {
		m, _, _ := strings.Cut(a, " ")
		n, _, _ := strings.Cut(b, " ")
		return cmp.Or(cmp.Compare(len(n), len(m)), strings.Compare(n, m), strings.Compare(a, b)) // the most first
	})
	return strings.Join(parts, ", ")
}

// statusRows are the cells of a table: what an object consists of stands below it.
func statusRows(list []plan.ObjectStatus) [][]string {
	rows := [][]string{{"OBJECT", "AVAILABLE", "STATE", "ADDRESSES", "ID", "MESSAGE"}}
	walkStatuses(list, func(depth int, o plan.ObjectStatus) {
		rows = append(rows, []string{
			strings.Repeat("  ", depth) + nameOf(o), Clean(o.Status.Conditions[0].Status), stateText(o.Status), addressText(o.Status.Addresses),
			cmp.Or(Clean(o.Status.ID), "-"), Clean(o.Status.Message),
		})
	})
	return rows
}

// walkStatuses visits objects, each before what it consists of. What comes from an
// object that is not in the list stands by itself.
func walkStatuses(list []plan.ObjectStatus, visit func(depth int, o plan.ObjectStatus)) {
	there := map[plan.StatusOwner]bool{}
	for _, o := range list {
		there[selfOf(o)] = true
	}
	parts := map[plan.StatusOwner][]plan.ObjectStatus{}
	var roots []plan.ObjectStatus
	for _, o := range list {
		if owner, ok := ownerOf(o); ok && there[owner] {
			parts[owner] = append(parts[owner], o)
		} else {
			roots = append(roots, o)
		}
	}
	var walk func(depth int, o plan.ObjectStatus)
	walk = func(depth int, o plan.ObjectStatus) {
		visit(depth, o)
		self := selfOf(o)
		below := parts[self]
		delete(parts, self) // a copy of the object has them not again
		for _, part := range below {
			walk(depth+1, part)
		}
	}
	for _, o := range roots {
		walk(0, o)
	}
}

// selfOf and ownerOf distinguish owners of the same name in different namespaces, and
// stacks, apart.
func selfOf(o plan.ObjectStatus) plan.StatusOwner {
	return plan.StatusOwner{APIVersion: o.APIVersion, Kind: o.Kind, Name: o.Metadata.Namespace + "/" + o.Metadata.Name}
}

func ownerOf(o plan.ObjectStatus) (owner plan.StatusOwner, ok bool) {
	if len(o.Metadata.OwnerReferences) == 0 {
		return owner, false
	}
	owner = o.Metadata.OwnerReferences[0]
	owner.Name = o.Metadata.Namespace + "/" + owner.Name
	return owner, true
}

func stateText(s plan.Status) string {
	text := string(s.State)
	if s.WaitsFor != "" && s.State == plan.StateWaiting {
		text += " for " + s.WaitsFor
	}
	return Clean(text)
}

// addressText is the first few of an object's addresses.
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
