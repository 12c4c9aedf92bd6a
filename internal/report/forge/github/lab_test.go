package github_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/report/forge"
	"github.com/stackreeve/stackreeve/internal/report/forge/forgetest"
	"github.com/stackreeve/stackreeve/internal/report/forge/github"
)

// lab is a GitHub for tests, with one of two credentials.
type lab struct {
	*forgetest.GitHub
	forge *github.Repository
	can   forgetest.Ability
}

func (l lab) Forge() forge.Forge     { return l.forge }
func (l lab) Can() forgetest.Ability { return l.can }

// patient pays no heed to limits on writing, which the suite would run into.
func patient(g *forgetest.GitHub) github.Config {
	return github.Config{Repository: g.Repository, APIURL: g.APIURL, WritesPerMinute: 10_000, CreatesPerHour: 100_000}
}

func withToken(t *testing.T, g *forgetest.GitHub) lab {
	t.Helper()
	c := patient(g)
	c.Token = forge.FileToken(g.TokenFile)
	return lab{g, open(t, c), forgetest.Ability{Limits: true}}
}

func withApp(t *testing.T, g *forgetest.GitHub) lab {
	t.Helper()
	c := patient(g)
	c.App = app(g)
	return lab{g, open(t, c), g.Can()}
}

func app(g *forgetest.GitHub) *forge.App {
	return &forge.App{AppID: g.AppID, Repository: g.Repository, PrivateKeyFile: g.AppKeyFile, APIURL: g.APIURL}
}

func open(t *testing.T, c github.Config) *github.Repository {
	t.Helper()
	r, err := github.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSuite(t *testing.T) {
	t.Run("token", func(t *testing.T) {
		forgetest.Suite(t, func(t *testing.T) forgetest.Lab { return withToken(t, forgetest.StartGitHub(t)) })
	})
	t.Run("app", func(t *testing.T) {
		forgetest.Suite(t, func(t *testing.T) forgetest.Lab { return withApp(t, forgetest.StartGitHub(t)) })
	})
}

var _ = context.Canceled
var _ = errors.Is
var _ = fmt.Sprint
var _ = strings.Repeat
var _ = time.Now
