package servergroup

import (
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// keepSuffix is the end of a group's name if the group stays when its manifest is removed.
const keepSuffix = " keep"

func marked(name string, m kind.Mark, _, _ string) string {
	if m.Owner == "" {
		return name
	}
	name += " " + mark.Text(m)
	if m.Keep {
		name += keepSuffix
	}
	return name
}

// unmarked splits a name into the user's part and the owner mark that follows it.
func unmarked(name string) (user string, c mark.Claim) {
	before, keep := strings.CutSuffix(name, keepSuffix)
	at := strings.LastIndex(before, " [")
	if at < 0 {
		return name, c
	}
	found := mark.InText(before[at+1:])
	if found == nil {
		return name, c
	}
	user = before[:at]
	return user, mark.Claim{Mark: mark.Claimed(append(ownertext.In(user), found.Owner), kind.Mark{Applied: found.Applied, Keep: keep})}
}

func validate(s *Spec, r *kind.Report) {
	if s.Rules != nil && s.Rules.MaxServerPerHost > 0 && s.Policy != "anti-affinity" {
		r.Problem("spec.resource.rules.maxServerPerHost", "is given with the policy "+s.Policy, "use it with anti-affinity, or remove it")
	}
}

// noteKeep adds a note if the group's name and its manifest disagree on whether the group
// stays when the manifest is removed.
func noteKeep(w typed.Want[Spec], have *state, c *kind.Changes) {
	if have.Mark != nil && have.Mark.Keep != w.Mark.Keep {
		c.Note("metadata.annotations", "was added after the group was created, and Nova cannot store it: "+ending(have.Mark.Keep)+"; to change that, delete the group and have it recreated")
	}
}

func ending(keep bool) string {
	if keep {
		return "the group stays when its manifest is removed"
	}
	return "the group is deleted with its manifest"
}

// match compares the filter's name with the group's name, both with and without the mark.
func match(f *Filter, s *state) bool {
	return table.Is(f.Name, s.Name) || table.Is(f.Name, table.Or(s.Spec.Name, ""))
}

func writeRules(w typed.Want[Spec], _ *table.Object[Spec, More], body map[string]any) {
	if w.Spec.Rules != nil && w.Spec.Rules.MaxServerPerHost > 0 {
		body["rules"] = map[string]any{"max_server_per_host": w.Spec.Rules.MaxServerPerHost}
	}
}

// export writes an import for a group that no stack made, because such a group cannot have
// a mark.
func export(s *state, _ *Spec, e *kind.Export) {
	if s.Mark == nil {
		e.ImportOnly = "cannot be adopted, because Nova cannot add a mark to a server group"
	}
}

// perHost returns how many members may share a host; 0 means any number. hard is false if the scheduler only prefers that.
func perHost(s *Spec) (n int, hard bool) {
	switch s.Policy {
	case "anti-affinity":
		return max(1, table.Or(s.Rules, Rules{}).MaxServerPerHost), true
	case "soft-anti-affinity":
		return 1, false
	}
	return 0, false
}
