package report

import (
	"path"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
)

// longestTitle and longestMessage are the maximum lengths of an annotation's title and message, in characters.
const (
	longestTitle   = 300
	longestMessage = 2_000
)

// Annotate adds a note to the list, at the place where an object is written. It adds nothing if that place is unknown.
func Annotate(list []forge.Annotation, o manifest.Origin, note forge.Annotation) []forge.Annotation {
	if o.File == "" {
		return list
	}
	note.File, note.Line = o.File, max(o.Line, 1)
	note.Title, note.Message = printable.Shorten(Clean(note.Title), longestTitle), printable.Shorten(Clean(note.Message), longestMessage)
	return append(list, note)
}

// AnnotateProblem adds a note about a problem in a manifest.
func AnnotateProblem(list []forge.Annotation, p manifest.Problem, rule forge.Rule, level forge.Level) []forge.Annotation {
	text := p.What
	if p.Fix != "" {
		text += "; " + p.Fix
	}
	return Annotate(list, p.Origin, forge.Annotation{Rule: rule, Level: level, Title: subject(p), Message: text})
}

func subject(p manifest.Problem) string {
	var parts []string
	for _, text := range []string{p.Key.String(), p.Field} {
		if text != "" {
			parts = append(parts, text)
		}
	}
	if len(parts) == 0 {
		return "wrong manifest"
	}
	return strings.Join(parts, ": ")
}

// Annotations returns the findings as notes on lines of files.
func (v Validation) Annotations() (list []forge.Annotation) {
	for _, p := range v.Problems.Sorted() {
		list = AnnotateProblem(list, p, forge.RuleProblem, forge.Grave)
	}
	for _, p := range v.Notes {
		list = AnnotateProblem(list, p, forge.RuleNote, forge.Notice)
	}
	return list
}

// CodeQualityDoc is one finding in a Code Quality report of GitLab.
type CodeQualityDoc struct {
	Description string              `json:"description"`
	CheckName   string              `json:"check_name"`
	Fingerprint string              `json:"fingerprint"`
	Severity    string              `json:"severity"` // info, minor, major, critical or blocker
	Location    CodeQualityLocation `json:"location"`
}

// CodeQualityLocation is a line of a file. The path is from the root of the repository.
type CodeQualityLocation struct {
	Path  string           `json:"path"`
	Lines CodeQualityLines `json:"lines"`
}

// CodeQualityLines is the line where the finding begins.
type CodeQualityLines struct {
	Begin int `json:"begin"`
}

var severities = map[forge.Level]string{forge.Notice: "info", forge.Warning: "major", forge.Grave: "critical"}

// CodeQuality returns annotations as a Code Quality report. GitLab compares the fingerprints of two reports to find new findings. So a fingerprint
// does not contain the line, which moves with every other change of the file, nor the message.
func CodeQuality(list []forge.Annotation) []CodeQualityDoc {
	docs, seen := []CodeQualityDoc{}, map[string]int{}
	for _, a := range list {
		file := path.Clean(a.File)
		same := checksum.New("code quality")
		same.Add(string(a.Rule), file, a.Title)
		first := same.Sum().Text()
		same.Add(strconv.Itoa(seen[first]))
		seen[first]++
		docs = append(docs, CodeQualityDoc{
			Description: a.Title + ": " + a.Message, CheckName: "stackreeve/" + string(a.Rule), Fingerprint: same.Sum().Text(), Severity: severities[a.Level],
			Location: CodeQualityLocation{file, CodeQualityLines{a.Line}},
		})
	}
	return docs
}
