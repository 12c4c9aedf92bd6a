package inspect_test

import (
	"context"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/forgetest"
	"github.com/stackreeve/stackreeve/internal/forge/gerrit"
)

func onGerrit(t *testing.T, g *forgetest.Gerrit, password, project, label string) forge.Forge {
	t.Helper()
	r, err := gerrit.New(gerrit.Config{
		URL: g.URL, Project: project, User: forgetest.Bot, Label: label, Password: func(context.Context) (string, error) { return password, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return r.Forge()
}

func TestGerrit(t *testing.T) {
	g := forgetest.StartGerrit(t)
	password := g.Password(forgetest.Bot)
	check := func(name, password, project, label string, at forge.Sample, want func(f forge.Forge) results) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			f := onGerrit(t, g, password, project, label)
			same(t, inspected(t, f, at, password), want(f))
		})
	}
	none := forge.Sample{Branch: g.Branch()}
	check("no open change", password, g.Project, g.Label, none, func(f forge.Forge) results {
		return except(f, results{forge.TaskComments: forge.NotTried, forge.TaskHistory: forge.NotTried, forge.TaskStatuses: forge.NotTried, forge.TaskVote: forge.NotTried})
	})
	at := opened(t, g)
	all := func(f forge.Forge) results { return except(f, nil) }
	check("all rights", password, g.Project, g.Label, at, all)
	check("without a label", password, g.Project, "", at, all)
	check("a label that there is not", password, g.Project, "Nothing", at, func(f forge.Forge) results {
		return except(f, results{forge.TaskVote: forge.Missing})
	})
	check("a wrong password", "wrong-password", g.Project, g.Label, at, func(f forge.Forge) results {
		return failing(f, forge.TaskLogin, forge.Missing)
	})
	check("a wrong project", password, "infra/other", g.Label, at, func(f forge.Forge) results {
		return failing(f, forge.TaskRepository, forge.Missing)
	})
	g.OnlyVotes("-1", " 0")
	check("a label without +1", password, g.Project, g.Label, at, func(f forge.Forge) results {
		return except(f, results{forge.TaskVote: forge.Missing})
	})
	g.LetVote(forgetest.Bot, false)
	g.LetSee(forgetest.Bot, false)
	check("no vote, and no View Access", password, g.Project, g.Label, at, func(f forge.Forge) results {
		return except(f, results{forge.TaskVote: forge.Missing, forge.TaskPeople: forge.Missing})
	})
	g.SetWeather(answering("/", 503))
	check("away", password, g.Project, g.Label, at, func(f forge.Forge) results { return failing(f, forge.TaskLogin, forge.NoAnswer) })
}
