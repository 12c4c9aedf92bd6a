package comment

import (
	"fmt"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
)

// Drift is a difference between a stack and its cloud that no commit explains.
type Drift struct {
	Stack  string
	Commit string    // the commit that the cloud was last made equal to
	Since  time.Time // the time when the difference was found
	// Browser returns the addresses of the repository. It is the zero value if they are unknown.
	Browser forge.Browser
	// Corrected is true if the drift was corrected; otherwise it is only reported.
	Corrected bool
	Steps     []plan.Step
	// More is the number of further objects with drift. They are reported on no pull request, because there are too many files or pull requests.
	More int
	// Over is true if the drift was corrected later, or if a later commit explains it.
	Over bool
}

// Markdown returns the drift as a comment.
func (d Drift) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s: %s\n\n", code(d.Stack), d.summary())
	b.WriteString(d.about() + "\n\n")
	for _, s := range d.Steps {
		b.WriteString(d.step(s))
	}
	if strings.Contains(b.String(), "diff\n@@ ") {
		b.WriteString("In the diffs, red lines are the values that the cloud " + d.held() + " and green lines the values in the manifest.\n\n")
	}
	if !d.Over && !d.Corrected {
		b.WriteString(d.choice())
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func (d Drift) summary() string {
	n, were := len(d.Steps), "were"
	if n == 1 {
		were = "was"
	}
	things := report.Plural(n, "object")
	switch {
	case d.Over && n == 0:
		return "no drift any more"
	case d.Over:
		return "the drift of " + things + " is over"
	case d.Corrected:
		return things + " drifted and " + were + " put back"
	}
	return things + " drifted"
}

func (d Drift) about() string {
	text := "The cloud matches " + d.commit() + " again: the drift was corrected, or a new commit explains it."
	if !d.Over {
		text = "Somebody changed the cloud, and the cloud no longer matches " + d.commit() + ": no commit explains the difference."
		if d.Corrected {
			text += " The drift was corrected."
		} else {
			text += " The stack only reports drift: the cloud stays as it is until somebody acts."
		}
	}
	if !d.Since.IsZero() {
		text += " The drift was found at " + d.Since.UTC().Format(kind.TimeLayout) + "."
	}
	if d.More > 0 {
		text += " No pull request mentions " + report.Plural(d.More, "more object") + " that drifted, because there are too many."
	}
	return text
}

func (d Drift) commit() string {
	if d.Commit == "" {
		return "the repository"
	}
	return commit(d.Commit)
}

func (d Drift) held() string {
	if d.Corrected || d.Over {
		return "had"
	}
	return "has"
}

// step returns the text about one object with drift: the difference, the person who caused it, and the fields.
func (d Drift) step(s plan.Step) string {
	what := "changed in the cloud"
	if s.Vanished() {
		what = "deleted in the cloud"
	}
	if s.Trace != nil {
		what += traced(*s.Trace)
	}
	text := "**" + code(s.Key.String()) + "**" + placesOf(d.Browser, d.Commit, len(d.Steps)).after(s.Origin) + ": " + what + d.remedy(s) + "\n\n"
	if len(s.Changes) > 0 && !s.Vanished() {
		text += diff(s.Changes, s.Names) + "\n\n"
	}
	return text
}

// remedy returns the effects that the correction has in addition to those on the fields.
func (d Drift) remedy(s plan.Step) string {
	switch {
	case !d.Corrected:
		return ""
	case s.Vanished():
		return "; it was recreated"
	case s.Action == plan.Recreate:
		return "; it was " + prose(effectText(s))
	case s.Disruption() > kind.InPlace:
		return "; it was " + prose(effectText(plan.Step{Action: plan.Update, Comparison: plan.Comparison{Changes: s.Changes}}))
	}
	return "; the value of the manifest was restored"
}

// traced returns who changed the object, when, and in which way, as far as that is known.
func traced(t kind.Trace) string {
	if t == (kind.Trace{}) {
		return "; this cloud cannot say by whom and when"
	}
	text := ""
	if t.Who != "" {
		text += " by " + code(t.Who)
	}
	if !t.When.IsZero() {
		text += " at " + t.When.UTC().Format(kind.TimeLayout)
	}
	if t.What != "" {
		text += " (" + code(t.What) + ")"
	}
	if t.Who == "" {
		text += "; this cloud cannot say by whom"
	}
	return text
}

// choice returns the text about how people can react to drift that is only reported.
func (d Drift) choice() string {
	var gone, changed bool
	for _, s := range d.Steps {
		gone, changed = gone || s.Vanished(), changed || !s.Vanished()
	}
	text := "**To keep the present values of the cloud**, "
	switch {
	case gone && changed:
		text += "put these values (red) into the manifests, remove the manifests of the deleted objects, and merge the change."
	case gone:
		text += "remove the manifest from the repository, and merge the change."
	default:
		text += "put these values (red) into the manifests, and merge the change."
	}
	return text + " **To restore the values of the repository**, set the annotation `stackreeve.dev/drift: correct` on the object, or `sync.drift: correct` for the stack; or undo the change in the cloud by hand.\n"
}
