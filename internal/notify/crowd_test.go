package notify_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/notify"
	"github.com/stackreeve/stackreeve/internal/report"
)

const away = "the cloud cannot be reached"

// crowded returns a crowd, and a function that returns the texts that the crowd has sent.
func crowded() (*notify.Crowd, func() string) {
	var mu sync.Mutex
	var told []string
	c := notify.NewCrowd(func(n notify.Notification) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, n.Title()+": "+strings.ReplaceAll(n.Message, "\n", ": "))
	})
	return c, func() string {
		mu.Lock()
		defer mu.Unlock()
		defer func() { told = nil }()
		return strings.Join(told, "; ")
	}
}

func failing(stack, message string) notify.Notification {
	return notify.Notification{Stack: stack, State: report.StateFailed, Message: message, Severity: notify.Error}
}

func again(stack string) notify.Notification {
	return notify.Notification{Stack: stack, State: report.StateInSync, Before: report.StateFailed}
}

// A cloud is down, and then works again. People get separate notifications about some stacks, and one
// notification about all others.
func TestCrowd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, told := crowded()
		expect := func(want ...string) {
			t.Helper()
			synctest.Wait()
			if got := told(); got != strings.Join(want, "; ") {
				t.Errorf("told\n%s\nwant\n%s", got, strings.Join(want, "; "))
			}
		}
		for i := range 8 {
			c.Tell(failing(fmt.Sprint("s", 7-i), away))
		}
		c.Tell(failing("other", "no valid host"))
		expect("stack s7 is failed: "+away, "stack s6 is failed: "+away, "stack s5 is failed: "+away, "stack s4 is failed: "+away, "stack s3 is failed: "+away, "stack other is failed: no valid host")
		time.Sleep(time.Minute + time.Second)
		expect("3 further stacks are failed: s0, s1, s2: " + away)
		c.Tell(failing("late", away))
		expect()
		for i := range 7 {
			c.Tell(again(fmt.Sprint("s", i)))
		}
		expect("stack s0 is in sync again: ", "stack s1 is in sync again: ", "stack s2 is in sync again: ", "stack s3 is in sync again: ", "stack s4 is in sync again: ")
		time.Sleep(time.Minute + time.Second)
		expect("stack late is failed: "+away, "2 further stacks are in sync again: s5, s6")
		time.Sleep(time.Hour)
		c.Tell(failing("s0", away))
		expect("stack s0 is failed: " + away)
	})
}

// If a state ends before its notification is sent, it is not reported.
func TestCrowdNewestOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, told := crowded()
		for i := range 7 {
			c.Tell(failing(fmt.Sprint("s", i), away))
		}
		told()
		c.Tell(again("s5"))
		time.Sleep(2 * time.Minute)
		if got := told(); got != "stack s6 is failed: "+away {
			t.Errorf("told %q", got)
		}
	})
}

// A cloud is down for half a minute. People get a notification about the end only for stacks about whose failure
// they got one.
func TestCrowdOverBeforeItWasTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, told := crowded()
		expect := func(state string, stacks ...int) {
			t.Helper()
			var want []string
			for _, i := range stacks {
				want = append(want, fmt.Sprintf("stack s%d is %s", i, state))
			}
			if got := told(); got != strings.Join(want, "; ") {
				t.Errorf("told\n%s\nwant\n%s", got, strings.Join(want, "; "))
			}
		}
		all := func(tell func(stack string) notify.Notification) {
			for i := range 40 {
				c.Tell(tell(fmt.Sprint("s", i)))
			}
		}
		fail := func(stack string) notify.Notification { return failing(stack, away) }
		all(fail)
		expect("failed: "+away, 0, 1, 2, 3, 4)
		time.Sleep(30 * time.Second)
		all(again)
		expect("in sync again: ", 0, 1, 2, 3, 4)
		time.Sleep(time.Hour)
		expect("")

		// The failure of the stack that was reported has ended, although another failure of it was not reported.
		c.Tell(failing("s7", "no valid host"))
		all(fail)
		told()
		all(again)
		expect("in sync again: ", 0, 1, 2, 3, 4)
		time.Sleep(time.Hour)
		expect("in sync again: ", 7)
	})
}

// When an agent ends, it sends all waiting notifications. The names of a hundred stacks are on one line.
func TestCrowdAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, told := crowded()
		for i := range 105 {
			c.Tell(failing(fmt.Sprintf("s%03d", i), away))
		}
		told()
		c.Flush()
		c.Flush()
		got := told()
		if !strings.HasPrefix(got, "100 further stacks are failed: s005, s006, ") || !strings.HasSuffix(got, "s044 and 60 more: "+away) || strings.Contains(got, ";") {
			t.Errorf("told %q", got)
		}
	})
}
