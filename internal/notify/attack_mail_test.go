package notify

import (
	"crypto/tls"
	"errors"
	"net"
	"net/textproto"
	"net/url"
	"strings"
	"testing"
)

// An attacker between the agent and its server removes the server's offer of TLS. Then nothing is sent,
// especially not the login.
func TestAttackMailWithoutTLS(t *testing.T) {
	ours, theirs := net.Pipe()
	said := make(chan []string, 1)
	go func() {
		c := textproto.NewConn(theirs)
		_ = c.PrintfLine("220 mail.example.com")
		var lines []string
		for {
			line, err := c.ReadLine()
			if err != nil {
				said <- lines
				return
			}
			lines = append(lines, line)
			_ = c.PrintfLine("250 fine")
		}
	}()
	m := Mail{From: "a@example.com", To: []string{"b@example.com"}, Username: "agent"}
	err := m.talk(ours, &url.URL{Scheme: "smtp", Host: "mail.example.com"}, &tls.Config{MinVersion: tls.VersionTLS12}, "hunter2", []byte("text"))
	if !errors.Is(err, errNoTLS) {
		t.Errorf("got %v, want %v", err, errNoTLS)
	}
	for _, line := range <-said {
		if !strings.HasPrefix(line, "EHLO ") {
			t.Errorf("it said %s", line)
		}
	}
}

// The configuration refuses a text that would be more than an address, or whose server is another one than it
// seems.
func TestAttackMailAddresses(t *testing.T) {
	for server, want := range map[string]string{"smtp://mail.example.com": "", "smtp://127.0.0.1:25": "", "http://mail.example.com": "is not a mail server", "smtps://me:pw@h": "contains a login", "smtps://h/x": "more text after"} {
		if got := CheckMail(server, Mail{From: "a@b.c"})["url"]; (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", server, got, want)
		}
	}
	for _, address := range []string{"", "nobody", "a@b.c\r\nBcc: x@y.z", "a@b.c,\r\n d@e.f"} {
		if wrong := CheckMail("smtps://h", Mail{From: "a@b.c", To: []string{address}}); wrong["to[0]"] == "" {
			t.Errorf("%q passes for an address", address)
		}
	}
}
