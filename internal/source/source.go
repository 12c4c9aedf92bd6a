package source

import (
	"context"
	"io/fs"
	"log/slog"
	"path"
	"time"

	"github.com/stackreeve/stackreeve/internal/source/store"
)

// Revision is a commit or an artifact, and its files, read-only. Any number of goroutines can read its Files, as long as the Revision
// is in use.
type Revision struct {
	Commit  string    // the full 40 hex digits; sha256: and 64 digits for an artifact; empty for a plain folder.
	Branch  string    // the branch, or the requested reference; the tag of an artifact.
	Subject string    // the first line of the commit's message.
	Author  string    // the author's name.
	Time    time.Time // the time of the commit.
	Parent  string    // the commit's first parent: the branch's previous commit, if one commit was pushed.
	// Tree is the hash of the configured folder. Equal trees have equal files, whatever the commits. It is empty for
	// a plain folder.
	Tree string
	// Root is the configured path from the repository's root; empty for the root itself. The paths in Files begin
	// there.
	Root  string
	Files fs.FS // the files below the configured path
	// Folder is the plain folder that contains the files, as the caller named it; empty for a commit.
	Folder string
	// Signed says who signed the revision; the zero value if no signature was checked.
	Signed Signed
}

// InRepository returns a file's path from the repository's root.
func (r Revision) InRepository(file string) string {
	if _, err := fs.Stat(r.Files, file); err == nil {
		return path.Join(r.Root, file)
	}
	return file
}

// Auth says where the credentials are. The files are read again at every fetch, so that the credentials can be
// replaced. Their content is trimmed, and never appears in a log or an error.
type Auth struct {
	TokenFile      string // a token, sent as the password of an https login.
	Username       string // the user of the login; default x-access-token for https, git for ssh.
	BasicAuthFile  string // user:password of an https login.
	SSHKeyFile     string // a private key without a passphrase.
	KnownHostsFile string // the trusted host keys; needed for ssh.

	// Token, if it is set, replaces TokenFile and BasicAuthFile. Every fetch calls it. It is for tokens that expire
	// after an hour, such as those of a GitHub App. Renew, if it is set, is called with a refused token; then the
	// request is sent once more.
	Token func(context.Context) (string, error)
	Renew func(refused string)
}

// Config names a repository, a branch and a folder, and says how to reach them.
type Config struct {
	URL    string // https://, ssh://, user@host:path, file:// or a local path; http:// on loopback only.
	Branch string // empty for the branch to which the repository's HEAD points.
	Path   string // a folder within the repository; empty for its root.
	// Folders are the only folders below Path that count; all of them if it is empty. A revision without one of them is an
	// error. Other folders do not change the revision's Tree.
	Folders []string
	Auth    Auth
	CAFile  string        // PEM certificates that are trusted besides the system's.
	Dir     string        // a cache folder that several processes may share; empty for a cache in memory.
	Timeout time.Duration // for one fetch; 0 means DefaultTimeout.
}

// DefaultTimeout is the time limit of a fetch if Config has none.
const DefaultTimeout = 2 * time.Minute

// New checks cfg without a request to the server. It returns all problems together, as one ErrConfig.
func New(cfg Config, log *slog.Logger) (*Repo, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	addr, problems := cfg.check()
	if len(problems) > 0 {
		return nil, ConfigError(problems)
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = DefaultTimeout
	}
	cfg.Path = CleanPath(cfg.Path)
	log = log.With("source", addr.String())
	shared := &clone{remote: newRemote(addr, cfg), cache: store.NewCache(cfg.Dir, addr.String(), log), busy: make(chan struct{}, 1)}
	shared.users.Store(1)
	return &Repo{cfg: cfg, addr: addr, log: log, clone: shared}, nil
}

// CheckLocal returns an error if a source on this machine is wrong, such as a missing folder. It returns nil for any
// other source, because it sends no request.
func (c Config) CheckLocal() error {
	addr, problems := c.check()
	if len(problems) > 0 || addr.scheme != "file" {
		return nil
	}
	session, err := (&localRemote{path: addr.path}).open(context.Background(), nil)
	if err != nil {
		return finish(context.Background(), addr, nil, err)
	}
	return session.Close()
}
