package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// repeated is a write that [repeatAll] sends again, and the ID in the answer to the first one.
type repeated struct {
	address string // through the proxy
	path    string
	method  string
	header  http.Header
	body    string
	id      string // "" if the answer has none
}

// keepWrites says whether the following writes are recorded for [repeatAll]. It returns those that were.
func (p *proxy) keepWrites(keeps bool) []repeated {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keeps = keeps
	return p.wrote
}

// keep records call n for [repeatAll] if it is an answered write.
func (p *proxy) keep(n int, origin string, r *http.Request, body []byte, a *answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.keeps || a == nil || a.code >= 300 || n > len(p.calls) || !p.calls[n-1].writes {
		return
	}
	w := repeated{p.outside[origin] + r.URL.RequestURI(), r.URL.Path, r.Method, r.Header.Clone(), string(body), madeIn(a.body)}
	w.header.Del("If-Match") // the revisions of other objects
	p.wrote = append(p.wrote, w)
}

// madeIn returns the ID of the object in an answer such as {"port": {"id": …}}.
func madeIn(answer []byte) string {
	var objects map[string]struct{ ID string }
	if json.Unmarshal(answer, &objects) != nil {
		return "" // the answer to tags is a list
	}
	for _, o := range objects {
		return o.ID
	}
	return ""
}

// repeatAll sends writes that created objects again, and waits until the new servers and load balancers are active. As many writes are in progress as a stack
// carries out at a time. A write waits for the earlier ones that made the objects it names. It returns how long all took.
func repeatAll(t *testing.T, writes []repeated) time.Duration {
	t.Helper()
	began, turns := time.Now(), make(chan struct{}, 10)
	ended := make([]chan struct{}, len(writes))
	var mu sync.Mutex
	renamed := map[string]string{} // by the ID of the first creation
	var all sync.WaitGroup
	for i, w := range writes {
		ended[i] = make(chan struct{})
		all.Go(func() {
			defer close(ended[i])
			for before, earlier := range writes[:i] {
				needs := earlier.id != "" && strings.Contains(w.path+w.body, earlier.id)
				if needs || strings.HasSuffix(w.path, "/ports") && strings.HasSuffix(earlier.path, "/subnets") { // the cloud chooses the addresses of ports
					<-ended[before]
				}
			}
			turns <- struct{}{}
			defer func() { <-turns }()
			mu.Lock()
			list := make([]string, 0, 2*len(renamed))
			for from, to := range renamed {
				list = append(list, from, to)
			}
			mu.Unlock()
			ids := strings.NewReplacer(list...)
			id := madeIn(repeat(t, w.method, ids.Replace(w.address), w.header, ids.Replace(w.body)))
			mu.Lock()
			defer mu.Unlock()
			if w.method == http.MethodPost {
				renamed[w.id] = id
			}
		})
	}
	all.Wait()
	for _, w := range writes {
		if w.method == http.MethodPost && (strings.HasSuffix(w.path, "/servers") || strings.HasSuffix(w.path, "/loadbalancers")) {
			for !active(t, w, renamed[w.id]) && !t.Failed() {
				time.Sleep(100 * time.Millisecond)
			}
		}
	}
	return time.Since(began)
}

// active reports whether a server or a load balancer is active.
func active(t *testing.T, w repeated, id string) bool {
	t.Helper()
	var objects map[string]struct {
		Status       string // of a server
		Provisioning string `json:"provisioning_status"` // of a load balancer
	}
	if err := json.Unmarshal(repeat(t, http.MethodGet, w.address+"/"+id, w.header, ""), &objects); err != nil {
		t.Error(err)
	}
	for _, o := range objects {
		return o.Status == "ACTIVE" || o.Provisioning == "ACTIVE"
	}
	return false
}

func repeat(t *testing.T, method, address string, header http.Header, body string) []byte {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return nil
	}
	r.Header = header.Clone()
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return nil
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode >= 300 {
		t.Errorf("%s %s: %s %s %v", method, address, answer.Status, text, err)
	}
	return text
}
