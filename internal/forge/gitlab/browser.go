package gitlab

import (
	"strings"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// Browser gives the addresses of a project on the GitLab at site.
func Browser(site, project string) forge.Browser {
	return forge.BrowserAt(site, project, "/-/blob/", "/-/commit/")
}

// Serves reports whether the name of a host shows that the host is a GitLab.
func Serves(host string) bool { return strings.HasPrefix(host, "gitlab.") }
