package rabbit

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

// Server is a RabbitMQ, with what is read from it.
type Server struct {
	// Addresses are the nodes of a cluster, as host:port. They are tried in turn.
	Addresses []string
	VHost     string
	// TLS is the configuration of TLS; nil if there is none.
	TLS *tls.Config
	// Login returns the user and the password. It is called for each connection, so that new ones are used.
	Login func() (user, password string, err error)
	// Exchanges are the exchanges of the services. Topics are the topics of their notifications: the first parts of routing keys.
	Exchanges, Topics []string
}

const (
	// heartbeat is the interval of signs of life. A connection without any for twice that time is lost.
	heartbeat = 10 * time.Second
	// openTime limits opening a connection, making the queue with its bindings, and each later attempt to bind it.
	openTime = 15 * time.Second
	// closeTime limits how long the answer to the request to close a connection is waited for.
	closeTime = time.Second
	// queuePrefix begins the names of the agent's queues, so that the permissions of its user can be limited to them.
	queuePrefix = "stackreeve."
)

// errLate ends a connection whose server does not answer requests.
var errLate = errors.New("the server does not answer requests in time, so the connection is closed")

// link is an open connection. The client library waits for answers without a limit, as long as the server sends anything. So the limits close the
// connection below the library.
type link struct {
	*amqp.Connection
	below *boundedConn
}

// within ends the connection if requests takes longer than limit.
func (l *link) within(limit time.Duration, requests func() error) error {
	timer := time.AfterFunc(limit, func() { _ = l.below.Close() })
	err := requests()
	if !timer.Stop() {
		return errLate
	}
	return err
}

// end closes the connection. The server notices the end in any case, so errors are ignored.
func (l *link) end() {
	_ = l.within(closeTime, func() error { return l.CloseDeadline(time.Now().Add(closeTime)) })
	_ = l.below.Close()
}

// dial opens a connection to one node.
func (s *Server) dial(ctx context.Context, address string) (*link, error) {
	user, password, err := s.Login()
	if err != nil {
		return nil, err
	}
	within, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(within, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%s does not accept connections: %w", address, err)
	}
	if s.TLS != nil {
		conn = tls.Client(conn, s.tlsFor(address))
	}
	_ = conn.SetDeadline(time.Now().Add(openTime)) // the library removes it from an open connection
	below := &boundedConn{Conn: conn}
	opened, err := amqp.Open(below, amqp.Config{
		SASL: []amqp.Authentication{&amqp.PlainAuth{Username: user, Password: password}}, Vhost: s.VHost, Heartbeat: heartbeat, ChannelMax: 8,
		FrameSize: maxFrame, Properties: amqp.Table{"product": "stackreeve"}, Locale: "en_US",
	})
	if err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("%s: %w", address, explained(err, s.VHost))
	}
	return &link{opened, below}, nil
}

func (s *Server) tlsFor(address string) *tls.Config {
	config := s.TLS.Clone()
	if config.ServerName == "" {
		config.ServerName, _, _ = net.SplitHostPort(address)
	}
	return config
}

// explained says for people why a server refused a connection or a request.
func explained(err error, vhost string) error {
	refusal, ok := err.(*amqp.Error) //nolint:errorlint // the library wraps no error
	switch {
	case !ok:
		return err
	case refusal.Code == amqp.AccessRefused && strings.Contains(refusal.Reason, "login"), refusal == amqp.ErrCredentials:
		return fmt.Errorf("the server refuses the user name or the password: %w", err)
	case refusal.Code == amqp.NotAllowed:
		return fmt.Errorf("the user may not use the virtual host %s, or it does not exist: %w", vhost, err)
	}
	return err
}

// codeOf returns the code with which a server refused something; 0 if it did not.
func codeOf(err error) int {
	var refusal *amqp.Error
	if errors.As(err, &refusal) {
		return refusal.Code
	}
	return 0
}
