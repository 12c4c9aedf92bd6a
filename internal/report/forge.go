package report

import (
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// ForgeView is the result of checking the credentials for one repository on a forge.
type ForgeView struct {
	Forge      string          `json:"forge"` // the field of spec.report
	URL        string          `json:"url"`
	Repository string          `json:"repository,omitempty"`
	Branch     string          `json:"branch,omitempty"`
	Stacks     []string        `json:"stacks"`
	Findings   []forge.Finding `json:"findings"`
}

// ForgeDoc contains the views as a document for programs. docs/json.md describes it.
type ForgeDoc struct {
	APIVersion string      `json:"apiVersion"`
	Kind       string      `json:"kind"`
	ExitCode   int         `json:"exitCode"`
	Forges     []ForgeView `json:"forges"`
}

// ForgeDocument returns the views as a document.
func ForgeDocument(views []ForgeView) ForgeDoc {
	return ForgeDoc{"stackreeve.dev/v1alpha1", "ForgeCheck", int(ForgeOutcome(views)), append([]ForgeView{}, views...)}
}

// ForgeOutcome returns the outcome of a command that shows the views. A missing right is a difference, and a forge without an answer is an error.
func ForgeOutcome(views []ForgeView) plan.Outcome {
	outcome := plan.InSync
	for _, v := range views {
		for _, f := range v.Findings {
			switch f.Result {
			case forge.NoAnswer:
				return plan.Broken
			case forge.Missing:
				outcome = plan.OutOfSync
			case forge.Works, forge.NotOffered, forge.NotTried:
			}
		}
	}
	return outcome
}

// taskText contains a description of each task.
var taskText = map[forge.Task]string{
	forge.TaskLogin:         "log in",
	forge.TaskRepository:    "read the repository",
	forge.TaskClone:         "fetch the branch with Git",
	forge.TaskPulls:         "list pull requests",
	forge.TaskComments:      "read comments",
	forge.TaskWriteComments: "write comments",
	forge.TaskPeople:        "ask who may change the branch",
	forge.TaskHistory:       "find who changed a file last",
	forge.TaskStatuses:      "read statuses",
	forge.TaskWriteStatuses: "write statuses",
	forge.TaskVote:          "vote",
	forge.TaskChecks:        "write check runs",
	forge.TaskWebhooks:      "know the secret of webhooks",
}

var resultColor = map[forge.Result]color{forge.Works: green, forge.Missing: red, forge.NotOffered: cyan, forge.NotTried: yellow, forge.NoAnswer: red}

// Forges writes a table for each view. The reason is the last column, because it can be long.
func (t Text) Forges(views []ForgeView) {
	for i, v := range views {
		if i > 0 {
			fmt.Fprintln(t.W)
		}
		where := Clean(v.URL)
		if v.Repository != "" {
			where = Clean(v.Repository) + " at " + where
		}
		if v.Branch != "" {
			where += ", branch " + Clean(v.Branch)
		}
		fmt.Fprintf(t.W, "%s; stacks: %s\n", t.bold(v.Forge+": "+where), Clean(strings.Join(v.Stacks, ", ")))
		rows := [][]string{{"TASK", "RESULT", "RIGHT", "REASON"}}
		for _, f := range v.Findings {
			rows = append(rows, []string{taskText[f.Task], string(f.Result), f.Right, printable.Line(f.Reason)})
		}
		t.forgeRows(rows)
	}
}

func (t Text) forgeRows(rows [][]string) {
	widths := columnWidths(rows)
	for n, row := range rows {
		fmt.Fprintln(t.W, padded(row, widths, func(i int, cell string) string {
			switch {
			case n == 0:
				return t.bold(cell)
			case i == 1:
				return t.paint(resultColor[forge.Result(cell)], cell)
			}
			return cell
		}))
	}
}
