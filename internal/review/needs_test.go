package review

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/report/comment"
)

// pulls parses open pull requests. "1:2,~3,=4,+5,x 2!" means number 1, and number 2 of a stranger. Number 1 names 2 and x, contains 3, is
// merged together with 4, and has the topic of 5. The head of number 1 is h1.
func pulls(text string) (list []forge.Pull, open map[int]forge.Pull) {
	open = map[int]forge.Pull{}
	bonds := map[byte]forge.Bond{'~': forge.Contained, '=': forge.Together, '+': forge.Related}
	for one := range strings.FieldsSeq(text) {
		name, names, _ := strings.Cut(one, ":")
		p := forge.Pull{Fork: strings.HasSuffix(name, "!")}
		_, _ = fmt.Sscan(name, &p.Number)
		p.Head, p.HeadRef = fmt.Sprint("h", p.Number), fmt.Sprint("r", p.Number)
		for need := range strings.SplitSeq(names, ",") {
			n := forge.Need{Bond: forge.Named}
			if bond, ok := bonds[(need + " ")[0]]; ok {
				n.Bond, need = bond, need[1:]
			}
			if _, err := fmt.Sscan(need, &n.Number); err != nil {
				n.Name = need
			}
			if n.Bond == forge.Contained {
				n.Commit = fmt.Sprint("h", n.Number)
			}
			if need != "" {
				p.Needs = append(p.Needs, n)
			}
		}
		list, open[p.Number] = append(list, p), p
	}
	return list, open
}

func TestNeeds(t *testing.T) {
	fates := map[comment.Fate]string{
		comment.Included: "", comment.Below: "~", comment.Outdated: "old ", comment.Foreign: "foreign ", comment.NotOpen: "closed ", comment.Circular: "circle ",
		comment.Strange: "strange ", comment.Singly: "topic ", comment.Beyond: "beyond ",
	}
	for text, want := range map[string]string{
		"1":                         "",
		"1:2 2":                     "2",
		"1:2,3 2:3 3":               "3 2",
		"1:3,2 2:3 3":               "3 2",
		"1:~2 2:3 3":                "3 ~2",
		"1:2 2:~3 3":                "~3 2",
		"1:2":                       "closed 2",
		"1:x,https://x":             "foreign x, foreign https://x",
		"1:x,x,2,2 2":               "foreign x, 2",
		"1:1":                       "circle 1",
		"1:2 2:1":                   "circle 2",
		"1:2 2:3 3:2":               "circle 2",
		"1:2,4 2:3 3:2 4":           "circle 2, 4",
		"1:2 2!:3 3":                "strange 2",
		"1:=2,=3 2:=1,=3 3:=1,=2":   "3, 2",
		"1:2,=2 2:=1":               "2",
		"1:+2 2:+1":                 "topic 2",
		"1:=2,+3,4 2:4 3 4":         "4, 2, topic 3",
		"1:2,3 2:+3 3":              "2, 3",
		"1:2,3 2:+3,+4 3 4":         "2, 3",
		"1:=2,3 2 3":                "3, 2",
		"1!:2,3 2 3!":               "2, strange 3",
		"1:2,3 2:~4 3:4 4:5,~6 5 6": "5, ~6, ~4, 2, 3",
	} {
		list, open := pulls(text)
		var got []string
		for _, n := range needsOf(list[0], open, func(p forge.Pull) bool { return !p.Fork }).list {
			name := n.Name
			if n.Number > 0 {
				name = fmt.Sprint(n.Number)
			}
			got = append(got, fates[n.Fate]+name)
		}
		if strings.Join(got, " ") != strings.ReplaceAll(want, ",", "") {
			t.Errorf("%s: %q; want %q", text, strings.Join(got, ", "), want)
		}
	}
}

// If a commit is below the head, its fate never says that the plan leaves it out.
func TestACommitBelowIsPlanned(t *testing.T) {
	for _, text := range []string{"1:~2 2!", "1:~2", "1:~2 2:1", "1:~2,3 2 3"} {
		list, open := pulls(text)
		for _, n := range needsOf(list[0], open, func(p forge.Pull) bool { return !p.Fork }).list {
			if n.Inside != (n.Number == 2) {
				t.Errorf("%s: %d is inside: %v", text, n.Number, n.Inside)
			}
		}
	}
}

// If a name has the same text as a number, it does not hide a change of the need with that number.
func TestAttackANameLikeANumber(t *testing.T) {
	list, open := pulls("1:=5 5")
	list[0].Needs = append([]forge.Need{{Name: "5", Bond: forge.Named}}, list[0].Needs...)
	got := needsOf(list[0], open, func(forge.Pull) bool { return true }).list
	if len(got) != 2 || got[0].Fate != comment.Foreign || got[1].Fate != comment.Included {
		t.Errorf("%+v", got)
	}
}

func TestAnOldCommitBelowIsNotPlannedWith(t *testing.T) {
	list, open := pulls("1:~2 2")
	list[0].Needs[0].Commit = "older"
	if got := needsOf(list[0], open, func(forge.Pull) bool { return true }).list; len(got) != 1 || got[0].Fate != comment.Outdated || got[0].Head != "" {
		t.Errorf("%+v", got)
	}
}

// There may be many needs, also in circles. Only a few are followed and included, and people see that there are more.
func TestAttackManyNeeds(t *testing.T) {
	for name, edges := range map[string]func(i int) string{
		"a chain":    func(i int) string { return fmt.Sprint(i + 1) },
		"each other": func(int) string { return "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21" },
		"a topic":    func(int) string { return "=1,=2,=3,=4,=5,=6,=7,=8,=9,=10,=11,=12,=13,=14,=15,=16,=17,=18,=19,=20,=21" },
		"not there":  func(i int) string { return strings.Repeat(fmt.Sprintf("%d,", i+900), 3) + "9001,9002,9003,9004" },
	} {
		var text []string
		for i := 1; i <= 300; i++ {
			text = append(text, fmt.Sprintf("%d:%s", i, edges(i)))
		}
		list, open := pulls(strings.Join(text, " "))
		for _, p := range list {
			got := needsOf(p, open, func(forge.Pull) bool { return true })
			refs, commits := got.included()
			if len(got.list) > forge.MaxNeeds || len(refs) > maxIncluded || len(refs) != len(commits) {
				t.Fatalf("%s: %d needs, %d of them planned", name, len(got.list), len(refs))
			}
			seen := map[int]bool{}
			for _, n := range got.list {
				if seen[n.Number] || n.Number == p.Number && n.Fate != comment.Circular {
					t.Fatalf("%s: %d needs %+v twice, or itself", name, p.Number, n)
				}
				seen[n.Number] = true
			}
			if name != "not there" && !got.more && !slices.ContainsFunc(got.list, func(n need) bool { return n.Fate == comment.Beyond || n.Fate == comment.Circular }) && p.Number < 280 {
				t.Fatalf("%s: nobody sees that %d needs more than %d", name, p.Number, len(got.list))
			}
		}
	}
}

// If a stranger names another dependency in each commit, the stranger still gets no more plans than for other pushes.
func TestAttackOtherNeedsInEachCommit(t *testing.T) {
	now := time.Now()
	before := lastPlan{head: "h1", begun: now, first: now, heads: maxHeads}
	j := job{pull: forge.Pull{Number: 1, Head: "h2", Fork: true}, needs: needs{list: []need{{Need: comment.Need{Name: "x"}}}}}
	if yes, _ := mustDo(j, before, true, now.Add(-time.Hour), now); yes {
		t.Error("it is planned")
	}
	j.pull.Head = "h1"
	if yes, _ := mustDo(j, before, true, now.Add(-time.Hour), now); !yes {
		t.Error("the needs of a planned commit have changed, and it is not planned again")
	}
}
