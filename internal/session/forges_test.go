package session

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/config"
)

// The web addresses come from the forge that the stack reports to, or else from a host whose kind is certain.
func TestBrowser(t *testing.T) {
	gitHub := func(api string) config.Report {
		return config.Report{GitHub: &config.GitHub{Repository: "acme/clouds", APIURL: api, TokenFile: "token"}}
	}
	for _, c := range []struct {
		source string
		report config.Report
		want   string
	}{
		{"https://user:pass@github.com/acme/clouds.git", config.Report{}, "https://github.com/acme/clouds/blob/abc/d/a.yaml#L3"},
		{"https://GitHub.com/acme/clouds.git", config.Report{}, "https://GitHub.com/acme/clouds/blob/abc/d/a.yaml#L3"},
		{"https://codeberg.org/acme/clouds", config.Report{}, "https://codeberg.org/acme/clouds/src/commit/abc/d/a.yaml#L3"},
		{"https://gitlab.acme.example/a/b/c.git", config.Report{}, "https://gitlab.acme.example/a/b/c/-/blob/abc/d/a.yaml#L3"},
		{"https://git.acme.example/acme/clouds", config.Report{}, ""},
		{"ssh://git@github.com/acme/clouds.git", config.Report{}, ""},
		{"/srv/clouds", config.Report{}, ""},
		{"javascript:alert(1)//github.com", config.Report{}, ""},
		{"ssh://git@github.com/acme/clouds.git", gitHub("https://api.github.com"), "https://github.com/acme/clouds/blob/abc/d/a.yaml#L3"},
		{"/srv/clouds", gitHub("https://ghe.acme.example/api/v3"), "https://ghe.acme.example/acme/clouds/blob/abc/d/a.yaml#L3"},
		{"/srv/clouds", config.Report{Gitea: &config.Gitea{URL: "https://git.acme.example", Repository: "acme/clouds"}}, "https://git.acme.example/acme/clouds/src/commit/abc/d/a.yaml#L3"},
		{"/srv/clouds", config.Report{GitLab: &config.GitLab{URL: "https://git.acme.example/below", Project: "a/b/c"}}, "https://git.acme.example/below/a/b/c/-/blob/abc/d/a.yaml#L3"},
		{"/srv/clouds", config.Report{Gerrit: &config.Gerrit{URL: "https://review.acme.example", Project: "clouds", User: "agent"}}, ""},
	} {
		s := &config.Stack{}
		s.Spec.Source.URL, s.Spec.Report = c.source, c.report
		if got := Browser(s).Line("abc", "d/a.yaml", 3); got != c.want {
			t.Errorf("%s: %q, want %q", c.source, got, c.want)
		}
		for _, target := range (Reporting{}).Targets(s) {
			if f, err := target.Open(); err != nil || f.Browser.Line("abc", "d/a.yaml", 3) != c.want {
				t.Errorf("%s: the opened forge has %q (%v), want %q", c.source, f.Browser.Line("abc", "d/a.yaml", 3), err, c.want)
			}
		}
	}
}

// The addresses in notifications are those of the commit.
func TestBrowserOfCommits(t *testing.T) {
	for repository, want := range map[string]string{
		"https://token@github.com/acme/config.git": "https://github.com/acme/config/commit/abc", "https://gitlab.com/acme/config": "https://gitlab.com/acme/config/-/commit/abc",
		"https://codeberg.org/acme/config": "https://codeberg.org/acme/config/commit/abc", "ssh://git@github.com/acme/config": "", "https://git.example/acme/config": "",
	} {
		s := &config.Stack{}
		s.Spec.Source.URL = repository
		if got := Browser(s).Commit("abc"); got != want {
			t.Errorf("%s: %q, want %q", repository, got, want)
		}
	}
}
