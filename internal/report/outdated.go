package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/stackreeve/stackreeve/internal/outdated"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// OutdatedDoc is what a stack uses although something newer exists, for programs.
type OutdatedDoc struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Stack      string            `json:"stack"`
	Commit     string            `json:"commit"`
	ExitCode   int               `json:"exitCode"`
	Items      []OutdatedItemDoc `json:"items"`
	Unknown    []string          `json:"unknown,omitempty"`
}

// OutdatedItemDoc is one outdated thing. State is absent if the thing can be used as before.
type OutdatedItemDoc struct {
	Kind   string       `json:"kind"`
	Object string       `json:"object"`
	Used   VersionDoc   `json:"used"`
	Newer  []VersionDoc `json:"newer,omitempty"`
	State  string       `json:"state,omitempty"`
	Reason string       `json:"reason,omitempty"`
	Users  []string     `json:"users,omitempty"`
	Origin *OriginDoc   `json:"origin,omitempty"`
}

// VersionDoc is an object of the cloud, or a tag with its commit.
type VersionDoc struct {
	Name    string `json:"name,omitempty"`
	ID      string `json:"id,omitempty"`
	Created string `json:"created,omitempty"`
	Rule    string `json:"rule,omitempty"` // why it is newer
}

// Outdated returns the document for the findings about a stack, made with its plan.
func Outdated(p plan.Plan, found outdated.Findings) OutdatedDoc {
	doc := OutdatedDoc{APIVersion: "stackreeve.dev/v1alpha1", Kind: "Outdated", Stack: p.Stack, Commit: p.Commit, Items: []OutdatedItemDoc{}}
	for _, i := range found.Items {
		one := OutdatedItemDoc{Kind: i.Key.Kind, Object: i.Key.String(), Used: versionDoc(p.Secrets, i.Used, ""), State: string(i.State), Reason: p.Secrets.Text(i.Reason)}
		for _, n := range i.Newer {
			one.Newer = append(one.Newer, versionDoc(p.Secrets, n.Version, n.Rule))
		}
		for _, key := range i.Users {
			one.Users = append(one.Users, key.String())
		}
		if i.Origin.File != "" {
			one.Origin = &OriginDoc{i.Origin.File, i.Origin.Line}
		}
		doc.Items = append(doc.Items, one)
	}
	for _, text := range found.Unknown {
		doc.Unknown = append(doc.Unknown, p.Secrets.Text(text))
	}
	doc.ExitCode = int(doc.Outcome())
	return doc
}

func versionDoc(secrets *redact.Redactor, v outdated.Version, rule outdated.Rule) VersionDoc {
	doc := VersionDoc{Name: secrets.Text(v.Name), ID: secrets.Text(v.ID), Rule: string(rule)}
	if !v.Created.IsZero() {
		doc.Created = v.Created.UTC().Format(time.RFC3339)
	}
	return doc
}

// Outcome is how the command ends: differences if something is outdated, and an error if only the comparison failed.
func (d OutdatedDoc) Outcome() plan.Outcome {
	switch {
	case len(d.Items) > 0:
		return plan.OutOfSync
	case len(d.Unknown) > 0:
		return plan.Broken
	}
	return plan.InSync
}

// ruleTexts has the texts of the rules for people.
var ruleTexts = map[outdated.Rule]string{
	outdated.Pattern: "the newest that matches the pattern", outdated.SameName: "uploaded later with the same name", outdated.Number: "the same name with a greater number",
	outdated.Gone: "gone", outdated.Unusable: "not offered any more", outdated.Old: "old",
}

// maxUsers is how many users of an object are shown by name.
const maxUsers = 3

// Text writes the document for people, as a table.
func (d OutdatedDoc) Text(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if len(d.Items) > 0 {
		fmt.Fprintln(table, "OBJECT\tUSED\tNEWER\tWHY\tUSED BY")
	}
	for _, i := range d.Items {
		used, users := i.Used.text(), shortList(i.Users)
		if i.State != "" {
			fmt.Fprintf(table, "%s\t%s\t-\t%s\t%s\n", printable.Line(i.Object), used, printable.Line(ruleTexts[outdated.Rule(i.State)]+": "+i.Reason), users)
		}
		for _, n := range i.Newer {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", printable.Line(i.Object), used, n.text(), ruleTexts[outdated.Rule(n.Rule)], users)
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, text := range d.Unknown {
		fmt.Fprintf(w, "not compared: %s\n", printable.Line(text))
	}
	text := "nothing newer was found"
	switch n := len(d.Items); {
	case n == 1:
		text = "1 object is outdated"
	case n > 1:
		text = fmt.Sprintf("%d objects are outdated", n)
	}
	text = "stack " + d.Stack + ": " + text
	_, err := fmt.Fprintln(w, text)
	return err
}

// text is the name of a version, and when it was made.
func (v VersionDoc) text() string {
	name := v.Name
	if name == "" {
		name = v.ID
	}
	if day, _, dated := strings.Cut(v.Created, "T"); dated {
		name += " (" + day + ")"
	}
	if name == "" {
		return "-"
	}
	return printable.Line(name)
}

func shortList(names []string) string {
	switch n := len(names); {
	case n == 0:
		return "-"
	case n > maxUsers:
		return printable.Line(strings.Join(names[:maxUsers], ", ")) + fmt.Sprintf(" and %d more", n-maxUsers)
	}
	return printable.Line(strings.Join(names, ", "))
}
