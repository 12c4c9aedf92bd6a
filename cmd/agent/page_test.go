package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	stackreeve "github.com/stackreeve/stackreeve"
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/service/servicetest"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

// markupText is a text of an attacker who hopes that a browser interprets it as markup.
const markupText = "<img src=x onerror=alert(1)>"

// manyObjects is the number of objects in the largest stack.
const manyObjects = 10_000

// clouds writes several stacks, each in another state.
func (r *readable) clouds(t *testing.T) {
	t.Helper()
	config := ""
	for _, s := range [][2]string{{"shop", ""}, {"edge", "sync: {drift: report}"}, {"data", "sync: {mode: manual}"}, {"archive", "suspend: true"}, {"lab", ""}, {"warehouse", "suspend: true"}, {"office", ""}} {
		config += fmt.Sprintf("---\napiVersion: stackreeve.dev/v1alpha1\nkind: Stack\nmetadata: {name: %s}\nspec:\n  source: {url: %s, branch: main, path: %s}\n  cloud: demo\n  report: {dashboards: {Network: 'https://dashboard.example.com/networks/{id}'}}\n  %s\n", s[0], r.Path("repo"), s[0], s[1])
	}
	r.Write("stackreeve.yaml", config)
	shop, err := stackreeve.Example("shop")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(r.Path("repo/shop"), shop); err != nil {
		t.Fatal(err)
	}
	r.Write("repo/edge/net.yaml", servicetest.NetworkNamed("edge-left", "cabinet 4")+servicetest.NetworkNamed("edge-right", markupText)+servicetest.NetworkNamed("edge-spare", ""))
	r.Write("repo/data/net.yaml", servicetest.NetworkNamed("data-front", "replicas")+servicetest.NetworkNamed("data-back", "backups"))
	r.Write("repo/archive/net.yaml", servicetest.NetworkNamed("archive", ""))
	r.Write("repo/office/net.yaml", servicetest.NetworkNamed("office", ""))
	r.Write("repo/lab/net.yaml", servicetest.NetworkNamed("lab", "")+"---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: lab-two}\nspec: {resource: {mtuu: '"+markupText+"'}}\n")
	for file := range 10 {
		text := ""
		for n := range manyObjects / 10 {
			text += servicetest.NetworkNamed(fmt.Sprintf("aisle-%d-shelf-%d", file, n), "")
		}
		r.Write(fmt.Sprintf("repo/warehouse/aisle-%d.yaml", file), text)
	}
	r.Commit()
}

// describe changes the description of a network, as another person could do.
func (r *readable) describe(t *testing.T, name, description string) {
	t.Helper()
	client, err := cloud.Open(t.Context(), cloud.Config{Cloud: "demo", File: r.Path("clouds.yaml"), Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	list, err := cloud.List[struct{ ID, Name string }](t.Context(), client, cloud.Call{Service: cloud.Network, Path: "networks"}, "networks")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range list {
		if n.Name != name {
			continue
		}
		call := cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "networks/" + n.ID, Body: map[string]any{"network": map[string]any{"description": description}}}
		if err := client.Do(t.Context(), call); err != nil {
			t.Fatal(err)
		}
	}
}

// hangup makes the agent check every stack immediately.
func (r *readable) hangup(t *testing.T) {
	t.Helper()
	if err := r.agent.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
}

// A browser shows all data, and receives changes. STACKREEVE_TEST_PAGE is the program that controls a browser. That program requests a change
// by printing a line.
func TestPage(t *testing.T) {
	driver := os.Getenv("STACKREEVE_TEST_PAGE")
	if driver == "" {
		t.Skip("STACKREEVE_TEST_PAGE names no browser's driver; `make test-page` gets one")
	}
	r := &readable{stage: newStage(t, simulator.Options{BuildDelay: 6 * time.Second, PendingDelay: 300 * time.Millisecond}), said: &servicetest.Record{}}
	r.clouds(t)
	r.start(t)
	const visited = 6 // the refused stack has no pass
	r.passes(t, visited)
	r.describe(t, "edge-left", "cabinet 7, moved by hand")
	r.hangup(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	words := strings.Fields(driver)
	cmd := exec.CommandContext(ctx, words[0], append(words[1:], r.server, readToken)...)
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // the program then ends its browser
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		switch line := lines.Text(); line {
		case "grow":
			r.Write("repo/shop/machines.yaml", strings.Replace(r.content("repo/shop/machines.yaml"), "replicas: 3", "replicas: 5", 1))
			r.Commit()
			r.hangup(t)
		case "drift":
			r.describe(t, "office", "changed by hand")
			r.hangup(t)
		default:
			t.Log(line)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, r.said)
	}
}
