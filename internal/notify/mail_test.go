package notify_test

import (
	"crypto/tls"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"io"
	"mime/quotedprintable"
	"net"
	"net/http/httptest"
	"net/mail"
	"net/textproto"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/notify"
)

// postOffice is a mail server whose answers the test sets. It stores the commands and the message.
type postOffice struct {
	starttls bool
	answers  map[string]string // by the first word of a command; the default answer is 250
	got      []string          // commands, and the message as the last one.
	tls      bool              // reports whether the message was sent with TLS
	trust    *tls.Config
	cert     string // PEM
}

// open starts the server for one connection. implicit means TLS from the first byte.
func (p *postOffice) open(t *testing.T, implicit bool) (address string) {
	t.Helper()
	s := httptest.NewTLSServer(nil)
	t.Cleanup(s.Close)
	p.trust = &tls.Config{Certificates: s.TLS.Certificates}
	p.cert = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { _ = l.Close(); <-done })
	go func() {
		defer close(done)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		if implicit {
			conn, p.tls = tls.Server(conn, p.trust), true
		}
		_, _ = io.WriteString(conn, "220 post.example.com\r\n")
		p.serve(conn)
	}()
	return l.Addr().String()
}

func (p *postOffice) serve(conn net.Conn) {
	c := textproto.NewConn(conn)
	for {
		line, err := c.ReadLine()
		if err != nil {
			return
		}
		p.got = append(p.got, line)
		word, _, _ := strings.Cut(strings.ToUpper(line), " ")
		answer := p.answers[word]
		switch {
		case answer != "":
		case word == "EHLO":
			answer = "250-post.example.com\r\n250-AUTH PLAIN\r\n250 8BITMIME"
			if p.starttls && !p.tls {
				answer = "250-post.example.com\r\n250-STARTTLS\r\n250 AUTH PLAIN"
			}
		case word == "STARTTLS":
			_ = c.PrintfLine("220 go on")
			p.tls = true
			p.serve(tls.Server(conn, p.trust))
			return
		case word == "AUTH":
			answer = "235 welcome"
		case word == "DATA":
			_ = c.PrintfLine("354 go on")
			text, err := io.ReadAll(c.DotReader())
			if err != nil {
				return
			}
			p.got = append(p.got, string(text))
			answer = "250 kept"
		default:
			answer = "250 fine"
		}
		_ = c.PrintfLine("%s", answer)
	}
}

func mailTo(t *testing.T, p *postOffice, url string) *notify.Receiver {
	t.Helper()
	return &notify.Receiver{Format: notify.Email, URL: url, TokenFile: file(t, secret),
		Mail: &notify.Mail{From: "Stackreeve <agent@example.com>", To: []string{"ops@example.com", "Zoë <zoe@example.com>"}, Username: "agent", CAFile: file(t, p.cert)}}
}

// A message is sent with TLS and the login to all recipients, and contains the text of the notification.
func TestMail(t *testing.T) {
	for scheme, p := range map[string]*postOffice{"smtps": {}, "smtp": {starttls: true}} {
		t.Run(scheme, func(t *testing.T) {
			address := p.open(t, scheme == "smtps")
			if err := mailTo(t, p, scheme+"://"+address).Deliver(t.Context(), failed); err != nil {
				t.Fatal(err)
			}
			said := strings.Join(p.got, "\n")
			login := base64.StdEncoding.EncodeToString([]byte("\x00agent\x00" + secret))
			for _, want := range []string{"AUTH PLAIN " + login, "MAIL FROM:<agent@example.com>", "RCPT TO:<ops@example.com>", "RCPT TO:<zoe@example.com>"} {
				if !strings.Contains(said, want) {
					t.Errorf("it did not say %s:\n%s", want, said)
				}
			}
			if !p.tls {
				t.Error("it came without TLS")
			}
			text := p.got[len(p.got)-1]
			if strings.HasPrefix(text, "QUIT") {
				text = p.got[len(p.got)-2]
			}
			m, err := mail.ReadMessage(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			to, err := m.Header.AddressList("To")
			body, err2 := io.ReadAll(quotedprintable.NewReader(m.Body))
			if err = errors.Join(err, err2); err != nil || len(to) != 2 || to[1].Name != "Zoë" || m.Header.Get("Subject") != "stack prod is failed at commit 0123456789" || m.Header.Get("References") == "" {
				t.Errorf("%v, %v", m.Header, err)
			}
			if want := failed.Title() + "\n" + failed.Message + "\n"; strings.ReplaceAll(string(body), "\r\n", "\n") != want {
				t.Errorf("the text is %q, want %q", body, want)
			}
		})
	}
}

// The answer of a mail server decides whether the agent tries again. No error contains the server's text or the
// password.
func TestMailServersThatDoNotTakeIt(t *testing.T) {
	for _, c := range []struct {
		name  string
		post  postOffice
		want  error
		words string
	}{
		{"a login that is wrong", postOffice{answers: map[string]string{"AUTH": "535 " + secret}}, notify.ErrRefused, "answers 535"},
		{"somebody who is not there", postOffice{answers: map[string]string{"RCPT": "550 " + secret}}, notify.ErrRefused, "answers 550"},
		{"too much now", postOffice{answers: map[string]string{"MAIL": "451 " + secret}}, notify.ErrUnavailable, "answers 451"},
		{"one that talks without an end", postOffice{answers: map[string]string{"MAIL": strings.Repeat("250-"+secret+"\r\n", 10_000) + "250 ok"}}, notify.ErrUnavailable, "ends the conversation"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := mailTo(t, &c.post, "smtps://"+c.post.open(t, true)).Deliver(t.Context(), failed)
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.words) || strings.Contains(err.Error(), secret) {
				t.Errorf("got %v, want %v with %q", err, c.want, c.words)
			}
		})
	}
	p := postOffice{}
	r := mailTo(t, &p, "smtps://"+p.open(t, true))
	r.Mail.CAFile = ""
	if err := r.Deliver(t.Context(), failed); !errors.Is(err, notify.ErrUnavailable) && !errors.Is(err, notify.ErrRefused) || !strings.Contains(err.Error(), "certificate that is not trusted") {
		t.Errorf("a strange certificate: %v", err)
	}
	if len(p.got) > 0 {
		t.Errorf("who is not trusted got %v", p.got)
	}
}
