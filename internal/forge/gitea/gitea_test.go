package gitea_test

import (
	"context"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/forgetest"
	"github.com/stackreeve/stackreeve/internal/forge/gitea"
)

// lab is a real Gitea.
type lab struct {
	*forgetest.Gitea
	forge *gitea.Repository
}

func (l lab) Forge() forge.Forge { return l.forge.Forge() }

func start(t *testing.T) lab {
	t.Helper()
	return enter(t, forgetest.StartGitea(t), forgetest.Bot)
}

// enter returns the forge with the token of a person.
func enter(t *testing.T, g *forgetest.Gitea, login string) lab {
	t.Helper()
	f, err := gitea.New(gitea.Config{
		URL: g.URL, Repository: g.Repository, Token: func(context.Context) (string, error) { return g.Token(login), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return lab{g, f}
}

func TestSuite(t *testing.T) {
	forgetest.Suite(t, func(t *testing.T) forgetest.Lab { return start(t) })
}
