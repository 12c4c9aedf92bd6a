package gitea

import "github.com/stackreeve/stackreeve/internal/forge"

// Browser gives the addresses of a repository on the Gitea or Forgejo at site.
func Browser(site, repository string) forge.Browser {
	return forge.BrowserAt(site, repository, "/src/commit/", "/commit/")
}

// Serves reports whether the name of a host shows that the host is a Gitea or a Forgejo.
func Serves(host string) bool { return host == "codeberg.org" }
