package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/service/servicetest"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// whoIsTold starts an agent for stacks, with a receiver for its notifications. hears expects the next notification.
func whoIsTold(t *testing.T, s *stage, stacks string) (hears func(want string), told chan string) {
	t.Helper()
	told = make(chan string, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var event struct {
			Data struct{ Title, Message string }
		}
		if err := json.NewDecoder(r.Body).Decode(&event); err != nil {
			t.Error(err)
		}
		told <- event.Data.Title + ": " + event.Data.Message
	}))
	t.Cleanup(receiver.Close)
	const doc = "apiVersion: stackreeve.dev/v1alpha1\nkind: Notification\nmetadata: {name: oncall}\nspec: {to: {webhook: {url: '"
	s.Write("stackreeve.yaml", stacks+"---\n"+doc+receiver.URL+"/events'}}}\n")
	s.Commit()
	s.build()
	agent := s.command("run", "--poll", "@every 1s")
	said := &servicetest.Record{}
	agent.Stderr = said
	if err := agent.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = agent.Process.Signal(syscall.SIGTERM) // the agent may already have ended
		_ = agent.Wait()
	})
	return func(want string) {
		t.Helper()
		select {
		case got := <-told:
			if !strings.Contains(got, want) {
				t.Errorf("told %q, want %q", got, want)
			}
		case <-time.After(time.Minute):
			t.Fatalf("nobody is told %q\n%s", want, said)
		}
	}, told
}

// A receiver gets one notification that a commit is refused, and one that the stack is in sync again.
func TestNotifications(t *testing.T) {
	testcost.Long(t) // agents run in real time, against simulated servers
	s := newStage(t, simulator.Options{})
	const network = "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: front}\nspec: {"
	s.Write("repo/net.yaml", network+"resorce: {}}\n")
	hears, told := whoIsTold(t, s, (&readable{stage: s}).content("stackreeve.yaml"))
	hears("net.yaml:4: Network/front: spec.resorce: unknown field")
	s.Write("repo/net.yaml", network+"resource: {}}\n")
	s.Commit()
	hears("stack killed is in sync")
	if len(told) > 0 {
		t.Errorf("told besides: %s", <-told)
	}
}

// The sent notifications are still stored after another folder becomes a stack. So people who got the notification that a stack is refused
// also get the notification that it is in sync again.
func TestNotificationsWhenFoldersCome(t *testing.T) {
	testcost.Long(t) // agents run in real time, against simulated servers
	s := newStage(t, simulator.Options{})
	const network = "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: front}\nspec: {"
	s.Write("repo/clouds/eu/net.yaml", network+"resorce: {}}\n")
	hears, told := whoIsTold(t, s, strings.Replace((&readable{stage: s}).content("stackreeve.yaml"), "branch: main}", "branch: main, paths: clouds/*}", 1))
	hears("clouds/eu/net.yaml:4: Network/front: spec.resorce: unknown field")
	s.Write("repo/clouds/eu/net.yaml", network+"resource: {}}\n")
	s.Write("repo/clouds/us/net.yaml", strings.Replace(network, "front", "back", 1)+"resource: {}}\n")
	s.Commit()
	hears("stack killed-eu is in sync")
	if len(told) > 0 {
		t.Errorf("told besides: %s", <-told)
	}
}
