package readapi

import (
	"net/url"
	"strings"
)

// Files is where people see the files of a repository's commit in a browser: an address to which the name of a file
// is appended. It is nil when nobody knows. forge is "gitea", "github" or "gitlab" where that is known, or "".
func Files(repository, forge string) func(commit string) string {
	home, files, _ := places(repository, forge)
	if home == "" {
		return nil
	}
	return func(commit string) string { return home + files + url.PathEscape(commit) + "/" }
}

// Commits is where people see a commit, like [Files].
func Commits(repository, forge string) func(commit string) string {
	home, _, commits := places(repository, forge)
	if home == "" {
		return nil
	}
	return func(commit string) string { return home + commits + url.PathEscape(commit) }
}

// places are the address of a repository in a browser, "" when nobody knows, and what follows it.
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
	at := url.URL{Scheme: u.Scheme, Host: u.Host, Path: strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), ".git")} // without who logs in
	return at.String(), files, commits
}

// Repository is an address without who logs in, with the folder in it.
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

// say adds what is known of a stack to its status.
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
