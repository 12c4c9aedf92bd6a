package config

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/localfile"
)

// Events configures how the agent notices changes in the cloud before the next check.
type Events struct {
	AMQP  *AMQP  `json:"amqp,omitempty" doc:"The RabbitMQ to which the cloud's services report changes. Only administrators of the cloud have access to it."`
	Probe string `json:"probe,omitempty" rule:"enum=on|off" doc:"on: the agent asks the services that the stack uses every 5 to 8 seconds whether something in the project has changed, with one small request to each. Stacks of one project share the requests. If left out: on without amqp, off with it."`
}

// Probes reports whether the agent asks the services. Without messages, it does so unless the configuration says otherwise.
func (e *Events) Probes() bool { return e.Probe == "on" || e.Probe == "" && e.AMQP == nil }

// AMQP is a RabbitMQ with the notifications of OpenStack's services.
type AMQP struct {
	URLFile      string   `json:"urlFile,omitempty" doc:"File with the address and the login: amqps://user:password@host:5671/vhost, or amqp://… without TLS. In place of servers, username, passwordFile and tls. It is read again for each connection."`
	Servers      []string `json:"servers,omitempty" rule:"max=9,unique" doc:"Nodes of the cluster, as host:port. They are tried in turn."`
	Username     string   `json:"username,omitempty" doc:"User of the login."`
	PasswordFile string   `json:"passwordFile,omitempty" doc:"File with the user's password. The file is read again for each connection."`
	TLS          bool     `json:"tls,omitempty" rule:"default=false" doc:"Whether the servers use TLS."`
	CAFile       string   `json:"caFile,omitempty" doc:"File with PEM certificates that are trusted; the system's if left out."`
	CertFile     string   `json:"certFile,omitempty" doc:"File with the PEM certificate that the agent shows to the servers; needs keyFile."`
	KeyFile      string   `json:"keyFile,omitempty" doc:"File with the private key of the certificate in certFile."`
	VHosts       []string `json:"vhosts,omitempty" rule:"max=20,unique" doc:"Virtual hosts of the services. If left out, the one in urlFile, or /."`
	Exchanges    []string `json:"exchanges,omitempty" rule:"max=50,unique" doc:"Exchanges of the services: nova, neutron, keystone, glance, octavia, designate and openstack if left out. Cinder and others use openstack. Those that do not exist are tried again."`
	Topics       []string `json:"topics,omitempty" rule:"max=10,unique" doc:"Topics of the notifications: notifications and versioned_notifications if left out."`
}

// AMQPLogin is the address and the login of a RabbitMQ.
type AMQPLogin struct {
	Servers        []string // host:port
	User, Password string
	VHost          string // of the address in urlFile; "/" otherwise
	TLS            bool
}

const (
	maxAMQPURL   = 4096
	amqpPort     = "5672"
	amqpsPort    = "5671"
	defaultVHost = "/"
)

// Login reads the files with the address and the login.
func (a *AMQP) Login() (AMQPLogin, error) {
	if a.URLFile == "" {
		password, err := localfile.Read(a.PasswordFile, localfile.Secret)
		if err != nil {
			return AMQPLogin{}, fmt.Errorf("spec.events.amqp.passwordFile: %w", err)
		}
		return AMQPLogin{a.Servers, a.Username, strings.TrimSpace(string(password)), defaultVHost, a.TLS}, nil
	}
	text, err := localfile.Read(a.URLFile, maxAMQPURL)
	if err != nil {
		return AMQPLogin{}, fmt.Errorf("spec.events.amqp.urlFile: %w", err)
	}
	login, err := parseAMQP(strings.TrimSpace(string(text)))
	if err != nil {
		return AMQPLogin{}, fmt.Errorf("spec.events.amqp.urlFile: %s %w", a.URLFile, err)
	}
	return login, nil
}

var errAMQPURL = errors.New("contains no address such as amqps://user:password@host:5671/vhost; special characters in the user name and the password are written as in URLs")

// parseAMQP reads an address as other AMQP clients do. Its error contains nothing of the address, which is secret.
func parseAMQP(address string) (l AMQPLogin, err error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "amqp" && u.Scheme != "amqps" || u.Hostname() == "" || u.User == nil {
		return AMQPLogin{}, errAMQPURL
	}
	l.TLS = u.Scheme == "amqps"
	port := amqpPort
	if l.TLS {
		port = amqpsPort
	}
	l.User = u.User.Username()
	l.Password, _ = u.User.Password()
	l.Servers = []string{net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), port))}
	l.VHost = cmp.Or(strings.TrimPrefix(u.Path, "/"), defaultVHost)
	return l, nil
}

// WithDefaults returns the configuration with the values of fields that were left out, except vhosts.
func (a AMQP) WithDefaults() AMQP {
	if len(a.Exchanges) == 0 {
		a.Exchanges = []string{"nova", "neutron", "keystone", "glance", "octavia", "designate", "openstack"}
	}
	if len(a.Topics) == 0 {
		a.Topics = []string{"notifications", "versioned_notifications"}
	}
	return a
}

func (e *Events) namedFiles() []namedFile {
	a := e.AMQP
	if a == nil {
		return nil
	}
	const field = "spec.events.amqp."
	return []namedFile{
		{field: field + "urlFile", path: &a.URLFile, secret: true}, {field: field + "passwordFile", path: &a.PasswordFile, secret: true},
		{field: field + "caFile", path: &a.CAFile}, {field: field + "certFile", path: &a.CertFile}, {field: field + "keyFile", path: &a.KeyFile, secret: true},
	}
}

// check checks the rules that concern several fields.
func (e *Events) check(add func(field, what string)) {
	a := e.AMQP
	if a == nil {
		return
	}
	const field = "spec.events.amqp"
	switch {
	case a.URLFile != "" && (len(a.Servers) > 0 || a.Username != "" || a.PasswordFile != "" || a.TLS):
		add(field+".urlFile", "contains the address and the login; leave out servers, username, passwordFile and tls")
	case a.URLFile == "" && (len(a.Servers) == 0 || a.Username == "" || a.PasswordFile == ""):
		add(field, "has no address and login; set urlFile, or servers, username and passwordFile")
	}
	for i, server := range a.Servers {
		if host, port, err := net.SplitHostPort(server); err != nil || host == "" || port == "" {
			add(fmt.Sprintf("%s.servers[%d]", field, i), fmt.Sprintf("%q is no host:port, such as rabbit.example.org:5671", server))
		}
	}
	checkPair(add, field, a.CertFile, a.KeyFile)
	for name, list := range map[string][]string{"vhosts": a.VHosts, "exchanges": a.Exchanges, "topics": a.Topics} {
		if i := slices.Index(list, ""); i >= 0 {
			add(fmt.Sprintf("%s.%s[%d]", field, name, i), "is empty")
		}
	}
}
