package config

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/schedule"
)

// Report configures where the agent reports, in addition to its log and its metrics.
type Report struct {
	GitHub     *GitHub           `json:"github,omitempty" doc:"Plans on pull requests and statuses of commits, on GitHub or GitHub Enterprise."`
	Gitea      *Gitea            `json:"gitea,omitempty" doc:"The same on Gitea or Forgejo."`
	GitLab     *GitLab           `json:"gitlab,omitempty" doc:"The same on GitLab: gitlab.com or a server of your own."`
	Gerrit     *Gerrit           `json:"gerrit,omitempty" doc:"The same on Gerrit, where changes are the pull requests."`
	File       *File             `json:"file,omitempty" doc:"A file that gets a line for each change of a status, for repositories without a forge."`
	Poll       string            `json:"poll,omitempty" rule:"default=@every 1m" doc:"Times at which the agent looks for pull requests and comments, as a cron expression."`
	Page       string            `json:"page,omitempty" doc:"Address of the agent's page for browsers, such as https://agent.example.com:9464. Notifications link to it."`
	Dashboards map[string]string `json:"dashboards,omitempty" rule:"max=100" doc:"Addresses of objects in the cloud's own dashboard, by kind, with {id} in place of the ID. * is for every other kind."`
	Forks      string            `json:"forks,omitempty" rule:"enum=validate|plan,default=validate" doc:"What happens to pull requests from forks. validate: the manifests are checked and compared with the manifests of the branch, without the cloud. plan: the pull requests are planned like all others."`
}

// GitHub is a repository on GitHub, and the credentials for it.
type GitHub struct {
	Repository      string `json:"repository" rule:"required" doc:"owner/name."`
	TokenFile       string `json:"tokenFile,omitempty" doc:"File with a token that may read the repository and write statuses and comments. The file is read again when it changes."`
	App             *App   `json:"app,omitempty" doc:"A GitHub App in place of a token."`
	APIURL          string `json:"apiURL,omitempty" rule:"default=https://api.github.com" doc:"Address of the API; for GitHub Enterprise, https://HOST/api/v3."`
	RequestsPerHour int    `json:"requestsPerHour,omitempty" rule:"min=60,default=4000" doc:"How many requests the agent may make; GitHub allows 5000 in all."`
}

// Gitea is a repository on Gitea or Forgejo, and the credentials for it.
type Gitea struct {
	URL             string `json:"url" rule:"required" doc:"Address of the forge, without /api."`
	Repository      string `json:"repository" rule:"required" doc:"owner/name."`
	TokenFile       string `json:"tokenFile" rule:"required,min=1" doc:"File with a token that may read the repository and write statuses and comments. The file is read again when it changes."`
	CAFile          string `json:"caFile,omitempty" doc:"File with PEM certificates that are trusted besides the system's."`
	RequestsPerHour int    `json:"requestsPerHour,omitempty" rule:"min=60,default=4000" doc:"How many requests the agent may make."`
}

// GitLab is a project on GitLab, and the credentials for it.
type GitLab struct {
	URL             string `json:"url" rule:"required" doc:"Address of the forge, without /api, such as https://gitlab.com."`
	Project         string `json:"project" rule:"required" doc:"The project's path with its groups, such as acme/infra/cloud-config."`
	TokenFile       string `json:"tokenFile" rule:"required,min=1" doc:"File with a token that has the scope api and the role Developer. The file is read again when it changes."`
	CAFile          string `json:"caFile,omitempty" doc:"File with PEM certificates that are trusted besides the system's."`
	RequestsPerHour int    `json:"requestsPerHour,omitempty" rule:"min=60,default=4000" doc:"How many requests the agent may make."`
}

// Gerrit is a project on Gerrit, and the credentials for it.
type Gerrit struct {
	URL             string `json:"url" rule:"required" doc:"Address of the forge, without /a, such as https://review.example.com."`
	Project         string `json:"project" rule:"required" doc:"The project's name, such as infra/cloud-config."`
	User            string `json:"user" rule:"required" doc:"The name of the agent's account."`
	PasswordFile    string `json:"passwordFile" rule:"required,min=1" doc:"File with the account's HTTP password. The file is read again when it changes."`
	Label           string `json:"label,omitempty" doc:"The label for the agent's votes, from -1 to +1, such as Verified. Without a label the agent does not vote."`
	CAFile          string `json:"caFile,omitempty" doc:"File with PEM certificates that are trusted besides the system's."`
	RequestsPerHour int    `json:"requestsPerHour,omitempty" rule:"min=60,default=4000" doc:"How many requests the agent may make."`
}

// File is a file of JSON lines.
type File struct {
	Path string `json:"path" rule:"required,min=1" doc:"The file; lines are added to its end."`
}

// App is a GitHub App, installed on the account of the repository.
type App struct {
	AppID          int64  `json:"appID" rule:"required,min=1" doc:"The App's number."`
	InstallationID int64  `json:"installationID" rule:"required,min=1" doc:"Number of the App's installation: the last part of the address of the installation's settings."`
	PrivateKeyFile string `json:"privateKeyFile" rule:"required,min=1" doc:"File with the App's private key, in PEM."`
}

// SourceApp is a GitHub App whose tokens fetch the repository.
type SourceApp struct {
	AppID          int64  `json:"appID" rule:"required,min=1" doc:"The App's number."`
	InstallationID int64  `json:"installationID" rule:"required,min=1" doc:"Number of the App's installation: the last part of the address of the installation's settings."`
	PrivateKeyFile string `json:"privateKeyFile" rule:"required,min=1" doc:"File with the App's private key, in PEM."`
	APIURL         string `json:"apiURL,omitempty" rule:"default=https://api.github.com" doc:"Address of the API; for GitHub Enterprise, https://HOST/api/v3."`
}

// DefaultAPI is the address of GitHub's API.
const DefaultAPI = "https://api.github.com"

const defaultRequests = 4000

// PlansForks reports whether pull requests from forks are treated like other pull requests.
func (r *Report) PlansForks() bool { return r.Forks == "plan" }

var (
	ownerName = pattern.Of(`^[A-Za-z0-9][-A-Za-z0-9_.]*/[-A-Za-z0-9_.]+$`)
	dotsAlone = pattern.Of(`/\.\.?$`)

	projectPath = pattern.Of(`^[A-Za-z0-9_][-A-Za-z0-9_.]*(/[A-Za-z0-9_][-A-Za-z0-9_.]*)+$`)
	gerritName  = pattern.Of(`^[A-Za-z0-9_][-A-Za-z0-9_.]*(/[A-Za-z0-9_][-A-Za-z0-9_.]*)*$`)
	gerritUser  = pattern.Of(`^[A-Za-z0-9][-A-Za-z0-9._@]*$`)
	gerritLabel = pattern.Of(`^[A-Za-z0-9][-A-Za-z0-9]*$`)
	dotsWithin  = pattern.Of(`\.\.|\.(/|$)`)
)

// check checks the rules that concern several fields.
func (r *Report) check(add func(field, what string)) {
	const at = "spec.report"
	if g := r.GitHub; g != nil {
		checkRepository(add, at+".github", g.Repository)
		checkAddress(add, at+".github.apiURL", g.APIURL)
		switch {
		case g.TokenFile != "" && g.App != nil:
			add(at+".github.app", "tokenFile is set, too; keep one of them")
		case g.TokenFile == "" && g.App == nil:
			add(at+".github", "has no credentials; set tokenFile or app")
		}
	}
	if g := r.Gitea; g != nil {
		checkRepository(add, at+".gitea", g.Repository)
		checkAddress(add, at+".gitea.url", g.URL)
	}
	if g := r.GitLab; g != nil {
		if g.Project != "" && (!projectPath.MatchString(g.Project) || dotsWithin.MatchString(g.Project)) {
			add(at+".gitlab.project", fmt.Sprintf("%q is not the path of a project; write it like acme/infra/cloud-config", g.Project))
		}
		checkAddress(add, at+".gitlab.url", g.URL)
	}
	if g := r.Gerrit; g != nil {
		g.check(add, at+".gerrit")
	}
	for i, a := range r.Forges() {
		if i > 0 {
			add(at+"."+a.Forge, r.Forges()[0].Forge+" is set, too; a stack reports to one forge: keep one of them")
		}
	}
	checkAddress(add, at+".page", r.Page)
	for kind, address := range r.Dashboards {
		if u, err := url.Parse(address); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || !strings.Contains(address, "{id}") {
			add(at+".dashboards."+kind, "is not an address with {id}; write it as https://dashboard.example.com/project/instances/{id}/")
		}
	}
	if r.Poll != "" {
		if _, err := schedule.Parse(r.Poll); err != nil {
			add(at+".poll", err.Error())
		}
	}
}

func (g *Gerrit) check(add func(field, what string), at string) {
	checkAddress(add, at+".url", g.URL)
	if g.Project != "" && (!gerritName.MatchString(g.Project) || dotsWithin.MatchString(g.Project)) {
		add(at+".project", fmt.Sprintf("%q is not the name of a project; write it like infra/cloud-config", g.Project))
	}
	if g.User != "" && !gerritUser.MatchString(g.User) {
		add(at+".user", fmt.Sprintf("%q is not the name of an account; write the username of its settings", g.User))
	}
	if g.Label != "" && !gerritLabel.MatchString(g.Label) {
		add(at+".label", fmt.Sprintf("%q is not the name of a label; write it like Verified", g.Label))
	}
}

func checkRepository(add func(field, what string), at, name string) {
	if name != "" && (!ownerName.MatchString(name) || dotsAlone.MatchString(name)) {
		add(at+".repository", fmt.Sprintf("%q is not of the form owner/name; write it like acme/cloud-config", name))
	}
}

// checkAddress checks that an address is safe to send a token to.
func checkAddress(add func(field, what string), field, address string) {
	if address == "" {
		return
	}
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		add(field, "is not an address; write it as https://host")
	case u.User != nil:
		add(field, "contains a login; remove the login, because the credentials are in a file")
	case u.RawQuery != "" || u.Fragment != "":
		add(field, "has a ? or # part; an address ends with its path")
	case u.Scheme == "http" && !outbound.Loopback(u.Hostname()):
		add(field, "is not encrypted; use https (http is for this machine's own addresses)")
	}
}

// fill sets the fields that are left out.
func (r *Report) fill() {
	if r.GitHub != nil {
		g := *r.GitHub
		g.APIURL, g.RequestsPerHour = cmp.Or(g.APIURL, DefaultAPI), cmp.Or(g.RequestsPerHour, defaultRequests)
		r.GitHub = &g
	}
	if r.GitLab != nil {
		g := *r.GitLab
		g.RequestsPerHour = cmp.Or(g.RequestsPerHour, defaultRequests)
		r.GitLab = &g
	}
	if r.Gerrit != nil {
		g := *r.Gerrit
		g.RequestsPerHour = cmp.Or(g.RequestsPerHour, defaultRequests)
		r.Gerrit = &g
	}
	if r.Gitea != nil {
		g := *r.Gitea
		g.RequestsPerHour = cmp.Or(g.RequestsPerHour, defaultRequests)
		r.Gitea = &g
	}
}
