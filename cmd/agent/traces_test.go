package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// exported is the content of a request, as a receiver of traces parses it.
type exported struct {
	ResourceSpans []struct {
		ScopeSpans []struct {
			Spans []struct {
				Name       string
				Attributes []struct {
					Key   string
					Value struct{ StringValue string }
				}
			}
		}
	}
}

// lines returns the spans without the parts that differ between runs. The pass itself is first.
func (e exported) lines() (list []string) {
	for _, s := range e.ResourceSpans[0].ScopeSpans[0].Spans {
		of := map[string]string{}
		for _, a := range s.Attributes {
			of[strings.TrimPrefix(a.Key, "stackreeve.")] = a.Value.StringValue
		}
		line := s.Name
		for _, key := range slices.Sorted(maps.Keys(of)) {
			if of[key] != "" && key != "commit" && key != "rounds" {
				line += fmt.Sprintf(" %s=%s", key, of[key])
			}
		}
		list = append(list, line)
	}
	return list
}

// A pass that changes something is traced. Its trace contains the spans that docs/metrics.md shows.
func TestTraces(t *testing.T) {
	testcost.Long(t) // agents run in real time, against simulated servers
	told := make(chan exported, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var e exported
		if err := json.NewDecoder(r.Body).Decode(&e); err != nil {
			t.Error(err)
		}
		told <- e
	}))
	defer receiver.Close()
	s := newStage(t, simulator.Options{})
	s.Write("repo/net.yaml", "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: front}\nspec: {resource: {}}\n")
	s.Commit()
	s.build()
	agent := s.command("run", "--poll", "@every 1s")
	agent.Env = append(agent.Environ(), "OTEL_EXPORTER_OTLP_ENDPOINT="+receiver.URL)
	if err := agent.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = agent.Process.Signal(syscall.SIGTERM) // the agent may already have ended
		_ = agent.Wait()
	}()
	var got []string
	select {
	case e := <-told:
		got = e.lines()
		got[0] = strings.Replace(got[0], "stack=killed", "stack=prod", 1) // the page has this name of the stack
	case <-time.After(time.Minute):
		t.Fatal("no trace arrives")
	}
	page, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	_, shown, _ := strings.Cut(string(page), "```text trace\n")
	shown, _, _ = strings.Cut(shown, "```")
	if shown == "" {
		t.Fatal("docs/metrics.md shows no trace")
	}
	for line := range strings.Lines(shown) {
		if line = strings.TrimSpace(line); !slices.Contains(got, line) {
			t.Errorf("docs/metrics.md has %q, which is not in the trace:\n%s", line, strings.Join(got, "\n"))
		}
	}
}
