package forge

import (
	"net/url"
	"strconv"
	"strings"
)

// Browser gives the addresses at which people see a repository. The zero value has no addresses.
type Browser struct {
	home, files, commits string
}

// BrowserAt returns the addresses of a repository below a site, such as https://git.example.org. files and commits are paths below the
// repository; the hash of a commit is appended to them. A site without http or https has no addresses.
func BrowserAt(site, repository, files, commits string) Browser {
	u, err := url.Parse(site)
	path := strings.TrimSuffix(strings.Trim(repository, "/"), ".git")
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || path == "" {
		return Browser{}
	}
	home := strings.TrimRight((&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String(), "/") + "/" + escaped(path) // without user and password
	return Browser{home, home + files, home + commits}
}

// Known reports whether there are addresses.
func (b Browser) Known() bool { return b.home != "" }

// Commit returns the address of a commit.
func (b Browser) Commit(commit string) string {
	if !b.Known() || commit == "" {
		return ""
	}
	return b.commits + escaped(commit)
}

// Files returns the address of a commit's files. The path of a file is appended to it.
func (b Browser) Files(commit string) string {
	if !b.Known() || commit == "" {
		return ""
	}
	return b.files + escaped(commit) + "/"
}

// Line returns the address of a line of a file in a commit; line 0 means the whole file.
func (b Browser) Line(commit, file string, line int) string {
	at := b.Files(commit)
	if at == "" || file == "" {
		return ""
	}
	at += escaped(file)
	if line > 0 {
		at += "#L" + strconv.Itoa(line)
	}
	return at
}

// escaped encodes every byte of a path that could have a meaning in an address or in Markdown.
func escaped(path string) string {
	var b strings.Builder
	for _, c := range []byte(path) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._/", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		const digits = "0123456789ABCDEF"
		b.Write([]byte{'%', digits[c>>4], digits[c&15]})
	}
	return b.String()
}
