package config

// Access is a repository on any forge, with the credentials for it.
type Access struct {
	Forge           string // the field of spec.report: github, gitea, gitlab or gerrit.
	URL             string // the address of the forge; for GitHub, of its API.
	Repository      string // owner/name; on GitLab the path of the project, with its groups; on Gerrit its name.
	User            string // "" if the token identifies the agent.
	TokenFile       string // "" with an App; on Gerrit, the file with the password.
	App             *App   // nil with a token.
	CAFile          string // "" if there is none.
	Label           string // the label to vote with; "" if there is none.
	RequestsPerHour int
}

// Credentials returns the file that contains the credentials.
func (a Access) Credentials() string {
	if a.App != nil {
		return a.App.PrivateKeyFile
	}
	return a.TokenFile
}

// Forges returns the forges to which a stack reports. A checked configuration has at most one.
func (r *Report) Forges() (list []Access) {
	if g := r.GitHub; g != nil {
		list = append(list, Access{Forge: "github", URL: g.APIURL, Repository: g.Repository, TokenFile: g.TokenFile, App: g.App, RequestsPerHour: g.RequestsPerHour})
	}
	if g := r.Gitea; g != nil {
		list = append(list, Access{Forge: "gitea", URL: g.URL, Repository: g.Repository, TokenFile: g.TokenFile, CAFile: g.CAFile, RequestsPerHour: g.RequestsPerHour})
	}
	if g := r.GitLab; g != nil {
		list = append(list, Access{Forge: "gitlab", URL: g.URL, Repository: g.Project, TokenFile: g.TokenFile, CAFile: g.CAFile, RequestsPerHour: g.RequestsPerHour})
	}
	if g := r.Gerrit; g != nil {
		list = append(list, Access{
			Forge: "gerrit", URL: g.URL, Repository: g.Project, User: g.User, TokenFile: g.PasswordFile, CAFile: g.CAFile, Label: g.Label,
			RequestsPerHour: g.RequestsPerHour,
		})
	}
	return list
}
