package readapi

import (
	"net/url"
	"strings"
)

// Files is where people see the files of a repository's commit in a browser: an address to which the name of a file
// is appended. It is nil when nobody knows. forge is "gitea" or "github" where that is known, or "".
func Files(repository, forge string) func(commit string) string {
	u, err := url.Parse(repository)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return nil
	}
	between := ""
	switch host := strings.ToLower(u.Hostname()); {
	case forge == "gitea", host == "codeberg.org":
		between = "/src/commit/"
	case forge == "github", host == "github.com":
		between = "/blob/"
	case host == "gitlab.com", strings.HasPrefix(host, "gitlab."):
		between = "/-/blob/"
	default:
		return nil
	}
	at := url.URL{Scheme: u.Scheme, Host: u.Host, Path: strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), ".git")} // without who logs in
	return func(commit string) string { return at.String() + between + url.PathEscape(commit) + "/" }
}

// Link has a stack say where its files are. It is called before the first run.
func (s *Store) Link(stack string, files func(commit string) string) { s.files[stack] = files }
