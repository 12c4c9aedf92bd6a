package inspect_test

import (
	"context"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/forgetest"
	"github.com/stackreeve/stackreeve/internal/forge/gitea"
)

// TestOnGitea inspects a real Gitea with tokens that have some of the scopes.
func TestOnGitea(t *testing.T) {
	g := forgetest.StartGitea(t)
	at := opened(t, g)
	open := func(token, repository string) forge.Forge {
		r, err := gitea.New(gitea.Config{URL: g.URL, Repository: repository, Token: func(context.Context) (string, error) { return token, nil }})
		if err != nil {
			t.Fatal(err)
		}
		return r.Forge()
	}
	check := func(name, token, repository string, want func(f forge.Forge) results) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			f := open(token, repository)
			same(t, inspected(t, f, at, token), want(f))
		})
	}
	check("all rights", g.Token(forgetest.Bot), g.Repository, func(f forge.Forge) results { return except(f, nil) })
	check("a wrong token", "0123456789abcdef0123456789abcdef01234567", g.Repository, func(f forge.Forge) results {
		return failing(f, forge.TaskLogin, forge.Missing)
	})
	check("a wrong repository", g.Token(forgetest.Bot), "acme/other", func(f forge.Forge) results {
		return failing(f, forge.TaskRepository, forge.Missing)
	})
	check("a token that only reads", g.LimitedToken(t, forgetest.Bot, "read:repository", "read:issue", "read:user"), g.Repository, func(f forge.Forge) results {
		return except(f, results{forge.TaskWriteComments: forge.Missing, forge.TaskWriteStatuses: forge.Missing})
	})
	check("a token without comments", g.LimitedToken(t, forgetest.Bot, "write:repository", "read:user"), g.Repository, func(f forge.Forge) results {
		return except(f, results{forge.TaskComments: forge.Missing, forge.TaskWriteComments: forge.Missing})
	})
	check("a token without its user", g.LimitedToken(t, forgetest.Bot, "write:repository", "write:issue"), g.Repository, func(f forge.Forge) results {
		return failing(f, forge.TaskLogin, forge.Missing)
	})
	check("a user who does not administer", g.Token(forgetest.Maintainer), g.Repository, func(f forge.Forge) results {
		return except(f, results{forge.TaskPeople: forge.Missing})
	})
	g.Allow(t, "reader", false)
	check("a user who only reads", g.LimitedToken(t, "reader", "write:repository", "write:issue", "read:user"), g.Repository, func(f forge.Forge) results {
		return except(f, results{forge.TaskPeople: forge.Missing, forge.TaskWriteStatuses: forge.Missing})
	})
}
