package rabbit

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/stackreeve/stackreeve/internal/testcost"
)

// realServer returns the address of a real RabbitMQ (see .ci/events), with a connection of its administrator.
func realServer(t *testing.T) (address string, admin *amqp.Channel) {
	t.Helper()
	address = os.Getenv("STACKREEVE_TEST_RABBITMQ")
	if address == "" {
		t.Skip("STACKREEVE_TEST_RABBITMQ names no RabbitMQ; see `make test-events`")
	}
	conn, err := amqp.Dial("amqp://admin:admin@" + address + "/")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if admin, err = conn.Channel(); err != nil {
		t.Fatal(err)
	}
	return address, admin
}

// exchange makes the exchange of a service, as the services do, and removes it after the test.
func exchange(t *testing.T, admin *amqp.Channel, name string) {
	t.Helper()
	if err := admin.ExchangeDeclare(name, "topic", false, false, false, false, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = admin.ExchangeDelete(name, false, false) })
}

func publish(t *testing.T, admin *amqp.Channel, exchange, body string) {
	t.Helper()
	if err := admin.PublishWithContext(t.Context(), exchange, "notifications.info", false, false, amqp.Publishing{ContentType: "application/json", Body: []byte(body)}); err != nil {
		t.Fatal(err)
	}
}

// reading is a reader that runs, with what it has reported.
type reading struct {
	bodies chan string
	missed chan struct{} // closed and replaced at each call
	states chan State
}

func login(user string) func() (string, string, error) {
	return func() (string, string, error) { return user, user, nil }
}

// start runs a reader until the test ends.
func start(t *testing.T, r *Reader) *reading {
	t.Helper()
	seen := &reading{bodies: make(chan string, 100_000), missed: make(chan struct{}, 100_000), states: make(chan State, 1000)}
	r.Topics, r.Log = []string{"notifications", "versioned_notifications"}, slog.New(slog.DiscardHandler)
	if r.Login == nil {
		r.Login = login("stackreeve")
	}
	if r.VHost == "" {
		r.VHost = "/"
	}
	r.Received = func(body []byte) { seen.bodies <- string(body) }
	r.Missed = func() { seen.missed <- struct{}{} }
	r.Changed = func(s State) { seen.states <- s }
	ctx, stop := context.WithCancel(t.Context())
	var ended sync.WaitGroup
	ended.Go(func() { r.Serve(ctx) })
	t.Cleanup(func() { stop(); ended.Wait() })
	return seen
}

// until returns the next state that fits.
func (r *reading) until(t *testing.T, fits func(State) bool) State {
	t.Helper()
	for {
		select {
		case s := <-r.states:
			if fits(s) {
				return s
			}
		case <-time.After(time.Minute):
			t.Fatal("the state does not come")
		}
	}
}

func isReading(s State) bool { return s.Reading }

func (r *reading) next(t *testing.T, want string) {
	t.Helper()
	select {
	case got := <-r.bodies:
		if got != want {
			t.Fatalf("got %.80q, want %q", got, want)
		}
	case <-time.After(time.Minute):
		t.Fatalf("no message; want %q", want)
	}
}

// A reader gets copies. The queue of another reader keeps its messages. The permissions are those of docs/events.md.
func TestRealCopies(t *testing.T) {
	address, admin := realServer(t)
	exchange(t, admin, "nova")
	exchange(t, admin, "neutron")
	ceilometer, err := admin.QueueDeclare("notifications.info", false, true, false, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := admin.QueueBind(ceilometer.Name, ceilometer.Name, "nova", false, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = admin.QueueDelete(ceilometer.Name, false, false, false) })
	r := start(t, &Reader{Server: Server{Addresses: []string{"127.0.0.1:1", address}, Exchanges: []string{"nova", "neutron"}}}) // the first node is down
	r.until(t, isReading)
	<-r.missed // messages before the connection
	publish(t, admin, "nova", "one")
	r.next(t, "one")
	publish(t, admin, "neutron", "two")
	r.next(t, "two")
	if q, err := admin.QueueDeclarePassive(ceilometer.Name, false, false, false, false, nil); err != nil || q.Messages != 1 {
		t.Errorf("%+v %v: the other reader must have its message", q, err)
	}
}

// An exchange that does not exist yet is bound when its service has made it.
func TestRealMissingExchange(t *testing.T) {
	address, admin := realServer(t)
	exchange(t, admin, "nova")
	r := start(t, &Reader{Server: Server{Addresses: []string{address}, Exchanges: []string{"nova", "keystone"}}, bindAgain: 50 * time.Millisecond})
	if s := r.until(t, isReading); len(s.Missing) != 1 || s.Missing[0] != "keystone" {
		t.Errorf("%+v", s)
	}
	exchange(t, admin, "keystone")
	if s := r.until(t, isReading); len(s.Missing) != 0 {
		t.Errorf("%+v", s)
	}
	publish(t, admin, "keystone", "three")
	r.next(t, "three")
}

// Wrong credentials and missing permissions are named, and do not stop later attempts.
func TestRealRefusals(t *testing.T) {
	address, admin := realServer(t)
	exchange(t, admin, "nova")
	for name, tt := range map[string]struct {
		login func() (string, string, error)
		vhost string
		code  int
	}{
		"password":    {func() (string, string, error) { return "stackreeve", "wrong", nil }, "/", amqp.AccessRefused},
		"vhost":       {login("stackreeve"), "/none", amqp.NotAllowed},
		"permissions": {login("stranger"), "/", amqp.AccessRefused},
	} {
		r := start(t, &Reader{Server: Server{Addresses: []string{address}, Exchanges: []string{"nova"}, Login: tt.login, VHost: tt.vhost}})
		s := r.until(t, func(s State) bool { return s.Err != nil })
		if code := codeOf(s.Err); s.Reading || code != tt.code {
			t.Errorf("%s: code %d of %v, want %d", name, code, s.Err, tt.code)
		}
	}
}

// wire is a proxy that can cut all connections.
type wire struct {
	net.Listener
	mu    sync.Mutex
	conns []net.Conn
}

func newWire(t *testing.T, to string) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{Listener: l}
	t.Cleanup(func() { _ = l.Close(); w.cut() })
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			into, err := net.Dial("tcp", to)
			if err != nil {
				_ = from.Close()
				continue
			}
			w.mu.Lock()
			w.conns = append(w.conns, from, into)
			w.mu.Unlock()
			go func() { _, _ = io.Copy(into, from); _ = into.Close() }()
			go func() { _, _ = io.Copy(from, into); _ = from.Close() }()
		}
	}()
	return w
}

func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.conns {
		_ = c.Close()
	}
	w.conns = nil
}

// After a lost connection, the reader reports it, connects again, and reports that messages may be lost. The old queue does not stay.
func TestRealLostConnection(t *testing.T) {
	address, admin := realServer(t)
	exchange(t, admin, "nova")
	w := newWire(t, address)
	r := start(t, &Reader{Server: Server{Addresses: []string{w.Addr().String()}, Exchanges: []string{"nova"}}})
	r.until(t, isReading)
	<-r.missed
	publish(t, admin, "nova", "before")
	r.next(t, "before")
	w.cut()
	if s := r.until(t, func(s State) bool { return !s.Reading }); s.Err == nil {
		t.Error("no reason")
	}
	r.until(t, isReading)
	<-r.missed
	publish(t, admin, "nova", "after")
	r.next(t, "after")
}

// A message of 100 MB is not stored: the connection ends, and another one is opened.
func TestAttackRealLargeMessage(t *testing.T) {
	testcost.Long(t)
	address, admin := realServer(t)
	exchange(t, admin, "nova")
	r := start(t, &Reader{Server: Server{Addresses: []string{address}, Exchanges: []string{"nova"}}})
	r.until(t, isReading)
	publish(t, admin, "nova", string(bytes.Repeat([]byte("x"), 100_000_000)))
	r.until(t, func(s State) bool { return !s.Reading })
	r.until(t, isReading)
	publish(t, admin, "nova", "after")
	r.next(t, "after")
}

// Of a storm, only a bounded number of messages per second is read. The rest is reported as missed, and the reader continues.
func TestAttackRealStorm(t *testing.T) {
	testcost.Long(t)
	address, admin := realServer(t)
	exchange(t, admin, "nova")
	r := start(t, &Reader{Server: Server{Addresses: []string{address}, Exchanges: []string{"nova"}}})
	r.until(t, isReading)
	<-r.missed
	body, began := string(bytes.Repeat([]byte("x"), 2000)), time.Now()
	const storm = 60_000
	for range storm {
		publish(t, admin, "nova", body)
	}
	publish(t, admin, "nova", "end")
	took := time.Since(began)
	read, missed := 0, 0
	for ended := false; !ended; {
		select {
		case got := <-r.bodies:
			read, ended = read+1, got == "end"
		case <-r.missed:
			missed++
		case <-time.After(5 * time.Second): // the last message may be one of those that were not read
			ended = true
		}
	}
	t.Logf("%d messages in %v (%.0f per second): %d read, %d reported as missed", storm, took, storm/took.Seconds(), read, missed)
	if most := maxRate * int(time.Since(began).Seconds()+2); read > most {
		t.Errorf("%d messages read, want at most %d", read, most)
	}
	if read+missed > storm+1 || read == 0 || storm/took.Seconds() > 2*maxRate && missed == 0 {
		t.Errorf("%d read and %d missed of %d", read, missed, storm)
	}
	publish(t, admin, "nova", "after")
	r.next(t, "after")
}
