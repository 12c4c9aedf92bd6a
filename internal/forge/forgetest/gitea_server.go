package forgetest

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// giteaServer is a Gitea process and its files.
type giteaServer struct {
	binary    giteaBinary
	dir       string
	http, ssh int    // ports
	hostKey   string // a line of authorized_keys

	mu      sync.Mutex
	process *exec.Cmd
	ended   chan struct{} // closed when the process has ended
	log     bytes.Buffer
}

// giteaConfig turns off mail, cron and avatars from other sites. The verbs are, in order: the
// folder, the static files, the HTTP port, the SSH port, and a secret.
const giteaConfig = `APP_NAME = forge
RUN_MODE = prod
WORK_PATH = %[1]s
[server]
STATIC_ROOT_PATH = %[2]s
HTTP_ADDR = 127.0.0.1
HTTP_PORT = %[3]d
DOMAIN = 127.0.0.1
ROOT_URL = http://127.0.0.1:%[3]d/
LOCAL_ROOT_URL = http://127.0.0.1:%[3]d/
START_SSH_SERVER = true
SSH_LISTEN_HOST = 127.0.0.1
SSH_LISTEN_PORT = %[4]d
SSH_PORT = %[4]d
SSH_SERVER_HOST_KEYS = host_key
BUILTIN_SSH_SERVER_USER = git
OFFLINE_MODE = true
LFS_START_SERVER = false
[database]
DB_TYPE = sqlite3
PATH = %[1]s/gitea.db
SQLITE_JOURNAL_MODE = WAL
[security]
INSTALL_LOCK = true
SECRET_KEY = %[5]s
PASSWORD_HASH_ALGO = pbkdf2$1000$50
[oauth2]
ENABLED = false
[service]
DISABLE_REGISTRATION = true
[webhook]
ALLOWED_HOST_LIST = loopback
DELIVER_TIMEOUT = 20
[migrations]
ALLOW_LOCALNETWORKS = true
[cron]
ENABLED = false
[actions]
ENABLED = false
[packages]
ENABLED = false
[indexer]
ISSUE_INDEXER_TYPE = db
[mailer]
ENABLED = false
[repository.signing]
SIGNING_KEY = none
[log]
MODE = console
LEVEL = Warn
`

// prepare writes the configuration, with ports that are not in use.
func (s *giteaServer) prepare() error {
	var err error
	if s.http, err = freePort(); err != nil {
		return err
	}
	if s.ssh, err = freePort(); err != nil {
		return err
	}
	if s.hostKey, err = makeHostKey(filepath.Join(s.dir, "data", "host_key")); err != nil {
		return err
	}
	text := fmt.Sprintf(giteaConfig, s.dir, s.binary.source, s.http, s.ssh, rand.Text())
	return os.WriteFile(s.config(), []byte(text), 0o600)
}

func (s *giteaServer) config() string { return filepath.Join(s.dir, "app.ini") }

func (s *giteaServer) url() string { return fmt.Sprintf("http://127.0.0.1:%d", s.http) }

// run runs one of Gitea's own commands, and waits until it ends.
func (s *giteaServer) run(ctx context.Context, args ...string) (string, error) {
	cmd := s.command(ctx, args...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("gitea %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return string(out), nil
}

func (s *giteaServer) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, s.binary.path, append(args, "--config", s.config())...)
	cmd.Dir = s.dir
	cmd.Env = gitEnv(s.dir)
	cmd.Env = append(cmd.Env, "GITEA_WORK_DIR="+s.dir, "GITEA_I_AM_BEING_UNSAFE_RUNNING_AS_ROOT=true", "USER=git")
	return cmd
}

// gitEnv returns an environment in which git reads no settings of the machine's users.
func gitEnv(home string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "LANG=C.UTF-8",
	}
}

// start starts the server, and returns when the server answers. The server runs until stop is
// called.
func (s *giteaServer) start(ctx context.Context) error {
	cmd := s.command(context.WithoutCancel(ctx), "web")
	s.mu.Lock()
	s.log.Reset()
	s.process, s.ended = cmd, make(chan struct{})
	gone := s.ended
	s.mu.Unlock()
	cmd.Stdout, cmd.Stderr = s, s
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() {
		_ = cmd.Wait() // the log says why the process ended
		close(gone)
	}()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !s.answers(ctx) {
		select {
		case <-ctx.Done():
			s.stop()
			return fmt.Errorf("gitea did not start: %w: %s", ctx.Err(), s.output())
		case <-gone:
			return fmt.Errorf("gitea ended: %s", s.output())
		case <-tick.C:
		}
	}
	return nil
}

func (s *giteaServer) answers(ctx context.Context) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url()+"/api/v1/version", nil)
	if err != nil {
		return false
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// stop ends the process with SIGTERM, and then with SIGKILL.
func (s *giteaServer) stop() {
	s.mu.Lock()
	cmd, gone := s.process, s.ended
	s.mu.Unlock()
	if cmd == nil || cmd.Process == nil {
		return
	}
	_ = cmd.Process.Signal(syscall.SIGTERM) // the process may have ended already
	select {
	case <-gone:
	case <-time.After(15 * time.Second):
		_ = cmd.Process.Kill()
		<-gone
	}
}

// Write implements io.Writer. It stores the output of the process.
func (s *giteaServer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.Write(p)
}

func (s *giteaServer) output() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

func freePort() (int, error) {
	var config net.ListenConfig
	l, err := config.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// startGitea starts a server until the test ends.
func startGitea(t testing.TB) *giteaServer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 25*time.Minute)
	defer cancel()
	binary, err := buildGitea(ctx)
	if err != nil {
		t.Fatal(err)
	}
	s := &giteaServer{binary: binary, dir: t.TempDir()}
	// Another process may take a port after it was chosen and before it is used.
	for range 3 {
		if err = s.prepare(); err != nil {
			break
		}
		wait, cancel := context.WithTimeout(ctx, 2*time.Minute)
		err = s.start(wait)
		cancel()
		if err == nil {
			break
		}
	}
	t.Cleanup(func() {
		s.stop()
		if t.Failed() {
			t.Logf("gitea said:\n%s", s.output())
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
