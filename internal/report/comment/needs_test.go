package comment

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// The comment lists dependencies and their fates in plain words, also without a plan.
func TestNeeds(t *testing.T) {
	p := Page{Stack: "prod", Head: headCommit, Base: "main", MoreNeeds: true, Needs: []Need{
		{Number: 12, URL: "https://review.example.com/12", Head: headCommit, Fate: Included}, {Name: "https://x/`<b>`", Fate: Foreign}, {Number: 13, Fate: NotOpen}, {Number: 14, Fate: Strange, Inside: true},
	}}
	for _, p.Plan = range []*plan.Plan{nil, {}} {
		text := p.Markdown()
		lines := strings.Split(text[strings.Index(text, "#### Depends on"):], "\n")
		if len(lines) < 7 || lines[2] != "- 12 (`https://review.example.com/12`): "+string(Included) || lines[3] != "- `` https://x/`<b>` ``: "+string(Foreign)+"; the plan does not include it" || lines[4] != "- 13: "+string(NotOpen)+"; the plan does not include it" || lines[5] != "- 14: "+string(Strange)+"; a commit of it is part of this branch, and the plan includes that commit" {
			t.Errorf("%s", text)
		}
		if p.Plan != nil && !strings.Contains(text, "Merging 12 and "+commit(headCommit)+" into") {
			t.Errorf("%s", text)
		}
		for _, n := range p.Needs {
			if !harmless.MatchString(string(n.Fate)) {
				t.Errorf("%q", n.Fate)
			}
		}
	}
}
