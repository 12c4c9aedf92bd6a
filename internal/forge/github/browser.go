package github

import (
	"net/url"
	"strings"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// Browser gives the addresses of a repository on the GitHub at site. The site may also be the address of an API. That is https://api.HOST
// on GitHub's own servers, and https://HOST/api/v3 on a GitHub Enterprise Server.
func Browser(site, repository string) forge.Browser {
	u, err := url.Parse(site)
	if err != nil {
		return forge.Browser{}
	}
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/api/v3")
	u.Host = strings.TrimPrefix(u.Host, "api.")
	return forge.BrowserAt(u.String(), repository, "/blob/", "/commit/")
}

// Serves reports whether the name of a host shows that the host is GitHub.
func Serves(host string) bool { return host == "github.com" }
