package source

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/stackreeve/stackreeve/internal/source/gittest"
)

// sshServer runs the real git-upload-pack for anybody who has the client's key.
type sshServer struct {
	t          testing.TB
	g          *gittest.Repo
	addr       string
	hostKeys   []ssh.Signer
	clientKey  string // a file
	knownHosts string // a file
	refuse     string // a text that is written to stderr; then git does not run
	waiting    sync.WaitGroup
}

func newSigner(t testing.TB) (ssh.Signer, string) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	return signer, string(pem.EncodeToMemory(block))
}

func newRSASigner(t testing.TB) ssh.Signer {
	t.Helper()
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

func serveSSH(t testing.TB, g *gittest.Repo, more ...ssh.Signer) *sshServer {
	t.Helper()
	host, _ := newSigner(t)
	client, key := newSigner(t)
	s := &sshServer{t: t, g: g, hostKeys: append(more, host), clientKey: writeFile(t, key)}
	config := &ssh.ServerConfig{PublicKeyCallback: func(meta ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
		if meta.User() != "git" || string(key.Marshal()) != string(client.PublicKey().Marshal()) {
			return nil, fmt.Errorf("unknown key")
		}
		return nil, nil
	}}
	for _, k := range s.hostKeys {
		config.AddHostKey(k)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.addr = listener.Addr().String()
	s.knownHosts = writeFile(t, knownhosts.Line([]string{s.addr}, host.PublicKey())+"\n")
	s.waiting.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			s.waiting.Go(func() { s.serve(conn, config) })
		}
	})
	t.Cleanup(func() { listener.Close(); s.waiting.Wait() })
	return s
}

func (s *sshServer) config() Config {
	return Config{URL: "ssh://git@" + s.addr + s.g.Dir, Branch: "main",
		Auth: Auth{SSHKeyFile: s.clientKey, KnownHostsFile: s.knownHosts}}
}

func (s *sshServer) serve(conn net.Conn, config *ssh.ServerConfig) {
	defer conn.Close()
	_, channels, requests, err := ssh.NewServerConn(conn, config)
	if err != nil {
		return
	}
	go ssh.DiscardRequests(requests)
	for offered := range channels {
		channel, requests, err := offered.Accept()
		if err != nil {
			return
		}
		for req := range requests {
			if req.Type != "exec" {
				req.Reply(false, nil)
				continue
			}
			req.Reply(true, nil)
			var payload struct{ Command string }
			ssh.Unmarshal(req.Payload, &payload)
			s.run(channel, payload.Command)
			break
		}
		go ssh.DiscardRequests(requests)
	}
}

func (s *sshServer) run(channel ssh.Channel, command string) {
	defer channel.Close()
	status := struct{ Code uint32 }{}
	if s.refuse != "" {
		io.WriteString(channel.Stderr(), s.refuse+"\n")
		status.Code = 1
	} else {
		path, found := strings.CutPrefix(command, "git-upload-pack ")
		if !found {
			return
		}
		cmd := exec.Command("sh", "-c", "exec git-upload-pack "+path)
		cmd.Env = gittest.Env()
		cmd.Stdout, cmd.Stderr = channel, channel.Stderr()
		stdin, err := cmd.StdinPipe()
		if err != nil {
			return
		}
		go func() { io.Copy(stdin, channel); stdin.Close() }()
		if cmd.Run() != nil {
			status.Code = 128
		}
	}
	channel.SendRequest("exit-status", false, ssh.Marshal(status))
}

func pemOf(certificate []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}))
}

func lockedKey(t testing.TB) string {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte("open sesame"))
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(block))
}
