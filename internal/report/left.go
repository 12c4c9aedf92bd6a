package report

import (
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
)

// MaxLeft is the maximum number of ignored files and documents that are listed for people.
const MaxLeft = 10

// IgnoredFiles returns ignored files and documents of a commit, but only those that somebody may mistake for objects of the stack. It returns no more
// than most of them, and the number of the remaining ones.
func IgnoredFiles(all []manifest.Ignored, most int) (list []manifest.Ignored, more int) {
	list = slices.DeleteFunc(slices.Clone(all), func(i manifest.Ignored) bool { return i.Known })
	if len(list) > most {
		return list[:most], len(list) - most
	}
	return list, 0
}

func (t Text) ignoredFiles(all []manifest.Ignored) {
	most := MaxLeft
	if t.Verbose {
		most = len(all)
	}
	list, more := IgnoredFiles(all, most)
	if len(list) > 0 {
		fmt.Fprintln(t.W)
	}
	for _, i := range list {
		fmt.Fprintf(t.W, "ignored: %s: %s\n", i.Origin, printable.Line(i.Why))
	}
	if more > 0 {
		fmt.Fprintf(t.W, "ignored: %s more%s\n", Plural(more, "document"), t.flagged(" (-v names them)"))
	}
}

// RefusedText is about a collection that the cloud refuses to list, see [plan.Lists].
func RefusedText(reason string) string {
	return "not seen, because the cloud refuses the list and no manifest asks for one: " + reason
}

func leftDocs(all []manifest.Ignored) (docs []PassedOverDoc) {
	list, _ := IgnoredFiles(all, len(all))
	for _, i := range list {
		docs = append(docs, PassedOverDoc{i.Origin.File, i.Origin.Line, i.Why})
	}
	return docs
}
