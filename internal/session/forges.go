package session

import (
	"net/url"
	"strings"

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

// Targets lists the forges and files that a stack reports to, forges first.
func (r Reporting) Targets(s *config.Stack) (list []Target) {
	for _, a := range s.Spec.Report.Forges() {
		list = append(list, Target{ForgeKey{a.Forge, a.URL, a.Repository, a.Credentials()}, func() (forge.Forge, error) { return forges[a.Forge].open(r, a) }})
	}
	if to := s.Spec.Report.File; to != nil {
		list = append(list, Target{ForgeKey{Kind: "file", URL: to.Path}, func() (forge.Forge, error) { return file.New(to.Path), nil }})
	}
	return list
}

// forges contains the kinds of forges, by the name of their field in spec.report.
var forges = map[string]forgeKind{
	"github": {openGitHub, github.Browser, github.Serves},
	"gitea":  {openGitea, gitea.Browser, gitea.Serves},
	"gitlab": {openGitLab, gitlab.Browser, gitlab.Serves},
	"gerrit": {openGerrit, nil, nil},
}

// forgeKind is one kind of forge. browser returns the web addresses of a repository on a site. serves reports whether a host is certainly
// of that kind. Both are nil if the kind has no such addresses.
type forgeKind struct {
	open    func(Reporting, config.Access) (forge.Forge, error)
	browser func(site, repository string) forge.Browser
	serves  func(host string) bool
}

// Browser returns the web addresses of a stack's repository. They are on the forge that the stack reports to, or else on the host that the
// repository is fetched from.
func Browser(s *config.Stack) forge.Browser {
	for _, a := range s.Spec.Report.Forges() {
		if of := forges[a.Forge].browser; of != nil {
			return of(a.URL, a.Repository)
		}
	}
	u, err := url.Parse(s.Spec.Source.URL)
	if err != nil || s.Spec.Source.IsArtifact() {
		return forge.Browser{}
	}
	for _, f := range forges {
		if f.serves != nil && f.serves(strings.ToLower(u.Hostname())) {
			return f.browser(u.Scheme+"://"+u.Host, u.Path)
		}
	}
	return forge.Browser{}
}

func openGitHub(r Reporting, a config.Access) (forge.Forge, error) {
	c := github.Config{Repository: a.Repository, APIURL: a.URL, RequestsPerHour: a.RequestsPerHour, Observe: r.observe(a.Repository), Fence: r.Fence}
	if a.App != nil {
		c.App = &forge.App{AppID: a.App.AppID, InstallationID: a.App.InstallationID, PrivateKeyFile: a.App.PrivateKeyFile, APIURL: a.URL}
	} else {
		c.Token = forge.FileToken(a.TokenFile)
	}
	return roles(github.New(c))
}

func openGitea(r Reporting, a config.Access) (forge.Forge, error) {
	return roles(gitea.New(gitea.Config{
		URL: a.URL, Repository: a.Repository, CAFile: a.CAFile, Token: forge.FileToken(a.TokenFile), RequestsPerHour: a.RequestsPerHour,
		Observe: r.observe(a.Repository), Fence: r.Fence,
	}))
}

func openGitLab(r Reporting, a config.Access) (forge.Forge, error) {
	return roles(gitlab.New(gitlab.Config{
		URL: a.URL, Project: a.Repository, CAFile: a.CAFile, Token: forge.FileToken(a.TokenFile), RequestsPerHour: a.RequestsPerHour,
		Observe: r.observe(a.Repository), Fence: r.Fence,
	}))
}

func openGerrit(r Reporting, a config.Access) (forge.Forge, error) {
	return roles(gerrit.New(gerrit.Config{
		URL: a.URL, Project: a.Repository, User: a.User, Password: forge.FileToken(a.TokenFile), Label: a.Label, CAFile: a.CAFile,
		RequestsPerHour: a.RequestsPerHour, Observe: r.observe(a.Repository), Fence: r.Fence,
	}))
}

func (r Reporting) observe(repository string) func(forge.Exchange) {
	return func(e forge.Exchange) {
		if r.Observe != nil {
			r.Observe(repository, e)
		}
	}
}

// roles returns the forge of a repository. If the configuration of the repository has an error, it returns the error.
func roles[R interface{ Forge() forge.Forge }](r R, err error) (forge.Forge, error) {
	if err != nil {
		return forge.Forge{}, err
	}
	return r.Forge(), nil
}
