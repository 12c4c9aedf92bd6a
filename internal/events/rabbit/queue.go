package rabbit

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
	"golang.org/x/time/rate"
)

// These limits bound what is stored for a reader that is slow or away. If there is more, the oldest messages are dropped.
const (
	queueMessages = 10_000
	queueBytes    = 64 << 20
	queueExpires  = time.Minute // the queue's life without a reader, should the server keep it after the connection has ended
	// prefetched is the maximum number of messages that are on their way, or in memory, and not acknowledged.
	prefetched = 32
	// maxRate is the maximum number of messages per second that are read. Of more, it is only recorded that there were any.
	maxRate = 2_000
	// bindAgain is the interval at which exchanges that did not exist are looked for.
	bindAgain = time.Minute
)

// read reads messages over one connection until it ends.
func (r *Reader) read(ctx context.Context) error {
	address, err := r.address()
	if err != nil {
		return err
	}
	conn, err := r.dial(ctx, address)
	if err != nil {
		return err
	}
	defer conn.end()
	defer context.AfterFunc(ctx, conn.end)()
	ended := conn.NotifyClose(make(chan *amqp.Error, 1))
	name := queuePrefix + rand.Text()
	var messages <-chan amqp.Delivery
	var missing []string
	err = r.ask(conn, func() (err error) {
		if messages, err = consume(conn, name); err == nil {
			missing, err = r.bind(conn, name, r.Exchanges)
		}
		return err
	})
	if err == nil {
		r.report(State{Reading: len(missing) < len(r.Exchanges), Missing: missing})
		r.Missed()
		err = r.receive(conn, name, messages, missing)
	}
	select {
	case closed := <-ended:
		if closed != nil && !errors.Is(err, errLate) {
			return explained(closed, r.VHost)
		}
	default:
	}
	return err
}

// ask sends requests to the server, and ends the connection if they last too long.
func (r *Reader) ask(conn *link, requests func() error) error {
	return conn.within(cmp.Or(r.answers, openTime), requests)
}

// consume makes the queue, and returns its messages.
func consume(conn *link, name string) (<-chan amqp.Delivery, error) {
	ch, err := conn.Channel()
	if err != nil {
		return nil, err
	}
	if _, err := ch.QueueDeclare(name, false, true, true, false, amqp.Table{
		"x-expires": int64(queueExpires / time.Millisecond), "x-max-length": int64(queueMessages), "x-max-length-bytes": int64(queueBytes), "x-overflow": "drop-head",
	}); err != nil {
		return nil, fmt.Errorf("the queue %s… cannot be made; the user needs the permissions configure, write and read on %s*: %w", queuePrefix, queuePrefix, err)
	}
	if err := ch.Qos(prefetched, 0, false); err != nil {
		return nil, err
	}
	return ch.Consume(name, "", false, true, false, false, nil)
}

var errEnded = errors.New("the connection has ended")

// receive passes on messages until the connection ends. From time to time, it looks for missing exchanges.
func (r *Reader) receive(conn *link, queue string, messages <-chan amqp.Delivery, missing []string) error {
	again := time.NewTicker(cmp.Or(r.bindAgain, bindAgain))
	defer again.Stop()
	pace, unacknowledged := rate.NewLimiter(maxRate, maxRate), 0
	for {
		select {
		case m, ok := <-messages:
			if !ok {
				return errEnded
			}
			conn.below.scan.waiting.Add(-1)
			if pace.Allow() {
				r.Received(m.Body)
			} else {
				r.Missed()
			}
			if unacknowledged++; unacknowledged >= prefetched/2 {
				if err := m.Ack(true); err != nil {
					return err
				}
				unacknowledged = 0
			}
		case <-again.C:
			if len(missing) == 0 {
				continue
			}
			var left []string
			if err := r.ask(conn, func() (err error) { left, err = r.bind(conn, queue, missing); return err }); err != nil {
				return err
			}
			if len(left) < len(missing) {
				r.report(State{Reading: len(left) < len(r.Exchanges), Missing: left})
				r.Missed()
			}
			missing = left
		}
	}
}

// bind makes the queue get copies of the notifications of exchanges. It returns the exchanges that do not exist. A refusal ends the channel that
// asks, so each exchange has its own.
func (r *Reader) bind(conn *link, queue string, exchanges []string) (missing []string, err error) {
	for _, exchange := range exchanges {
		ch, err := conn.Channel()
		if err != nil {
			return nil, err
		}
		for _, topic := range r.Topics {
			if err = ch.QueueBind(queue, topic+".*", exchange, false, nil); err != nil {
				break
			}
		}
		var refusal *amqp.Error
		switch {
		case errors.As(err, &refusal) && refusal.Code == amqp.NotFound:
			missing = append(missing, exchange)
			continue // the server has closed the channel
		case err != nil:
			return nil, fmt.Errorf("the queue cannot be bound to the exchange %s; the user needs the permission read on it, and write on %s*: %w", exchange, queuePrefix, err)
		}
		if err := ch.Close(); err != nil {
			return nil, err
		}
	}
	return missing, nil
}
