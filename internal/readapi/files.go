package readapi

import (
	"net/url"
	"strings"
)

// Files returns a function from a commit to a browser address of the repository's files; the name of a file is appended to it.
// It returns nil when the address is unknown. forge is "gitea", "github" or "gitlab", or "" when it is unknown.
func Files(repository, forge string) func(commit string) string {
	home, files, _ := places(repository, forge)
	if home == "" {
		return nil
	}
	return func(commit string) string { return home + files + url.PathEscape(commit) + "/" }
}

// Commits returns a function from a commit to its address in a browser, like [Files].
func Commits(repository, forge string) func(commit string) string {
	home, _, commits := places(repository, forge)
	if home == "" {
		return nil
	}
	return func(commit string) string { return home + commits + url.PathEscape(commit) }
}

// places returns the browser address of a repository ("" when it is unknown), and the paths to its files and commits.
func places(repository, forge string) (home, files, commits string) {
	u, err := url.Parse(repository)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return "", "", ""
	}
	switch host := strings.ToLower(u.Hostname()); {
	case forge == "gitea", host == "codeberg.org":
		files, commits = "/src/commit/", "/commit/"
	case forge == "github", host == "github.com":
		files, commits = "/blob/", "/commit/"
	case forge == "gitlab", host == "gitlab.com", strings.HasPrefix(host, "gitlab."):
		files, commits = "/-/blob/", "/-/commit/"
	default:
		return "", "", ""
	}
	at := url.URL{Scheme: u.Scheme, Host: u.Host, Path: strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), ".git")} // without the user and password
	return at.String(), files, commits
}

// Repository is the address without the user and password, with the folder appended.
func Repository(address, folder string) string {
	if u, err := url.Parse(address); err == nil && u.User != nil && u.Host != "" {
		u.User = nil
		address = u.String()
	}
	if folder = strings.Trim(folder, "/"); folder == "" || folder == "." {
		return address
	}
	return address + " /" + folder
}

// say adds to a stack's status the facts of [About] that are known.
func (a About) say(status map[string]any, commit string) {
	for name, text := range map[string]string{"cloud": a.Cloud, "repository": a.Repository} {
		if text != "" {
			status[name] = text
		}
	}
	if len(a.Dashboards) > 0 {
		status["dashboards"] = a.Dashboards
	}
	if a.Files != nil && commit != "" {
		status["files"] = a.Files(commit)
	}
}
