// Package kubernetes simulates a Kubernetes API server that has only Leases, in one namespace and in memory. It implements their versions, labels,
// preconditions and merge patches, as far as agents that share stacks use them.
package kubernetes

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator/wire"
)

// Leases is the server. It is a handler, and also a transport without a network.
type Leases struct {
	wire.Wire

	mu      sync.Mutex
	version int
	all     map[string]object // the keys are the names of the Leases
}

// object is a Lease as JSON.
type object map[string]any

func (o object) part(name string) object {
	part, _ := o[name].(map[string]any)
	return part
}

func (o object) text(name string) string {
	text, _ := o[name].(string)
	return text
}

// NewLeases returns a server without Leases.
func NewLeases() *Leases {
	l := &Leases{all: map[string]object{}}
	l.To = l
	return l
}

// Annotations returns the annotations of each Lease, by the name of the Lease.
func (l *Leases) Annotations() map[string]map[string]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := map[string]map[string]string{}
	for name, o := range l.all {
		out[name] = map[string]string{}
		for key := range o.part("metadata").part("annotations") {
			out[name][key] = o.part("metadata").part("annotations").text(key)
		}
	}
	return out
}

// Delete removes a Lease as a person would.
func (l *Leases) Delete(name string) { l.mu.Lock(); defer l.mu.Unlock(); delete(l.all, name) }

// ServeHTTP implements http.Handler.
func (l *Leases) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	rest, ok := strings.CutPrefix(r.URL.Path, "/apis/coordination.k8s.io/v1/namespaces/")
	_, rest, inside := strings.Cut(rest, "/leases")
	if name := strings.TrimPrefix(rest, "/"); ok && inside {
		var asked object
		if r.Body != nil {
			_ = json.NewDecoder(r.Body).Decode(&asked) // a read has no body
		}
		l.serve(w, r, name, asked)
		return
	}
	refuse(w, http.StatusNotFound, "", "the server could not find the requested resource")
}

func (l *Leases) serve(w http.ResponseWriter, r *http.Request, name string, asked object) {
	have, there := l.all[name]
	switch {
	case r.Method == http.MethodGet && name == "":
		l.list(w, r.URL.Query().Get("labelSelector"))
	case r.Method == http.MethodPost && name == "":
		l.create(w, asked)
	case !there:
		refuse(w, http.StatusNotFound, "NotFound", fmt.Sprintf("leases.coordination.k8s.io %q not found", name))
	case r.Method == http.MethodGet:
		reply(w, http.StatusOK, have)
	case r.Method == http.MethodPatch:
		if other(have, asked.part("metadata")) {
			conflict(w, name)
			return
		}
		one := merged(have, asked)
		l.all[name] = l.changed(one)
		reply(w, http.StatusOK, one)
	case r.Method == http.MethodDelete:
		if other(have, asked.part("preconditions")) {
			conflict(w, name)
			return
		}
		delete(l.all, name)
		reply(w, http.StatusOK, object{"kind": "Status", "status": "Success"})
	default:
		refuse(w, http.StatusMethodNotAllowed, "MethodNotAllowed", "the server does not allow this method on the requested resource")
	}
}

func (l *Leases) list(w http.ResponseWriter, selector string) {
	label, value, _ := strings.Cut(selector, "=")
	items := []object{}
	for _, name := range slices.Sorted(maps.Keys(l.all)) {
		if o := l.all[name]; label == "" || o.part("metadata").part("labels").text(label) == value {
			items = append(items, o)
		}
	}
	reply(w, http.StatusOK, object{"kind": "LeaseList", "apiVersion": "coordination.k8s.io/v1", "metadata": object{"resourceVersion": strconv.Itoa(l.version)}, "items": items})
}

func (l *Leases) create(w http.ResponseWriter, asked object) {
	meta := asked.part("metadata")
	name := meta.text("name")
	if l.all[name] != nil {
		refuse(w, http.StatusConflict, "AlreadyExists", fmt.Sprintf("leases.coordination.k8s.io %q already exists", name))
		return
	}
	meta["uid"], meta["creationTimestamp"] = "uid-"+strconv.Itoa(l.version+1), time.Now().UTC().Format(time.RFC3339)
	l.all[name] = l.changed(asked)
	reply(w, http.StatusCreated, asked)
}

// changed sets the next version of a Lease.
func (l *Leases) changed(o object) object {
	l.version++
	o.part("metadata")["resourceVersion"] = strconv.Itoa(l.version)
	return o
}

// other reports whether have is not the Lease that a client has read (seen), or has another version.
func other(have object, seen object) bool {
	meta := have.part("metadata")
	for _, field := range []string{"uid", "resourceVersion"} {
		if want := seen.text(field); want != "" && want != meta.text(field) {
			return true
		}
	}
	return false
}

// merged returns have with the merge patch change applied. (RFC 7396)
func merged(have, change object) object {
	out := maps.Clone(have)
	if out == nil {
		out = object{}
	}
	for name, value := range change {
		part, isPart := value.(map[string]any)
		switch {
		case value == nil:
			delete(out, name)
		case isPart:
			out[name] = map[string]any(merged(out.part(name), part))
		default:
			out[name] = value
		}
	}
	return out
}

func conflict(w http.ResponseWriter, name string) {
	refuse(w, http.StatusConflict, "Conflict", fmt.Sprintf("Operation cannot be fulfilled on leases.coordination.k8s.io %q: the object has been modified", name))
}

func refuse(w http.ResponseWriter, code int, reason, message string) {
	reply(w, code, object{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "message": message, "code": code})
}

func reply(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body) // an error means that the client has disconnected
}
