package session

import (
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/file"
	"github.com/stackreeve/stackreeve/internal/forge/gerrit"
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
	for _, a := range s.Spec.Report.Forges() {
		list = append(list, Target{ForgeKey{a.Forge, a.URL, a.Repository, a.Credentials()}, func() (forge.Forge, error) { return openers[a.Forge](r, a) }})
	}
	if to := s.Spec.Report.File; to != nil {
		list = append(list, Target{ForgeKey{Kind: "file", URL: to.Path}, func() (forge.Forge, error) { return file.New(to.Path), nil }})
	}
	return list
}

// openers open the forges, by their fields of spec.report.
var openers = map[string]func(Reporting, config.Access) (forge.Forge, error){
	"github": func(r Reporting, a config.Access) (forge.Forge, error) {
		c := github.Config{Repository: a.Repository, APIURL: a.URL, RequestsPerHour: a.RequestsPerHour, Observe: r.observe(a.Repository), Fence: r.Fence}
		if a.App != nil {
			c.App = &forge.App{AppID: a.App.AppID, InstallationID: a.App.InstallationID, PrivateKeyFile: a.App.PrivateKeyFile, APIURL: a.URL}
		} else {
			c.Token = forge.FileToken(a.TokenFile)
		}
		return roles(github.New(c))
	},
	"gitea": func(r Reporting, a config.Access) (forge.Forge, error) {
		return roles(gitea.New(gitea.Config{
			URL: a.URL, Repository: a.Repository, CAFile: a.CAFile, Token: forge.FileToken(a.TokenFile), RequestsPerHour: a.RequestsPerHour,
			Observe: r.observe(a.Repository), Fence: r.Fence,
		}))
	},
	"gitlab": func(r Reporting, a config.Access) (forge.Forge, error) {
		return roles(gitlab.New(gitlab.Config{
			URL: a.URL, Project: a.Repository, CAFile: a.CAFile, Token: forge.FileToken(a.TokenFile), RequestsPerHour: a.RequestsPerHour,
			Observe: r.observe(a.Repository), Fence: r.Fence,
		}))
	},
	"gerrit": func(r Reporting, a config.Access) (forge.Forge, error) {
		return roles(gerrit.New(gerrit.Config{
			URL: a.URL, Project: a.Repository, User: a.User, Password: forge.FileToken(a.TokenFile), Label: a.Label, CAFile: a.CAFile,
			RequestsPerHour: a.RequestsPerHour, Observe: r.observe(a.Repository), Fence: r.Fence,
		}))
	},
}

func (r Reporting) observe(repository string) func(forge.Exchange) {
	return func(e forge.Exchange) {
		if r.Observe != nil {
			r.Observe(repository, e)
		}
	}
}

// roles returns the forge of a repository, or the error of its configuration.
func roles[R interface{ Forge() forge.Forge }](r R, err error) (forge.Forge, error) {
	if err != nil {
		return forge.Forge{}, err
	}
	return r.Forge(), nil
}
