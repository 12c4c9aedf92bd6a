package forge

import "testing"

func TestBrowser(t *testing.T) {
	for _, c := range []struct{ site, repository, home string }{
		{"https://git.example.org", "acme/cloud", "https://git.example.org/acme/cloud"},
		{"https://user:pass@git.example.org/below/", "/acme/infra/cloud.git", "https://git.example.org/below/acme/infra/cloud"},
		{"http://127.0.0.1:3000", "acme/cloud", "http://127.0.0.1:3000/acme/cloud"},
		{"ssh://git@git.example.org", "acme/cloud", ""},
		{"javascript:alert(1)//git.example.org", "acme/cloud", ""},
		{"/srv", "acme/cloud", ""},
		{"https://git.example.org", "", ""},
	} {
		b := BrowserAt(c.site, c.repository, "/blob/", "/commit/")
		files, commit, line := c.home+"/blob/abc/", c.home+"/commit/abc", c.home+"/blob/abc/a/b.yaml#L7"
		if c.home == "" {
			files, commit, line = "", "", ""
		}
		if b.Known() != (c.home != "") || b.Files("abc") != files || b.Commit("abc") != commit || b.Line("abc", "a/b.yaml", 7) != line {
			t.Errorf("%s %s: %q, %q, %q", c.site, c.repository, b.Files("abc"), b.Commit("abc"), b.Line("abc", "a/b.yaml", 7))
		}
		if b.Files("") != "" || b.Commit("") != "" || b.Line("", "a", 1) != "" || b.Line("abc", "", 1) != "" {
			t.Errorf("%s %s has an address of nothing", c.site, c.repository)
		}
	}
}

// The name of a file can neither change the address of a repository nor end a link in Markdown.
func TestAttackBrowser(t *testing.T) {
	b := BrowserAt("https://git.example.org", "acme/cloud", "/blob/", "/commit/")
	const want = "https://git.example.org/acme/cloud/blob/abc/a%20%29%3E%3Cb%3F%23x%0A%5D%28%40x%2A%C3%A4.yaml"
	if got := b.Line("abc", "a )><b?#x\n](@x*ä.yaml", 0); got != want {
		t.Errorf("%s", got)
	}
}
