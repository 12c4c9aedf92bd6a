package webhook

import (
	"fmt"
	"io"
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
		if n := len(i.bounds.seen); n > maxSeen || n != len(i.bounds.order) {
			t.Errorf("%d messages are remembered", n)
		}
	})
}

func TestFloods(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := newInbox(t)
		forged := func(from string) int {
			r := message(GitHub, "push", push)
			r.RemoteAddr = from
			r.Header.Set("X-Hub-Signature-256", "sha256="+sign(push, "guess"))
			code, _ := i.send(r)
			return code
		}
		for range badBurst {
			if code := forged("[2001:db8::1]:9"); code != 401 {
				t.Fatalf("answered %d", code)
			}
		}
		// Another address of the same network, and one of another.
		if got := [2]int{forged("[2001:db8::2]:9"), forged("192.0.2.1:9")}; got != [2]int{429, 401} {
			t.Errorf("answered %v, want 429 and 401", got)
		}
		if code, _ := i.send(message(GitHub, "push", push)); code != 202 {
			t.Errorf("the forge is answered %d", code)
		}
		time.Sleep(2 * time.Second)
		if code := forged("[2001:db8::1]:9"); code != 401 {
			t.Errorf("later it is answered %d", code)
		}
		for n := range 3 * maxAddresses {
			forged(fmt.Sprintf("10.0.%d.%d:9", n/256, n%256))
		}
		if n := len(i.bounds.bad); n > maxAddresses {
			t.Errorf("%d addresses are remembered", n)
		}
		limited := 0
		for n := range 2 * goodBurst {
			if code, _ := i.send(message(GitHub, "push", push+strings.Repeat(" ", n+1))); code == 429 {
				limited++
			}
		}
		if limited < goodBurst-1 {
			t.Errorf("%d of %d signed messages were limited", limited, 2*goodBurst)
		}
	})
}

// TestSlowSenders lets others read no body while too many are being read.
func TestSlowSenders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := newInbox(t)
		i.Count = func(Forge, Outcome) {}
		hold := make(chan struct{})
		for range maxAtOnce {
			r := message(GitHub, "push", push)
			r.Body = io.NopCloser(readerFunc(func([]byte) (int, error) { <-hold; return 0, io.EOF }))
			go i.send(r)
		}
		synctest.Wait()
		if code, _ := i.send(message(GitHub, "push", push)); code != 503 {
			t.Errorf("one too many is answered %d", code)
		}
		close(hold)
		synctest.Wait()
		if code, _ := i.send(message(GitHub, "push", push)); code != 202 {
			t.Errorf("afterwards it is answered %d", code)
		}
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
