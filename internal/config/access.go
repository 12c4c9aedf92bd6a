package config

// Access is a repository on any forge, with the credentials for it.
type Access struct {
	Forge           string // the field of spec.report: github, gitea or gitlab.
	URL             string // of the forge; for GitHub of its API.
	Repository      string // owner/name; on GitLab the path of the project, with its groups.
	TokenFile       string // "" with an App.
	App             *App   // nil with a token.
	CAFile          string // "" for none.
	RequestsPerHour int
}

// Credentials returns the file that they are in.
func (a Access) Credentials() string {
	if a.App != nil {
		return a.App.PrivateKeyFile
	}
	return a.TokenFile
}

// Forges returns the forges that a stack reports to. A checked configuration has one at most.
func (r *Report) Forges() (list []Access) {
	if g := r.GitHub; g != nil {
		list = append(list, Access{"github", g.APIURL, g.Repository, g.TokenFile, g.App, "", g.RequestsPerHour})
	}
	if g := r.Gitea; g != nil {
		list = append(list, Access{"gitea", g.URL, g.Repository, g.TokenFile, nil, g.CAFile, g.RequestsPerHour})
	}
	if g := r.GitLab; g != nil {
		list = append(list, Access{"gitlab", g.URL, g.Project, g.TokenFile, nil, g.CAFile, g.RequestsPerHour})
	}
	return list
}
