package rabbit

import (
	"bytes"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/stackreeve/stackreeve/internal/testcost"
)

// realCloud returns the RabbitMQ of a real cloud, and its exchanges. The file with its address is beside clouds.yaml.
func realCloud(t *testing.T) Server {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(filepath.Dir(os.Getenv("OS_CLIENT_CONFIG_FILE")), "amqp-url"))
	if os.Getenv("STACKREEVE_TEST_CLOUD") == "" || err != nil {
		t.Skip("needs a cloud and its RabbitMQ, such as those of deploy/devcloud")
	}
	address, err := url.Parse(string(bytes.TrimSpace(text)))
	if err != nil {
		t.Fatal(err)
	}
	return Server{Addresses: []string{address.Host}, Exchanges: []string{"nova", "neutron", "keystone", "glance", "octavia", "designate", "openstack"}}
}

// The user of docs/events.md can read the messages of all services, but not their internal requests. If a right is missing, the error says which.
func TestCloudPermissions(t *testing.T) {
	testcost.Long(t) // a real cloud
	server := realCloud(t)
	for user, want := range map[string]string{
		"stackreeve":           "",
		"stackreeve-unbound":   " read on it",
		"stackreeve-unwritten": "and write on stackreeve.*",
		"stackreeve-unmade":    " configure, ",
	} {
		server.Login = login(user)
		r := start(t, &Reader{Server: server})
		s := r.until(t, func(s State) bool { return s.Reading || s.Err != nil })
		if s.Reading != (want == "") || codeOf(s.Err) != map[bool]int{false: amqp.AccessRefused}[want == ""] || s.Err != nil && !strings.Contains(s.Err.Error(), want) {
			t.Errorf("%s: %+v, want an error with %q", user, s, want)
		}
	}
	conn, err := amqp.Dial("amqp://stackreeve:stackreeve@" + server.Addresses[0] + "/")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	for _, topic := range []string{"conductor", "#", "*", "q-plugin"} {
		ch, err := conn.Channel()
		if err != nil {
			t.Fatal(err)
		}
		queue, err := ch.QueueDeclare("stackreeve.test", false, true, true, false, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := ch.QueueBind(queue.Name, topic, "nova", false, nil); codeOf(err) != amqp.AccessRefused {
			t.Errorf("the user can read nova's internal requests of the topic %s: %v", topic, err)
		}
	}
}
