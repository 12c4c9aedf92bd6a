package source

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"golang.org/x/crypto/ssh"

	"github.com/stackreeve/stackreeve/internal/source/failure"
)

// sshRemote runs git-upload-pack on a host whose key is known. It does not read ssh_config and does
// not use an ssh agent. Its only key is the configured one.
type sshRemote struct {
	addr address
	auth Auth
}

func (r *sshRemote) open(ctx context.Context, hidden *secrets) (transport.UploadPackSession, error) {
	config, err := r.clientConfig(hidden)
	if err != nil {
		return nil, err
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", r.hostPort())
	if err != nil {
		return nil, fmt.Errorf("connecting: %w", err)
	}
	// When the context ends, the connection is closed, which ends every wait below.
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	s := &sshSession{close: func() { stop(); conn.Close() }}
	if err := s.start(conn, r.hostPort(), config, "git-upload-pack "+shellQuote(r.addr.path)); err != nil {
		s.close()
		return nil, r.explain(err)
	}
	return s, nil
}

func (r *sshRemote) hostPort() string {
	port := r.addr.port
	if port == 0 {
		port = 22
	}
	return net.JoinHostPort(r.addr.host, strconv.Itoa(port))
}

func (r *sshRemote) clientConfig(hidden *secrets) (*ssh.ClientConfig, error) {
	key, err := ReadSecret("sshKeyFile", r.auth.SSHKeyFile)
	if err != nil {
		return nil, err
	}
	hidden.add(key)
	signer, err := ssh.ParsePrivateKey([]byte(key + "\n"))
	var locked *ssh.PassphraseMissingError
	switch {
	case errors.As(err, &locked):
		return nil, failure.New(ErrCredentials, "auth.sshKeyFile: the key in %s has a passphrase; use a key without one, such as a deploy key that can only read", r.auth.SSHKeyFile)
	case err != nil:
		return nil, failure.New(ErrCredentials, "auth.sshKeyFile: %s does not hold a private key in PEM or OpenSSH format", r.auth.SSHKeyFile)
	}
	callback, algorithms, err := r.hostKeys()
	if err != nil {
		return nil, err
	}
	return &ssh.ClientConfig{
		User:              cmp.Or(r.auth.Username, r.addr.user, "git"),
		Auth:              []ssh.AuthMethod{ssh.PublicKeys(signer)},
		HostKeyCallback:   callback,
		HostKeyAlgorithms: algorithms,
	}, nil
}

func (r *sshRemote) explain(err error) error {
	var known *failure.Error
	switch {
	case errors.As(err, &known):
		return known
	case strings.Contains(err.Error(), "unable to authenticate"):
		return failure.New(ErrCredentials, "the host does not accept the key in %s for this user; add the public key to the repository's deploy keys", r.auth.SSHKeyFile)
	case strings.Contains(err.Error(), "no common algorithm for host key"):
		return failure.New(ErrCredentials, "the host has no key of the kinds that %s lists for it; run `ssh-keyscan %s`, compare, and add what it prints", r.auth.KnownHostsFile, scanArgs(r.addr))
	}
	return fmt.Errorf("connecting: %w", err)
}

// shellQuote quotes s as one word for any POSIX shell, and for git-shell.
func shellQuote(s string) string {
	return "'" + strings.NewReplacer("'", `'\''`, "!", `'\!'`).Replace(s) + "'"
}

// sshSession is one process of git-upload-pack on the server.
type sshSession struct {
	close    func()
	answered bool // whether the server has sent references
	in       io.WriteCloser
	out      io.Reader
	stderr   tail
}

func (s *sshSession) start(conn net.Conn, addr string, config *ssh.ClientConfig, command string) error {
	c, channels, requests, err := ssh.NewClientConn(conn, addr, config)
	if err != nil {
		return err
	}
	session, err := ssh.NewClient(c, channels, requests).NewSession()
	if err != nil {
		return err
	}
	if s.in, err = session.StdinPipe(); err != nil {
		return err
	}
	if s.out, err = session.StdoutPipe(); err != nil {
		return err
	}
	session.Stderr = &s.stderr
	if err := session.Start(command); err != nil {
		return err
	}
	wait := make(chan struct{})
	go func() { defer close(wait); _ = session.Wait() }() // the text in stderr says what went wrong
	s.stderr.done = wait
	return nil
}

func (s *sshSession) Close() error {
	s.close()
	return nil
}

func (s *sshSession) AdvertisedReferences() (*packp.AdvRefs, error) {
	return s.AdvertisedReferencesContext(context.Background())
}

func (s *sshSession) AdvertisedReferencesContext(ctx context.Context) (*packp.AdvRefs, error) {
	refs := packp.NewAdvRefs()
	err := refs.Decode(&bounded{r: s.out, left: maxRefsBytes, what: "the list of references"})
	switch {
	case errors.Is(err, packp.ErrEmptyAdvRefs):
		return packp.NewAdvRefs(), nil
	case err != nil:
		return nil, s.explain(ctx, err)
	}
	s.answered = true
	transport.FilterUnsupportedCapabilities(refs.Capabilities)
	return refs, nil
}

func (s *sshSession) UploadPack(ctx context.Context, req *packp.UploadPackRequest) (*packp.UploadPackResponse, error) {
	if err := req.Validate(); err != nil {
		return nil, err
	}
	var ask bytes.Buffer
	if err := req.UploadRequest.Encode(&ask); err != nil {
		return nil, err
	}
	if err := req.UploadHaves.Encode(&ask, true); err != nil {
		return nil, err
	}
	if err := pktline.NewEncoder(&ask).EncodeString("done\n"); err != nil {
		return nil, err
	}
	if _, err := ask.WriteTo(s.in); err != nil {
		return nil, s.explain(ctx, err)
	}
	if err := s.in.Close(); err != nil {
		return nil, s.explain(ctx, err)
	}
	resp := packp.NewUploadPackResponse(req)
	in := &bounded{r: s.out, left: maxPreamble, what: "the data before the pack"}
	if err := resp.Decode(io.NopCloser(in)); err != nil {
		return nil, s.explain(ctx, err)
	}
	in.left += maxAnswerBytes
	return resp, nil
}

// explain adds the message that the server sent before it closed the connection.
func (s *sshSession) explain(ctx context.Context, err error) error {
	var known *failure.Error
	if ctx.Err() != nil || errors.As(err, &known) {
		return err
	}
	words := s.stderr.wait(ctx)
	var line *pktline.ErrorLine
	if errors.As(err, &line) || words == "" {
		return err
	}
	if s.answered {
		return fmt.Errorf("talking to git-upload-pack%s: %w", quoteServer(words), err)
	}
	return refusal(words)
}

// tail stores the first kilobyte of the text that is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
	done <-chan struct{}
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[:min(len(p), 1024-len(t.text))]...)
	return len(p), nil
}

// wait waits until the server has closed the session, and returns the stored text.
func (t *tail) wait(ctx context.Context) string {
	select {
	case <-t.done:
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
