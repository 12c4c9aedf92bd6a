package session

import (
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/file"
	"github.com/stackreeve/stackreeve/internal/forge/gitea"
	"github.com/stackreeve/stackreeve/internal/forge/github"
	"github.com/stackreeve/stackreeve/internal/forge/gitlab"
)

// ForgeKey identifies a repository on a forge: stacks with the same key share it.
type ForgeKey struct{ Kind, URL, Repository, Credentials string }

// Target is one place that a stack reports to.
type Target struct {
	ForgeKey
	Open func() (forge.Forge, error)
}

// Reporting says how forges are accessed. Fence is called before each write, and Observe after each request to a repository; both may be nil.
type Reporting struct {
	Fence   func() error
	Observe func(repository string, e forge.Exchange)
}

// Targets lists the places that a stack reports to, forges first.
func (r Reporting) Targets(s *config.Stack) (list []Target) {
	if g := s.Spec.Report.GitHub; g != nil {
		credentials := g.TokenFile
		if g.App != nil {
			credentials = g.App.PrivateKeyFile
		}
		list = append(list, Target{ForgeKey{"github", g.APIURL, g.Repository, credentials}, func() (forge.Forge, error) { return r.github(g) }})
	}
	if g := s.Spec.Report.Gitea; g != nil {
		list = append(list, Target{ForgeKey{"gitea", g.URL, g.Repository, g.TokenFile}, func() (forge.Forge, error) { return r.gitea(g) }})
	}
	if g := s.Spec.Report.GitLab; g != nil {
		list = append(list, Target{ForgeKey{"gitlab", g.URL, g.Project, g.TokenFile}, func() (forge.Forge, error) { return r.gitlab(g) }})
	}
	if to := s.Spec.Report.File; to != nil {
		list = append(list, Target{ForgeKey{Kind: "file", URL: to.Path}, func() (forge.Forge, error) { return file.New(to.Path), nil }})
	}
	return list
}

func (r Reporting) observe(repository string) func(forge.Exchange) {
	return func(e forge.Exchange) {
		if r.Observe != nil {
			r.Observe(repository, e)
		}
	}
}

func (r Reporting) github(g *config.GitHub) (forge.Forge, error) {
	c := github.Config{
		Repository: g.Repository, APIURL: g.APIURL, RequestsPerHour: g.RequestsPerHour,
		Observe: r.observe(g.Repository), Fence: r.Fence,
	}
	if g.App != nil {
		c.App = &forge.App{AppID: g.App.AppID, InstallationID: g.App.InstallationID, PrivateKeyFile: g.App.PrivateKeyFile, APIURL: g.APIURL}
	} else {
		c.Token = forge.FileToken(g.TokenFile)
	}
	return roles(github.New(c))
}

func (r Reporting) gitea(g *config.Gitea) (forge.Forge, error) {
	return roles(gitea.New(gitea.Config{
		URL: g.URL, Repository: g.Repository, CAFile: g.CAFile, Token: forge.FileToken(g.TokenFile), RequestsPerHour: g.RequestsPerHour,
		Observe: r.observe(g.Repository), Fence: r.Fence,
	}))
}

func (r Reporting) gitlab(g *config.GitLab) (forge.Forge, error) {
	return roles(gitlab.New(gitlab.Config{
		URL: g.URL, Project: g.Project, CAFile: g.CAFile, Token: forge.FileToken(g.TokenFile), RequestsPerHour: g.RequestsPerHour,
		Observe: r.observe(g.Project), Fence: r.Fence,
	}))
}

// roles returns the forge of a repository, or the error of its configuration.
func roles[R interface{ Forge() forge.Forge }](r R, err error) (forge.Forge, error) {
	if err != nil {
		return forge.Forge{}, err
	}
	return r.Forge(), nil
}
