package webhook

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestRepeatedMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := newInbox(t)
		for range 3 {
			i.send(message(GitHub, "push", push))
			i.send(message(GitHub, "push", push+" "))
		}
		if len(i.events) != 2 || i.last() != Repeated {
			t.Errorf("%d events of two messages, last %s", len(i.events), i.last())
		}
		time.Sleep(seenFor + time.Second)
		if code, _ := i.send(message(GitHub, "push", push)); code != 202 || len(i.events) != 3 {
			t.Errorf("long after, the same is answered %d", code)
		}
		for n := range 3 * maxSeen {
			time.Sleep(time.Second)
			i.send(message(GitHub, "push", push+strings.Repeat(" ", n+2)))
		}
		if n := len(i.seen.at); n > maxSeen || n != len(i.seen.order) {
			t.Errorf("%d messages are remembered", n)
		}
	})
}
