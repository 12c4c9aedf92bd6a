package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator"
)

// A receiver is told that a commit is refused, and that the stack is in sync again, once each.
func TestNotifications(t *testing.T) {
	told := make(chan string, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var event struct {
			Data struct{ Title, Message string }
		}
		if err := json.NewDecoder(r.Body).Decode(&event); err != nil {
			t.Error(err)
		}
		told <- event.Data.Title + ": " + event.Data.Message
	}))
	defer receiver.Close()
	s := newStage(t, simulator.Options{})
	const doc = "apiVersion: stackreeve.dev/v1alpha1\nkind: Notification\nmetadata: {name: oncall}\nspec: {to: {webhook: {url: '"
	s.write("stackreeve.yaml", (&readable{stage: s}).content("stackreeve.yaml")+"---\n"+doc+receiver.URL+"/events'}}}\n")
	const network = "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: front}\nspec: {"
	s.write("repo/net.yaml", network+"resorce: {}}\n")
	s.commit()
	s.build()
	agent := s.command("run", "--poll", "@every 1s")
	said := &record{}
	agent.Stderr = said
	if err := agent.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = agent.Process.Signal(syscall.SIGTERM) // it may have ended
		_ = agent.Wait()
	}()
	hears := func(want string) {
		t.Helper()
		select {
		case got := <-told:
			if !strings.Contains(got, want) {
				t.Errorf("told %q, want %q", got, want)
			}
		case <-time.After(time.Minute):
			t.Fatalf("nobody is told %q\n%s", want, said)
		}
	}
	hears("net.yaml:4: Network/front: spec.resorce: unknown field")
	s.write("repo/net.yaml", network+"resource: {}}\n")
	s.commit()
	hears("stack killed is in sync again at commit ")
	if len(told) > 0 {
		t.Errorf("told besides: %s", <-told)
	}
}
