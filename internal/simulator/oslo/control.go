package oslo

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sort"
	"time"
)

// ControlPrefix is the path of the pages that control the simulator itself.
const ControlPrefix = "/_simulator/"

const controlHelp = `This is a simulated OpenStack. What steers it:

GET    /_simulator/requests   answered requests, in order
GET    /_simulator/counts     how many by service, route and status
DELETE /_simulator/requests   forget them
GET    /_simulator/faults     faults that can still act
POST   /_simulator/faults     add one; answers {"id": N}
DELETE /_simulator/faults     remove all

A fault, every field optional:
{"service": "compute", "method": "POST", "path": "^/v2.1/servers$",  what it hits; path is a regular expression
 "after": 1, "count": 2,          let one pass, then hit two (0: all)
 "delay": "300ms",                extra latency
 "status": 503, "header": {"Retry-After": "2"}, "body": "...",  answer this ("late": true: after the work)
 "hang": true,                    never answer
 "reset": "before" | "after",     cut the connection without or with the work done
 "truncate": true,                half a body
 "expire_token": true}            the caller's token ends
`

// faultJSON is the JSON form of a Fault.
type faultJSON struct {
	ID          int               `json:"id,omitempty"`
	Service     string            `json:"service,omitempty"`
	Method      string            `json:"method,omitempty"`
	Path        string            `json:"path,omitempty"`
	After       int               `json:"after,omitempty"`
	Count       int               `json:"count,omitempty"`
	Delay       string            `json:"delay,omitempty"`
	ExpireToken bool              `json:"expire_token,omitempty"`
	Hang        bool              `json:"hang,omitempty"`
	Reset       string            `json:"reset,omitempty"`
	Truncate    bool              `json:"truncate,omitempty"`
	Status      int               `json:"status,omitempty"`
	Late        bool              `json:"late,omitempty"`
	Header      map[string]string `json:"header,omitempty"`
	Body        string            `json:"body,omitempty"`
}

func (j faultJSON) fault() (Fault, error) {
	f := Fault{Service: j.Service, Method: j.Method, Path: j.Path, After: j.After, Count: j.Count,
		ExpireToken: j.ExpireToken, Hang: j.Hang, Reset: j.Reset, Truncate: j.Truncate,
		Status: j.Status, Late: j.Late, Header: j.Header, Body: j.Body}
	if j.Delay != "" {
		d, err := time.ParseDuration(j.Delay)
		if err != nil {
			return f, fmt.Errorf("delay: %w", err)
		}
		f.Delay = d
	}
	return f, nil
}

func wire(f Fault) faultJSON {
	j := faultJSON{ID: f.ID, Service: f.Service, Method: f.Method, Path: f.Path, After: f.After, Count: f.Count,
		ExpireToken: f.ExpireToken, Hang: f.Hang, Reset: f.Reset, Truncate: f.Truncate,
		Status: f.Status, Late: f.Late, Header: f.Header, Body: f.Body}
	if f.Delay > 0 {
		j.Delay = f.Delay.String()
	}
	return j
}

// HandleControl adds a page under /_simulator/. The page runs without the lock.
func (c *Cloud) HandleControl(pattern string, h http.HandlerFunc) { c.control.HandleFunc(pattern, h) }

func (c *Cloud) addControl() {
	c.HandleControl("GET /_simulator/{$}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, controlHelp)
	})
	c.HandleControl("GET /_simulator/requests", func(w http.ResponseWriter, _ *http.Request) {
		WriteJSON(w, http.StatusOK, map[string]any{"requests": orEmpty(c.Requests())})
	})
	c.HandleControl("GET /_simulator/counts", c.countsPage)
	c.HandleControl("DELETE /_simulator/requests", func(w http.ResponseWriter, _ *http.Request) {
		c.ResetRequests()
		w.WriteHeader(http.StatusNoContent)
	})
	c.HandleControl("GET /_simulator/faults", func(w http.ResponseWriter, _ *http.Request) {
		list := []faultJSON{}
		for _, f := range c.Faults() {
			list = append(list, wire(f))
		}
		WriteJSON(w, http.StatusOK, map[string]any{"faults": list})
	})
	c.HandleControl("POST /_simulator/faults", c.addFaultPage)
	c.HandleControl("DELETE /_simulator/faults", func(w http.ResponseWriter, _ *http.Request) {
		c.ClearFaults()
		w.WriteHeader(http.StatusNoContent)
	})
}

func (c *Cloud) addFaultPage(w http.ResponseWriter, r *http.Request) {
	var j faultJSON
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	err := d.Decode(&j)
	var f Fault
	if err == nil {
		f, err = j.fault()
	}
	var id int
	if err == nil {
		id, err = c.AddFault(f)
	}
	if err != nil {
		WriteJSON(w, http.StatusBadRequest, map[string]any{"error": err.Error()})
		return
	}
	WriteJSON(w, http.StatusCreated, map[string]any{"id": id})
}

func (c *Cloud) countsPage(w http.ResponseWriter, _ *http.Request) {
	type line struct {
		Service  string `json:"service"`
		Template string `json:"template"`
		Status   int    `json:"status"`
		Count    int    `json:"count"`
	}
	lines := []line{}
	for k, n := range c.RequestCounts() {
		lines = append(lines, line{k.Service, k.Template, k.Status, n})
	}
	sort.Slice(lines, func(i, j int) bool {
		a, b := lines[i], lines[j]
		return a.Service < b.Service || a.Service == b.Service && (a.Template < b.Template || a.Template == b.Template && a.Status < b.Status)
	})
	WriteJSON(w, http.StatusOK, map[string]any{"counts": lines})
}

// WriteJSON answers a control page.
func WriteJSON(w http.ResponseWriter, status int, v any) {
	kind, body := RenderJSON(v)
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	// An error means that the client has disconnected.
	_, _ = w.Write(append(body, '\n'))
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
