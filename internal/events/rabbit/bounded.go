package rabbit

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"sync/atomic"

	"github.com/stackreeve/stackreeve/internal/events"
)

// maxFrame is the maximum size of a frame, in bytes. It is RabbitMQ's own default.
const maxFrame = 131072

// errTooLarge ends a connection, because the client library would store the whole message in memory.
var errTooLarge = fmt.Errorf("a message is larger than %d bytes, so the connection is closed", events.MaxMessage)

// errFlood ends a connection whose server ignores [prefetched], because the client library would store any number of messages in memory.
var errFlood = fmt.Errorf("the server has sent more than %d messages that wait to be read, so the connection is closed", maxWaiting)

// maxWaiting is the maximum number of messages in memory that the reader has not taken. With their properties they take at most queueBytes.
const maxWaiting = queueBytes / (events.MaxMessage + maxFrame)

// errFrame ends a connection whose server does not speak AMQP.
var errFrame = errors.New("the server does not speak AMQP 0-9-1")

// boundedConn is a connection that fails as soon as a message with too many bytes is announced, or too many messages wait. RabbitMQ accepts
// messages of 128 MiB.
type boundedConn struct {
	net.Conn
	scan frameScan
}

// Read implements [net.Conn].
func (c *boundedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if bad := c.scan.next(p[:n]); bad != nil {
		return 0, bad
	}
	return n, err
}

// frameScan follows the frames in a stream of bytes (AMQP 0-9-1, section 4.2.3).
//
//	any frame       type 1, channel 2, size 4, payload, end 1
//	content header  type 2; its payload: class 2, weight 2, size of the message 8, …
type frameScan struct {
	head [frameHead + headerStart]byte // the first bytes of the frame
	got  int                           // how many of them there are
	left int                           // bytes of the frame that follow them
	// waiting is the number of announced messages that the reader has not taken. Another goroutine takes them.
	waiting atomic.Int64
}

const (
	frameHead     = 7
	headerStart   = 12
	contentHeader = 2
)

// next follows the next bytes of the stream.
func (s *frameScan) next(p []byte) error {
	for len(p) > 0 {
		if s.left > 0 {
			n := min(s.left, len(p))
			p, s.left = p[n:], s.left-n
			continue
		}
		want := frameHead
		if s.got >= frameHead {
			want += headerStart
		}
		n := copy(s.head[s.got:want], p)
		p, s.got = p[n:], s.got+n
		if s.got < want {
			return nil
		}
		size := binary.BigEndian.Uint32(s.head[3:])
		switch {
		case size > maxFrame, s.head[0] == contentHeader && size < headerStart:
			return errFrame
		case s.head[0] == contentHeader && want == frameHead:
			continue
		case s.head[0] == contentHeader && binary.BigEndian.Uint64(s.head[frameHead+4:]) > events.MaxMessage:
			return errTooLarge
		case s.head[0] == contentHeader && s.waiting.Add(1) > maxWaiting:
			return errFlood
		}
		s.left, s.got = int(size)+1-(want-frameHead), 0
	}
	return nil
}
