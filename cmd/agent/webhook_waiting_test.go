package main

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator"
)

// BenchmarkWebhookWhileWaiting measures the time from a forge's message to the first request of the pass of the new commit. The pass before it waits
// for a machine that stays in BUILD, and lists the machines again and again. The cloud answers each request after half a second. BENCHTIME=50x gives
// percentiles of 50 messages.
func BenchmarkWebhookWhileWaiting(b *testing.B) {
	h := setHookedOn(b, simulator.Options{BuildDelay: 24 * time.Hour}, "")
	if _, err := h.Server.AddFault(simulator.Fault{Delay: 500 * time.Millisecond}); err != nil {
		b.Fatal(err)
	}
	h.Write("repo/machine.yaml", "apiVersion: stackreeve.dev/v1alpha1\nkind: VirtualMachine\nmetadata: {name: slow}\n"+
		"spec: {network: private, image: centos79, flavor: n3-1vcpu-2gb, initScript: {value: ls}}\n")
	h.change()
	h.serve()
	var mu sync.Mutex
	var other time.Time // the last request that is not about machines
	listed := make(chan time.Time, 1)
	h.Server.OnRequest(func(_ int, r simulator.Request) {
		mu.Lock()
		defer mu.Unlock()
		if !strings.Contains(r.Path, "/servers") {
			other = time.Now()
		}
		if r.Method == http.MethodGet && strings.HasSuffix(r.Path, "/networks") {
			select {
			case listed <- time.Now():
			default:
			}
		}
	})
	waits := func() {
		<-listed
		for calm := false; !calm; <-time.After(50 * time.Millisecond) {
			mu.Lock()
			calm = time.Since(other) > 1500*time.Millisecond
			mu.Unlock()
		}
		for len(listed) > 0 {
			<-listed
		}
	}
	waits()
	var took []time.Duration
	for b.Loop() {
		h.change()
		sent := time.Now()
		h.push(webhookSecret, "main")
		at := <-listed
		took = append(took, at.Sub(sent))
		listed <- at
		waits()
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Milliseconds()), "ms-median")
	b.ReportMetric(float64(took[len(took)*99/100].Milliseconds()), "ms-p99")
}
