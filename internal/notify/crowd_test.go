package notify_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/notify"
	"github.com/stackreeve/stackreeve/internal/report"
)

const away = "the cloud cannot be reached"

// crowded is a crowd, and what was sent of it.
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

// A cloud is away, and comes back: people are told four times, not once for each stack and each time.
func TestCrowd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, told := crowded()
		expect := func(want string) {
			t.Helper()
			synctest.Wait()
			if got := told(); got != want {
				t.Errorf("told\n%s\nwant\n%s", got, want)
			}
		}
		for i := range 4 {
			c.Tell(failing(fmt.Sprint("s", 3-i), away))
		}
		c.Tell(failing("other", "no valid host"))
		expect("stack s3 is failed: " + away + "; stack other is failed: no valid host")
		time.Sleep(time.Minute + time.Second)
		expect("3 further stacks are failed: s0, s1, s2: " + away)
		c.Tell(failing("late", away))
		expect("")
		for i := range 3 {
			c.Tell(again(fmt.Sprint("s", i)))
		}
		expect("stack s0 is in sync again: ")
		time.Sleep(time.Minute + time.Second)
		expect("stack late is failed: " + away + "; 2 further stacks are in sync again: s1, s2")
		time.Sleep(time.Hour)
		c.Tell(failing("s0", away))
		expect("stack s0 is failed: " + away)
	})
}

// What is over before it was told of is not told.
func TestCrowdNewestOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, told := crowded()
		for _, stack := range []string{"a", "b", "c"} {
			c.Tell(failing(stack, away))
		}
		c.Tell(again("b"))
		time.Sleep(2 * time.Minute)
		if got := strings.Split(told(), "; "); !slices.Equal(got, []string{"stack a is failed: " + away, "stack b is in sync again: ", "stack c is failed: " + away}) {
			t.Errorf("told %q", got)
		}
	})
}

// An agent that ends tells of all that wait; what a hundred stacks have in common is one line of names.
func TestCrowdAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, told := crowded()
		for i := range 101 {
			c.Tell(failing(fmt.Sprintf("s%03d", i), away))
		}
		told()
		c.Flush()
		c.Flush()
		got := told()
		if !strings.HasPrefix(got, "100 further stacks are failed: s001, s002, ") || !strings.HasSuffix(got, "s040 and 60 more: "+away) || strings.Contains(got, ";") {
			t.Errorf("told %q", got)
		}
	})
}
