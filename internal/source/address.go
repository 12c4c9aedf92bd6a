package source

import (
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/pattern"
)

// address is the address of a repository, without any secret.
type address struct {
	scheme string // http, https, ssh or file
	user   string
	host   string // without port; an IPv6 address without brackets
	port   int    // 0 means the scheme's default port
	path   string // escaped for http and https, plain for ssh and file
}

var (
	scpLike   = pattern.Of(`^(?:([^@/:\s]+)@)?([^/:\s@]{2,}):([^\s].*)$`)
	hasScheme = pattern.Of(`^[A-Za-z][A-Za-z0-9+.-]*:(//|:)`)
)

const notAnAddress = "looks like an address with a login, but is not a valid address; write it as https://host/path, ssh://git@host/path or /a/folder"

// mayContainLogin reports whether a path could be a mistyped URL with a login. Such a path must not
// be shown.
func mayContainLogin(path string) bool {
	before, _, found := strings.Cut(path, "@")
	if last := strings.LastIndex(path, "@"); last >= 0 {
		before = path[:last]
	}
	return found && (strings.Contains(before, ":") || strings.HasPrefix(before, "//"))
}

// foreignSchemes lists the unsupported schemes that an error may name. Any other unknown scheme
// could be a secret.
var foreignSchemes = []string{"git", "ftp", "ftps", "ext", "fd", "rsync", "svn", "s3", "sftp", "git+http", "git+https"}

// parseAddress splits raw into its parts. password is the password in the URL, if there is one.
// problem says what is wrong, without the password; it is empty for a valid address.
func parseAddress(raw string) (a address, password, problem string) {
	switch {
	case strings.TrimSpace(raw) == "":
		return a, "", "is empty; name a repository, such as https://git.example.com/team/config.git or /srv/git/config.git"
	case strings.ContainsFunc(raw, isControl):
		return a, "", "holds a control character; remove it"
	case hasScheme.MatchString(raw):
		return parseURL(raw)
	}
	plain := strings.HasPrefix(raw, "/") || strings.HasPrefix(raw, ".")
	if m := scpLike.FindStringSubmatch(raw); m != nil && !plain {
		if strings.Contains(m[3], "@") {
			return a, "", "is not an address; write it as ssh://git@host/path"
		}
		a = address{scheme: "ssh", user: m[1], host: m[2], path: m[3]}
		return a, "", a.checkSSH()
	}
	if mayContainLogin(raw) || !plain && strings.Contains(raw, "@") {
		return a, "", notAnAddress
	}
	full, err := filepath.Abs(raw)
	if err != nil {
		return a, "", "is not a usable path: " + err.Error()
	}
	return address{scheme: "file", path: full}, "", ""
}

// Relative reports whether an address is a path that depends on the working directory.
func Relative(raw string) bool {
	a, _, problem := parseAddress(raw)
	return problem == "" && a.scheme == "file" && !hasScheme.MatchString(raw) && !filepath.IsAbs(raw)
}

func parseURL(raw string) (a address, password, problem string) {
	u, err := url.Parse(raw)
	if err != nil {
		return a, "", "is not a valid URL; write it as https://host/path"
	}
	a = address{scheme: strings.ToLower(u.Scheme), host: u.Hostname(), path: u.Path}
	if u.User != nil {
		a.user = u.User.Username()
		var set bool
		if password, set = u.User.Password(); set && a.scheme != "http" && a.scheme != "https" {
			return a, password, "contains a password; ssh needs auth.sshKeyFile and auth.knownHostsFile, a path needs no login"
		}
	}
	if mayContainLogin(u.Path) {
		return a, password, notAnAddress
	}
	if p := u.Port(); p != "" {
		if a.port, err = strconv.Atoi(p); err != nil || a.port < 1 || a.port > 65535 {
			return a, password, "has port " + p + "; a port is 1 to 65535"
		}
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return a, password, "has a ? or # part; a repository's address ends with its path"
	}
	switch a.scheme {
	case "https", "http":
		a.path = u.EscapedPath()
		return a, password, a.checkHTTP()
	case "ssh", "git+ssh", "ssh+git":
		a.scheme = "ssh"
		if strings.HasPrefix(a.path, "/~") {
			a.path = a.path[1:]
		}
		return a, "", a.checkSSH()
	case "file":
		if a.host != "" && a.host != "localhost" {
			return a, password, "names the host " + strconv.Quote(a.host) + "; write file:///path with three slashes"
		}
		a.host, a.user = "", ""
		a.path = filepath.Clean(a.path)
		return a, password, ""
	}
	if !slices.Contains(foreignSchemes, a.scheme) {
		return a, password, "uses an unknown protocol; use https, ssh or a local path"
	}
	return a, password, "uses " + a.scheme + "; use https, ssh or a local path"
}

func (a address) checkHTTP() string {
	switch {
	case a.host == "":
		return "names no host; write it as https://host/path"
	case strings.Trim(a.path, "/") == "":
		return "names no repository; write it as https://host/path"
	case a.scheme == "http" && !outbound.Loopback(a.host):
		return "is not encrypted; use https (http is for this machine's own addresses)"
	}
	return ""
}

func (a address) checkSSH() string {
	switch {
	case a.host == "":
		return "names no host; write it as ssh://git@host/path"
	case strings.HasPrefix(a.host, "-") || strings.HasPrefix(a.user, "-"):
		return "has a host or user that starts with a dash"
	case strings.Trim(a.path, "/") == "" || strings.HasPrefix(a.path, "-"):
		return "names no repository; write it as ssh://git@host/path"
	}
	return ""
}

func isControl(r rune) bool { return r < 0x20 || r == 0x7f }

// String returns the address for people and logs. It never contains a password, and contains a user
// only for ssh.
func (a address) String() string {
	if a.scheme == "file" {
		return a.path
	}
	s := a.scheme + "://"
	if a.scheme == "ssh" && a.user != "" {
		s += a.user + "@"
	}
	s += a.hostPort()
	if !strings.HasPrefix(a.path, "/") {
		s += "/"
	}
	return s + a.path
}

func (a address) hostPort() string {
	if a.port != 0 {
		return net.JoinHostPort(a.host, strconv.Itoa(a.port))
	}
	if strings.Contains(a.host, ":") {
		return "[" + a.host + "]"
	}
	return a.host
}
