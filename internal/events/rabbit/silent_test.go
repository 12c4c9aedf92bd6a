package rabbit

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

// method is the class and the method of a request to the server.
type method struct{ class, method uint16 }

var (
	channelOpen  = method{20, 10}
	queueDeclare = method{50, 10}
	queueBind    = method{50, 20}
	qos          = method{60, 10}
	basicConsume = method{60, 20}
)

// fakeServer opens connections, and answers those requests for which answer returns true. After a request to consume, it sends some messages.
type fakeServer struct {
	answer   func(method) bool
	messages int
}

// start returns the address of the server.
func (f *fakeServer) start(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() { defer conn.Close(); f.serve(conn) }()
		}
	}()
	return l.Addr().String()
}

// serve speaks AMQP 0-9-1 until the client ends the connection.
func (f *fakeServer) serve(conn net.Conn) {
	in := bufio.NewReader(conn)
	send := func(channel, class, id uint16, args ...byte) {
		p := binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, class), id)
		b := frame(1, append(p, args...))
		binary.BigEndian.PutUint16(b[1:], channel)
		_, _ = conn.Write(b)
	}
	if _, err := io.ReadFull(in, make([]byte, 8)); err != nil {
		return
	}
	send(0, 10, 10, append([]byte{0, 9, 0, 0, 0, 0, 0, 0, 0, 5}, "PLAIN\x00\x00\x00\x05en_US"...)...)
	for {
		head := make([]byte, frameHead)
		if _, err := io.ReadFull(in, head); err != nil {
			return
		}
		payload := make([]byte, binary.BigEndian.Uint32(head[3:])+1)
		if _, err := io.ReadFull(in, payload); err != nil {
			return
		}
		if head[0] != 1 {
			continue
		}
		channel, asked := binary.BigEndian.Uint16(head[1:]), method{binary.BigEndian.Uint16(payload), binary.BigEndian.Uint16(payload[2:])}
		switch asked {
		case method{10, 11}: // start-ok: tune
			send(0, 10, 30, 0, 8, 0, 2, 0, 0, 0, 0)
		case method{10, 40}: // open
			send(0, 10, 41, 0)
		case channelOpen, queueDeclare, queueBind, qos, basicConsume, method{20, 40}: // the last one closes a channel
			if !f.answer(asked) {
				continue
			}
			args := map[method][]byte{channelOpen: {0, 0, 0, 0}, queueDeclare: {1, 'q', 0, 0, 0, 0, 0, 0, 0, 0}}[asked]
			tag := []byte(nil)
			if asked == basicConsume {
				tag = payload[4+2:]       // after a reserved number
				tag = tag[1+int(tag[0]):] // after the name of the queue
				tag = tag[:1+int(tag[0])] // with its length
				args = append([]byte(nil), tag...)
			}
			send(channel, asked.class, asked.method+1, args...)
			for i := range f.messages {
				if asked != basicConsume {
					break
				}
				deliver := append(append([]byte(nil), tag...), 0, 0, 0, 0, 0, 0, 0, byte(i+1), 0, 0, 0)
				send(channel, 60, 60, deliver...)
				_, _ = conn.Write(append(announced(1), frame(3, []byte("x"))...))
			}
		}
	}
}

// failure returns the error of a reader of this server.
func (f *fakeServer) failure(t *testing.T, r *Reader) error {
	t.Helper()
	r.Server = Server{Addresses: []string{f.start(t)}, Exchanges: []string{"nova"}}
	return start(t, r).until(t, func(s State) bool { return s.Err != nil }).Err
}

// A server that opens the connection, and then does not answer one of the requests, does not stop the reader forever.
func TestAttackServerThatDoesNotAnswer(t *testing.T) {
	for name, silent := range map[string]method{"channel": channelOpen, "queue": queueDeclare, "qos": qos, "consume": basicConsume, "bind": queueBind} {
		f := &fakeServer{answer: func(m method) bool { return m != silent }}
		if err := f.failure(t, &Reader{answers: 20 * time.Millisecond}); !errors.Is(err, errLate) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A server that answers everything at first, and then not the attempt to bind again, does not stop the reader either.
func TestAttackServerThatAnswersNoLaterRequest(t *testing.T) {
	conn := func(answer func(method) bool) *link {
		s := Server{Addresses: []string{(&fakeServer{answer: answer}).start(t)}, VHost: "/", Login: login("u")}
		l, err := s.dial(t.Context(), s.Addresses[0])
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(l.end)
		return l
	}
	r := &Reader{Server: Server{Topics: []string{"notifications"}}, bindAgain: time.Millisecond, answers: 20 * time.Millisecond}
	if err := r.receive(conn(func(m method) bool { return m != queueBind }), "q", nil, []string{"nova"}); !errors.Is(err, errLate) {
		t.Error(err)
	}
}

// A server that ignores the number of messages that may be on their way fills no memory: the connection ends.
func TestAttackServerThatIgnoresPrefetch(t *testing.T) {
	f := &fakeServer{answer: func(m method) bool { return m != queueBind }, messages: maxWaiting + 1} // the messages are not taken before the binding
	var closed *amqp.Error
	if err := f.failure(t, &Reader{}); !errors.As(err, &closed) || closed.Reason != errFlood.Error() {
		t.Errorf("%v, want %v", err, errFlood)
	}
}

// A message that the reader has taken no longer counts.
func TestWaitingMessages(t *testing.T) {
	var s frameScan
	for range 3 * maxWaiting {
		if err := s.next(announced(1)); err != nil {
			t.Fatal(err)
		}
		s.waiting.Add(-1)
	}
	for i := range maxWaiting + 1 {
		if err := s.next(announced(1)); errors.Is(err, errFlood) != (i == maxWaiting) {
			t.Fatalf("message %d: %v", i, err)
		}
	}
	if maxWaiting < prefetched {
		t.Errorf("%d messages of %d that a server may send", maxWaiting, prefetched)
	}
}
