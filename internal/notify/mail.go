package notify

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/smtp"
	"net/textproto"
	"net/url"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/outbound"
)

// Mail contains the sender and the recipients of e-mail. The mail server is the receiver's URL: smtps://host for
// TLS from the first byte, smtp://host for STARTTLS. The server must offer STARTTLS, unless it is on this
// machine.
type Mail struct {
	From     string
	To       []string
	Username string // "" if no login is needed; the password is in the receiver's TokenFile.
	CAFile   string // authorities to trust in addition to the system's; "" if there are none.
}

// CheckMail returns the mistakes in a server and in addresses, by field.
func CheckMail(server string, m Mail) map[string]string {
	wrong := map[string]string{}
	to, err := url.Parse(server)
	switch {
	case err != nil || to.Hostname() == "" || to.Scheme != "smtps" && to.Scheme != "smtp":
		wrong["url"] = "is not a mail server; write it as smtps://host, or as smtp://host if the server offers STARTTLS"
	case to.User != nil:
		wrong["url"] = "contains a login; use username and passwordFile"
	case strings.Trim(to.Path, "/") != "" || to.RawQuery != "" || to.Fragment != "":
		wrong["url"] = "has more text after the host; remove it"
	}
	for i, address := range append([]string{m.From}, m.To...) {
		field := "from"
		if i > 0 {
			field = fmt.Sprintf("to[%d]", i-1)
		}
		if _, err := mail.ParseAddress(address); err != nil || strings.ContainsAny(address, "\r\n") {
			wrong[field] = "is not an address; write it as ops@example.com"
		}
	}
	return wrong
}

// port contains the default port of mail servers, by scheme.
var port = map[string]string{"smtps": "465", "smtp": "587"}

// deliverMail sends a notification to the mail server.
func (r *Receiver) deliverMail(ctx context.Context, server *url.URL, password string, n Notification) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	trust, err := r.Mail.trust(server.Hostname())
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err) // somebody may be replacing the file
	}
	host := server.Hostname()
	listens := server.Port()
	if listens == "" {
		listens = port[server.Scheme]
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(host, listens))
	if err != nil {
		return fmt.Errorf("%w: %s does not answer", ErrUnavailable, host)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })() // this ends every read and write
	conn = &bounded{conn, maxAnswer}
	if server.Scheme == "smtps" {
		conn = tls.Client(conn, trust)
	}
	if err := r.Mail.talk(conn, server, trust, password, message(r.Mail, n)); err != nil {
		return fmt.Errorf("%w: %s %s", classOf(err), host, withoutServerText(err))
	}
	return nil
}

// talk sends the message to the server, and returns when the server has confirmed that it has the message.
func (m *Mail) talk(conn net.Conn, server *url.URL, trust *tls.Config, password string, text []byte) error {
	c, err := smtp.NewClient(conn, server.Hostname())
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	if server.Scheme == "smtp" {
		if offered, _ := c.Extension("STARTTLS"); offered {
			err = c.StartTLS(trust)
		} else if !outbound.Loopback(server.Hostname()) {
			err = errNoTLS
		}
		if err != nil {
			return err
		}
	}
	if m.Username != "" {
		if err := c.Auth(smtp.PlainAuth("", m.Username, password, server.Hostname())); err != nil {
			return err
		}
	}
	if err := c.Mail(bare(m.From)); err != nil {
		return err
	}
	for _, to := range m.To {
		if err := c.Rcpt(bare(to)); err != nil {
			return err
		}
	}
	w, err := c.Data()
	if err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	_ = c.Quit() // the server already has the message
	return nil
}

var errNoTLS = errors.New("no TLS")

// classOf returns the class of an error: whether it makes sense to try again.
func classOf(err error) error {
	var answer *textproto.Error
	var unknown x509.UnknownAuthorityError
	switch {
	case errors.As(err, &answer) && answer.Code >= 500, errors.Is(err, errNoTLS), errors.As(err, &unknown), errors.As(err, new(x509.HostnameError)):
		return ErrRefused
	}
	return ErrUnavailable
}

// withoutServerText returns the text of an error without the server's text, because that may repeat the message.
func withoutServerText(err error) string {
	var answer *textproto.Error
	switch {
	case errors.As(err, &answer):
		return fmt.Sprintf("answers %d", answer.Code)
	case errors.Is(err, errNoTLS):
		return "does not offer STARTTLS; use smtps, or another server"
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return "has a certificate that is not trusted; give caFile"
	}
	return "ends the conversation"
}

func (m *Mail) trust(host string) (*tls.Config, error) {
	trust, err := outbound.Trusting(m.CAFile)
	if err != nil {
		return nil, err
	}
	trust.ServerName = host
	return trust, nil
}

// bare returns an address without the name of its owner.
func bare(address string) string {
	parsed, err := mail.ParseAddress(address)
	if err != nil {
		return address // CheckMail refuses such an address
	}
	return parsed.Address
}

// header returns an address in the form for a header.
func header(address string) string {
	parsed, err := mail.ParseAddress(address)
	if err != nil {
		return mime.QEncoding.Encode("utf-8", address)
	}
	return parsed.String()
}

// message returns an e-mail (RFC 5322) in plain text. All messages about one stack are one thread.
func message(m *Mail, n Notification) []byte {
	var out bytes.Buffer
	thread := id(Notification{Stack: n.Stack})
	to := make([]string, len(m.To))
	for i, address := range m.To {
		to[i] = header(address)
	}
	for _, line := range [][2]string{
		{"From", header(m.From)}, {"To", strings.Join(to, ",\r\n\t")}, {"Date", n.At.Format(time.RFC1123Z)}, {"Subject", mime.QEncoding.Encode("utf-8", n.Title())},
		{"Message-ID", "<" + id(n) + "@stackreeve>"}, {"References", "<" + thread + "@stackreeve>"}, {"Auto-Submitted", "auto-generated"},
		{"MIME-Version", "1.0"}, {"Content-Type", "text/plain; charset=utf-8"}, {"Content-Transfer-Encoding", "quoted-printable"},
	} {
		out.WriteString(line[0] + ": " + line[1] + "\r\n")
	}
	out.WriteString("\r\n")
	body := quotedprintable.NewWriter(&out)
	_, _ = io.WriteString(body, n.text()+"\n") // writing to memory cannot fail
	_ = body.Close()
	return out.Bytes()
}

// bounded is a connection from which only a limited number of bytes is read.
type bounded struct {
	net.Conn
	left int
}

func (b *bounded) Read(to []byte) (int, error) {
	if b.left <= 0 {
		return 0, errors.New("the answer is too long")
	}
	n, err := b.Conn.Read(to[:min(len(to), b.left)])
	b.left -= n
	return n, err
}
