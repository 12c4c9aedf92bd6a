package report

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"path"
	"strings"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
)

// Validation is the result of checking manifests, or a configuration, without a cloud.
type Validation struct {
	Paths    []string // the paths as they were given
	Objects  int      // the number of objects in manifests
	Stacks   int      // the number of stacks in configurations
	Problems manifest.Problems
	Notes    []manifest.Problem // about things that are allowed, but that people should know
	Ignored  []manifest.Ignored
}

// ValidationDoc is a validation for programs. New versions may add fields, but never rename or remove any.
type ValidationDoc struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Paths      []string        `json:"paths"`
	Objects    int             `json:"objects"`
	Stacks     int             `json:"stacks"`
	Problems   []FindingDoc    `json:"problems"`
	Notes      []FindingDoc    `json:"notes"`
	Ignored    []PassedOverDoc `json:"ignored"`
}

// FindingDoc is a problem or a note. Object is Kind/name, or "" if unknown. Line is 0 if the finding is about the whole file.
type FindingDoc struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Object  string `json:"object,omitempty"`
	Field   string `json:"field,omitempty"`
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty"`
}

// PassedOverDoc is a file or document that was ignored.
type PassedOverDoc struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Reason string `json:"reason"`
}

// Document returns the validation for programs.
func (v Validation) Document() ValidationDoc {
	doc := ValidationDoc{APIVersion: "stackreeve.dev/v1alpha1", Kind: "Validation", Paths: v.Paths, Objects: v.Objects, Stacks: v.Stacks,
		Problems: findings(v.Problems.Sorted()), Notes: findings(v.Notes), Ignored: []PassedOverDoc{}}
	for _, i := range v.Ignored {
		doc.Ignored = append(doc.Ignored, PassedOverDoc{i.Origin.File, i.Origin.Line, i.Why})
	}
	return doc
}

func findings(problems []manifest.Problem) []FindingDoc {
	list := []FindingDoc{}
	for _, p := range problems {
		list = append(list, FindingDoc{p.Origin.File, p.Origin.Line, p.Key.String(), p.Field, p.What, p.Fix})
	}
	return list
}

// Text writes for people. Ignored files and notes are first. Then the problems follow, or the number of objects if there are no problems.
func (v Validation) Text(out, err io.Writer) {
	for _, i := range v.Ignored {
		fmt.Fprintf(err, "ignored: %s: %s\n", i.Origin, printable.Line(i.Why))
	}
	for _, n := range v.Notes {
		fmt.Fprintf(err, "note: %s\n", n)
	}
	if len(v.Problems) > 0 {
		Text{W: err}.Problems(v.Problems)
		return
	}
	names := make([]string, len(v.Paths))
	for i, p := range v.Paths {
		names[i] = printable.Name(p)
	}
	const most = 5
	if more := len(names) - most; more > 0 {
		names = append(names[:most], fmt.Sprintf("and %d more", more))
	}
	counts := Plural(v.Objects, "object")
	switch {
	case v.Stacks > 0 && v.Objects > 0:
		counts += ", " + Plural(v.Stacks, "stack")
	case v.Stacks > 0:
		counts = Plural(v.Stacks, "stack")
	}
	fmt.Fprintf(out, "%s: %s, no problems\n", strings.Join(names, " "), counts)
}

// Workflow writes each finding as a command that GitHub, Gitea and Forgejo show beside its line. w must let such commands through.
func (v Validation) Workflow(w io.Writer) {
	for _, p := range v.Problems.Sorted() {
		workflow(w, "error", p)
	}
	for _, p := range v.Notes {
		workflow(w, "notice", p)
	}
}

// A value in a command ends at a comma, a property at a colon, and the command at the end of the line. (github.com/actions/toolkit:
// packages/core/src/command.ts)
var (
	workflowText     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	workflowProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func workflow(w io.Writer, command string, p manifest.Problem) {
	properties := "file=" + workflowProperty.Replace(printable.Line(p.Origin.File)) + ",line=" + fmt.Sprint(max(p.Origin.Line, 1))
	if title := p.Key.String(); title != "" {
		properties += ",title=" + workflowProperty.Replace(printable.Line(title))
	}
	fmt.Fprintf(w, "::%s %s::%s\n", command, properties, workflowText.Replace(message(p)))
}

// message returns a problem without its place.
func message(p manifest.Problem) string {
	p.Origin = manifest.Origin{}
	return p.String()
}

// SARIF returns the validation as a log of the Static Analysis Results Interchange Format, version 2.1.0. (docs.oasis-open.org/sarif/sarif/v2.1.0,
// sections 3.13 to 3.30)
func (v Validation) SARIF(program, version string) any {
	type object = map[string]any
	results := []object{}
	add := func(level, rule string, p manifest.Problem) {
		place := object{"artifactLocation": object{"uri": reference(p.Origin.File)}}
		if p.Origin.Line > 0 {
			place["region"] = object{"startLine": p.Origin.Line}
		}
		result := object{"ruleId": rule, "level": level, "message": object{"text": message(p)}, "locations": []object{{"physicalLocation": place}}}
		if name := cmp.Or(p.Key.String(), p.Field); name != "" {
			result["locations"].([]object)[0]["logicalLocations"] = []object{{"fullyQualifiedName": strings.Trim(p.Key.String()+": "+p.Field, ": ")}}
		}
		results = append(results, result)
	}
	for _, p := range v.Problems.Sorted() {
		add("error", string(forge.RuleProblem), p)
	}
	for _, p := range v.Notes {
		add("note", string(forge.RuleNote), p)
	}
	rules := []object{
		{"id": forge.RuleProblem, "shortDescription": object{"text": "The manifest is wrong: nothing of its stack is applied"}},
		{"id": forge.RuleNote, "shortDescription": object{"text": "The manifest is applied, but you should read this"}},
	}
	return object{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []object{{
			"tool":    object{"driver": object{"name": program, "version": version, "rules": rules}},
			"results": results, "columnKind": "unicodeCodePoints",
		}},
	}
}

// reference returns a file as a URI reference. It is relative to the repository unless the path is absolute.
func reference(file string) string {
	if path.IsAbs(file) {
		return (&url.URL{Scheme: "file", Path: file}).String()
	}
	return (&url.URL{Path: path.Clean(file)}).String()
}
