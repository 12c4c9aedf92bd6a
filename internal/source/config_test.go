package source

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/outbound"
)

func TestAddresses(t *testing.T) {
	key := Auth{SSHKeyFile: "k", KnownHostsFile: "h"}
	for raw, c := range map[string]struct {
		want string
		auth Auth
	}{
		"https://git.example.com/team/config.git":   {"https://git.example.com/team/config.git", Auth{}},
		"HTTPS://git.example.com:8443/a%20b":        {"https://git.example.com:8443/a%20b", Auth{}},
		"https://ann@git.example.com/a":             {"https://git.example.com/a", Auth{TokenFile: "t"}},
		"http://127.0.0.1:8080/a":                   {"http://127.0.0.1:8080/a", Auth{}},
		"http://[::1]:8080/a":                       {"http://[::1]:8080/a", Auth{}},
		"http://localhost/a":                        {"http://localhost/a", Auth{}},
		"ssh://git@git.example.com/team/config.git": {"ssh://git@git.example.com/team/config.git", key},
		"ssh://git.example.com:2222/a":              {"ssh://git.example.com:2222/a", key},
		"ssh://git@git.example.com/~ann/a":          {"ssh://git@git.example.com/~ann/a", key},
		"git@git.example.com:team/config.git":       {"ssh://git@git.example.com/team/config.git", key},
		"git.example.com:/srv/config.git":           {"ssh://git.example.com/srv/config.git", key},
		"/srv/git/config.git":                       {"/srv/git/config.git", Auth{}},
		"file:///srv/git/config.git/":               {"/srv/git/config.git", Auth{}},
		"/srv/with:colon/a":                         {"/srv/with:colon/a", Auth{}},
	} {
		r, err := New(Config{URL: raw, Auth: c.auth}, nil)
		if err != nil {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		if r.addr.String() != c.want {
			t.Errorf("%s = %s, want %s", raw, r.addr, c.want)
		}
	}
}

func TestWrongConfig(t *testing.T) {
	const url = "https://git.example.com/a"
	key := Auth{SSHKeyFile: "k", KnownHostsFile: "h"}
	for _, c := range []struct {
		cfg   Config
		words string
	}{
		{Config{}, "source.url: is empty"},
		{Config{URL: "https://"}, "names no host"},
		{Config{URL: "https://git.example.com"}, "names no repository"},
		{Config{URL: "http://git.example.com/a"}, "is not encrypted"},
		{Config{URL: "http://127.0.0.1.example.com/a"}, "is not encrypted"},
		{Config{URL: "git://git.example.com/a"}, "uses git; use https, ssh"},
		{Config{URL: "ext::sh -c true"}, "uses ext"},
		{Config{URL: "ftp://git.example.com/a"}, "uses ftp"},
		{Config{URL: "https://git.example.com/a?b=c"}, "? or # part"},
		{Config{URL: "https://git.example.com:99999/a"}, "port"},
		{Config{URL: "https://git.example.com/a\n"}, "control character"},
		{Config{URL: "https://%zz" + token}, "not a valid URL"},
		{Config{URL: "https://ann:s3cr3t-t@git.example.com/a"}, "contains a login"},
		{Config{URL: "https://" + "s3cr3t-t" + "@git.example.com/a"}, "contains a login"},
		{Config{URL: "ssh://ann:" + "s3cr3t-t" + "@git.example.com/a", Auth: key}, "contains a password"},
		{Config{URL: "ann:s3cr3t-t@git.example.com:a", Auth: key}, "not an address"},
		{Config{URL: "ssh://-oProxyCommand=x/a", Auth: key}, "dash"},
		{Config{URL: "-oProxyCommand=x@git.example.com:a", Auth: key}, "dash"},
		{Config{URL: "ssh://git.example.com/", Auth: key}, "names no repository"},
		{Config{URL: "ssh://git.example.com/a"}, "auth.sshKeyFile: is empty"},
		{Config{URL: "ssh://git.example.com:22000/a"}, "ssh-keyscan -p 22000 git.example.com"},
		{Config{URL: "ssh://git.example.com/a", Auth: Auth{TokenFile: "t"}}, "are only for https"},
		{Config{URL: url, Auth: key}, "are only for ssh"},
		{Config{URL: "/srv/a", Auth: Auth{TokenFile: "t"}}, "needs no credentials"},
		{Config{URL: url, Auth: Auth{TokenFile: "t", BasicAuthFile: "b"}}, "keep one"},
		{Config{URL: url, Auth: Auth{Username: "u", BasicAuthFile: "b"}}, "remove username"},
		{Config{URL: "file://host/a"}, "three slashes"},
		{Config{URL: url, Branch: "a..b"}, `source.branch: "a..b"`},
		{Config{URL: url, Branch: "-b"}, "source.branch: "},
		{Config{URL: url, Branch: "a b"}, "source.branch: "},
		{Config{URL: url, Branch: "x\x00"}, "source.branch: "},
		{Config{URL: url, Path: "/clouds"}, "is absolute"},
		{Config{URL: url, Path: "a/../../b"}, "leaves the repository"},
		{Config{URL: url, Path: "a/.GIT/b"}, "is Git's own"},
		{Config{URL: url, Path: "a\x00b"}, "control character"},
		{Config{URL: url, Timeout: -time.Second}, "is negative"},
	} {
		_, err := New(c.cfg, nil)
		if err == nil {
			t.Errorf("%+v is accepted", c.cfg)
			continue
		}
		wantError(t, err, ErrConfig, c.words)
		if strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("the secret shows: %s", err)
		}
	}
}

func TestAllProblemsAtOnce(t *testing.T) {
	_, err := New(Config{URL: "ssh://git.example.com/a", Branch: "a..b", Path: "/x", Timeout: -1}, nil)
	wantError(t, err, ErrConfig, "source.branch: ", "source.path: ", "source.timeout: ", "source.auth.sshKeyFile: ", "source.auth.knownHostsFile: ")
	if lines := strings.Count(err.Error(), "\n") + 1; lines != 5 {
		t.Errorf("%d lines: %s", lines, err)
	}
}

func FuzzAddress(f *testing.F) {
	for _, seed := range []string{"https://a:b@c/d", "git@host:path", "/a", "ssh://a/b", "file:///a", "host:path", "a@b@c:d"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		addr, password, problem := parseAddress(raw)
		if problem != "" {
			return
		}
		if addr.scheme != "file" && addr.host == "" {
			t.Errorf("%q has no host", raw)
		}
		if addr.scheme == "http" && !outbound.Loopback(addr.host) {
			t.Errorf("%q is not encrypted", raw)
		}
		if len(password) > 8 && strings.Contains(addr.String(), password) && strings.Count(raw, password) == 1 {
			t.Errorf("%q shows its password: %s", raw, addr)
		}
		if addr.scheme == "ssh" && strings.HasPrefix(addr.host, "-") {
			t.Errorf("%q is an option", raw)
		}
	})
}

func FuzzPath(f *testing.F) {
	for _, seed := range []string{"", ".", "a/b", "../a", "a//b/", "./a", "a/./b", "/", "..", "a/../..", `a\b`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if pathProblem(path) != "" {
			return
		}
		clean := CleanPath(path)
		if strings.ToValidUTF8(clean, "") == clean && !fs.ValidPath(clean) {
			t.Errorf("%q becomes %q", path, clean)
		}
	})
}

func FuzzRef(f *testing.F) {
	for _, seed := range []string{"main", "refs/pull/1/head", "a..b", "-x", "a\x00", "HEAD"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, ref string) {
		err := checkRef(ref)
		if err == nil && (strings.Contains(ref, "..") || strings.ContainsFunc(ref, isControl) || strings.HasPrefix(ref, "-")) {
			t.Errorf("%q is accepted", ref)
		}
		if err != nil && !errors.Is(err, ErrNotFound) {
			t.Errorf("%q: %v", ref, err)
		}
	})
}
