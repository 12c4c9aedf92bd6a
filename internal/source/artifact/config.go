package artifact

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"oras.land/oras-go/v2/registry"

	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/source"
	"github.com/stackreeve/stackreeve/internal/source/store"
)

// Config names an artifact, and says how to reach it.
type Config struct {
	URL      string   // oci://registry/repository, or https:// and the path of an archive; http:// on loopback only.
	Tag      string   // the tag of an artifact in a registry.
	Digest   string   // sha256: and 64 digits: of the manifest in a registry, or of the archive.
	Path     string   // a folder within the artifact; empty for its root.
	Folders  []string // the folders below Path that the artifact must have.
	Auth     Auth
	CAFile   string        // PEM certificates that are trusted besides the system's.
	KeyFiles []string      // PEM public keys, one of which must have signed the artifact; empty if signatures are not checked.
	Signed   string        // the repository of the same registry in which cosign stores signatures; empty for that of the artifact.
	Timeout  time.Duration // for one fetch; 0 means two minutes.
}

// Auth says where the credentials are. The files are read again at every fetch.
type Auth struct {
	TokenFile        string // a token that is sent as the password of a login.
	Username         string // the user of that login.
	BasicAuthFile    string // user:password.
	DockerConfigFile string // the config.json that `docker login` writes; for registries.
}

const scheme = "oci://"

// archives are the endings of the paths of archives.
var archives = []string{".tar", ".tar.gz", ".tgz", ".tar.zst"}

// Is reports whether an address is one of an artifact. Every other address is one of a Git repository.
func Is(address string) bool {
	if strings.HasPrefix(strings.ToLower(address), scheme) {
		return true
	}
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && slices.ContainsFunc(archives, func(ending string) bool { return strings.HasSuffix(u.Path, ending) })
}

var (
	digestForm = pattern.Of(`^sha256:[0-9a-f]{64}$`)
	tagForm    = pattern.Of(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$`)
)

// check returns all problems of the config. Each problem begins with its field.
func (c *Config) check() (at place, problems []string) {
	add := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	at, problem := parse(c.URL)
	if problem != "" {
		add("url: %s", problem)
	}
	if c.Digest != "" && !digestForm.MatchString(c.Digest) {
		add("digest: is not sha256: and 64 digits from 0 to f")
	}
	switch {
	case at.registry && c.Tag != "" && c.Digest != "":
		add("digest: is set together with tag; keep one of them")
	case at.registry && c.Tag == "" && c.Digest == "":
		add("tag: is missing; name the tag to follow, or set digest to stay at one artifact")
	case at.registry && c.Tag != "" && !tagForm.MatchString(c.Tag):
		add("tag: is not a tag; a tag has at most 128 letters, digits, dots, dashes and underscores")
	case at.archive() && c.Tag != "":
		add("tag: is for registries; an archive has none")
	case at.archive() && c.Digest == "" && len(c.KeyFiles) == 0:
		add("digest: is missing; an archive needs digest or verify.cosignKeyFiles, because its server alone does not prove who made it")
	}
	switch {
	case c.Signed == "":
	case len(c.KeyFiles) == 0 || !at.registry:
		add("verify.cosignRepository: needs an address with oci:// and verify.cosignKeyFiles")
	case strings.HasPrefix(c.Signed, at.host+"/"):
		add("verify.cosignRepository: begins with the address of the registry; write it as %s", strings.TrimPrefix(c.Signed, at.host+"/"))
	case registry.Reference{Registry: at.host, Repository: c.Signed}.ValidateRepository() != nil:
		add("verify.cosignRepository: is not the name of a repository in the registry; write it as team/signatures, in lower case")
	}
	if p := pathProblem(c.Path); p != "" {
		add("path: %s", p)
	}
	return at, append(problems, c.Auth.problems(at)...)
}

func (a Auth) problems(at place) (out []string) {
	ways := slices.DeleteFunc([]string{a.TokenFile, a.BasicAuthFile, a.DockerConfigFile}, func(file string) bool { return file == "" })
	if len(ways) > 1 {
		out = append(out, "auth: more than one of tokenFile, basicAuthFile and dockerConfigFile is set; keep one")
	}
	if at.archive() && a.DockerConfigFile != "" {
		out = append(out, "auth: dockerConfigFile is for registries; a web server takes tokenFile or basicAuthFile")
	}
	if a.Username != "" && a.TokenFile == "" {
		out = append(out, "auth: username is set without tokenFile; remove it, or set tokenFile")
	}
	return out
}

// place is the address of an artifact. It contains no secret.
type place struct {
	text       string // the address for people.
	host       string // with the port.
	repository string // the name of the repository in a registry.
	registry   bool
	address    *url.URL // of an archive.
}

func (p place) archive() bool { return p.address != nil }

// hostname returns the host without its port.
func (p place) hostname() string { return (&url.URL{Host: p.host}).Hostname() }

func parse(raw string) (place, string) {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return place{}, "is not a valid address"
	case u.User != nil:
		return place{}, "carries a login; remove it and put it in a file named by auth"
	case u.RawQuery != "" || u.Fragment != "" || u.Opaque != "":
		return place{}, "has a ? or # part; end it with the path"
	case u.Host == "":
		return place{}, "names no host"
	}
	if strings.ToLower(u.Scheme) != "oci" {
		if u.Scheme != "https" && !outbound.Loopback(u.Hostname()) {
			return place{}, "is not encrypted; use https (http is for this machine's own addresses)"
		}
		return place{text: u.String(), host: u.Host, address: u}, ""
	}
	ref := registry.Reference{Registry: u.Host, Repository: strings.Trim(u.Path, "/")}
	if strings.ContainsAny(ref.Repository, ":@") {
		return place{}, "names a tag or digest; remove it and set source.tag or source.digest"
	}
	if ref.ValidateRegistry() != nil || ref.ValidateRepository() != nil {
		return place{}, "is not the address of a repository in a registry; write it as oci://registry.example.com/team/config, in lower case"
	}
	return place{text: scheme + u.Host + "/" + ref.Repository, host: ref.Host(), repository: ref.Repository, registry: true}, ""
}

func pathProblem(p string) string {
	if strings.HasPrefix(p, "/") {
		return fmt.Sprintf("%q is absolute; write it relative to the artifact's root", p)
	}
	clean := source.CleanPath(p)
	if clean == "." {
		return ""
	}
	for part := range strings.SplitSeq(clean, "/") {
		if problem := store.NameProblem(part); problem != "" {
			return fmt.Sprintf("%q is not a folder within the artifact: a name %s", p, problem)
		}
	}
	return ""
}
