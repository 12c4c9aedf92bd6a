package report

import (
	"bytes"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

func finding(task forge.Task, result forge.Result) forge.Finding {
	return forge.Finding{Task: task, Result: result, Right: "scope api", Reason: "because\nof \x1b[31mthis"}
}

func TestForges(t *testing.T) {
	var views []ForgeView
	for _, task := range forge.Tasks() {
		if taskText[task] == "" {
			t.Errorf("%s has no words", task)
		}
	}
	for _, c := range []struct {
		add  forge.Result
		want plan.Outcome
	}{{forge.Works, plan.InSync}, {forge.NotTried, plan.InSync}, {forge.NotOffered, plan.InSync}, {forge.Missing, plan.OutOfSync}, {forge.NoAnswer, plan.Broken}} {
		views = append(views, ForgeView{
			Forge: "gitlab", URL: "https://gitlab.example.com", Repository: "acme/infra", Branch: "main", Stacks: []string{"one", "two"},
			Findings: []forge.Finding{finding(forge.TaskLogin, forge.Works), finding(forge.TaskWriteComments, c.add)},
		})
		if got := ForgeOutcome(views); got != c.want {
			t.Errorf("with %q: outcome %d; want %d", c.add, got, c.want)
		}
	}
	views = append(views, ForgeView{Forge: "file", URL: "/var/log/statuses", Stacks: []string{"one"}})
	var text, doc bytes.Buffer
	Text{W: &text}.Forges(views)
	golden(t, "forge.txt", text.String())
	if err := JSON(&doc, ForgeDocument(views[:1])); err != nil {
		t.Fatal(err)
	}
	golden(t, "forge.json", doc.String())
}
