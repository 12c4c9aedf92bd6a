package source

import (
	"fmt"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// check returns all problems of the config. Each problem names its field.
func (c *Config) check() (address, []string) {
	var problems []string
	add := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }

	addr, password, problem := parseAddress(c.URL)
	if problem != "" {
		add("url: %s", problem)
		addr = address{scheme: addr.scheme} // no other message may show an address that could not be parsed
	}
	if problem == "" && (password != "" || strings.HasPrefix(addr.scheme, "http") && addr.user != "" && c.Auth.TokenFile == "" && c.Auth.Token == nil) {
		add("url: contains a login; move the login to a file, and write its path in auth.tokenFile or auth.basicAuthFile")
	}
	if c.Branch != "" && !validBranch(c.Branch) {
		add("branch: %q is not a branch name; write it as `git branch` prints it, such as main", c.Branch)
	}
	if p := pathProblem(c.Path); p != "" {
		add("path: %s", p)
	}
	if c.Timeout < 0 {
		add("timeout: %s is negative; remove it to use %s", c.Timeout, DefaultTimeout)
	}
	if c.Dir != "" && strings.ContainsRune(c.Dir, 0) {
		add("dir: holds a NUL byte; give the path of a folder")
	} else if c.Dir != "" {
		c.Dir = filepath.Clean(c.Dir)
	}
	return addr, append(problems, c.Auth.problems(addr)...)
}

func (a Auth) problems(addr address) (out []string) {
	ways := 0
	for _, set := range []bool{a.TokenFile != "", a.BasicAuthFile != "", a.Token != nil} {
		if set {
			ways++
		}
	}
	login := ways > 0
	if ways > 1 {
		out = append(out, "auth: more than one of tokenFile, basicAuthFile and githubApp is set; keep one")
	}
	if a.BasicAuthFile != "" && a.Username != "" {
		out = append(out, "auth: basicAuthFile already contains the user; remove username")
	}
	switch addr.scheme {
	case "ssh":
		if login {
			out = append(out, "auth: tokenFile and basicAuthFile are only for https; ssh needs sshKeyFile and knownHostsFile")
		}
		if a.SSHKeyFile == "" {
			out = append(out, "auth.sshKeyFile: is empty; give the path of a file with a private key that has no passphrase")
		}
		if a.KnownHostsFile == "" {
			out = append(out, "auth.knownHostsFile: is empty; create the file with `ssh-keyscan "+scanArgs(addr)+"` and compare its key with the key that the host publishes")
		}
	case "http", "https":
		if a.SSHKeyFile != "" || a.KnownHostsFile != "" {
			out = append(out, "auth: sshKeyFile and knownHostsFile are only for ssh; https needs tokenFile or basicAuthFile")
		}
	case "file":
		if login || a.SSHKeyFile != "" || a.KnownHostsFile != "" {
			out = append(out, "auth: a local path needs no credentials; remove auth")
		}
	}
	return out
}

func scanArgs(addr address) string {
	if addr.host == "" {
		return "HOST"
	}
	if addr.port != 0 && addr.port != 22 {
		return "-p " + strconv.Itoa(addr.port) + " " + addr.host
	}
	return addr.host
}

// CleanPath converts a configured path to one that is valid for fs.ValidPath.
func CleanPath(p string) string {
	return path.Clean(strings.TrimSuffix("./"+p, "/"))
}

func pathProblem(p string) string {
	switch {
	case strings.HasPrefix(p, "/"):
		return fmt.Sprintf("%q is absolute; write it relative to the repository's root", p)
	case strings.ContainsFunc(p, isControl):
		return fmt.Sprintf("%q holds a control character; remove it", p)
	}
	for part := range strings.SplitSeq(CleanPath(p), "/") {
		if part == ".." {
			return fmt.Sprintf("%q leaves the repository; give the path of a folder within it", p)
		}
		if strings.EqualFold(part, ".git") {
			return fmt.Sprintf("%q is Git's own; give the path of a folder with manifests", p)
		}
	}
	return ""
}

func validBranch(name string) bool {
	return validRef("refs/heads/" + name)
}

// validRef reports whether Git allows name as a full name of a reference.
func validRef(name string) bool {
	return len(name) <= 1024 && plumbing.ReferenceName(name).Validate() == nil
}
