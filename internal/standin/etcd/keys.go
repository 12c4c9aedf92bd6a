package etcd

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator/wire"
)

// Keys contains the keys and leases of a cluster, and answers as the JSON gateway of etcd. Agents that share stacks use it. It is a handler, and
// also a transport without a network.
type Keys struct {
	wire.Wire

	mu       sync.Mutex
	revision int64
	next     int64
	leases   map[int64]*lease
	keys     map[string]key
}

type lease struct {
	ttl  time.Duration
	ends time.Time
}

type key struct {
	value          []byte
	lease, created int64
}

// NewKeys returns a store without keys.
func NewKeys() *Keys {
	k := &Keys{revision: 1, next: 1 << 40, leases: map[int64]*lease{}, keys: map[string]key{}}
	k.To = k
	return k
}

// Delete removes a key as a person would.
func (k *Keys) Delete(name string) { k.mu.Lock(); defer k.mu.Unlock(); delete(k.keys, name) }

// Names are the names of the keys.
func (k *Keys) Names() (names []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.expire()
	for name := range k.keys {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

type leaseAsked struct {
	ID  int64 `json:"ID,string"`
	TTL int64 `json:"TTL,string"`
}

// ServeHTTP implements http.Handler.
func (k *Keys) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.expire()
	switch r.URL.Path {
	case "/v3/lease/grant", "/v3/lease/keepalive", "/v3/lease/revoke":
		var asked leaseAsked
		if json.NewDecoder(r.Body).Decode(&asked) != nil {
			refuse(w, 3, "malformed")
			return
		}
		k.lease(w, r.URL.Path, asked)
	case "/v3/kv/range":
		k.list(w, r)
	case "/v3/kv/txn":
		var asked transaction
		if json.NewDecoder(r.Body).Decode(&asked) != nil {
			refuse(w, 3, "malformed")
			return
		}
		if asked.names(func(id int64) bool { return id != 0 && k.leases[id] == nil }) {
			refuse(w, 5, "requested lease not found")
			return
		}
		k.revision++
		reply(w, http.StatusOK, k.carryOut(asked))
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// expire removes the keys of expired leases. The caller must hold the lock.
func (k *Keys) expire() {
	for id, l := range k.leases {
		if !time.Now().Before(l.ends) {
			k.end(id)
		}
	}
}

func (k *Keys) end(id int64) {
	delete(k.leases, id)
	for name, one := range k.keys {
		if one.lease == id {
			delete(k.keys, name)
		}
	}
}

func (k *Keys) lease(w http.ResponseWriter, path string, asked leaseAsked) {
	l := k.leases[asked.ID]
	switch path {
	case "/v3/lease/grant":
		k.next += 11
		ttl := time.Duration(asked.TTL) * time.Second
		k.leases[k.next] = &lease{ttl, time.Now().Add(ttl)}
		reply(w, http.StatusOK, map[string]string{"ID": strconv.FormatInt(k.next, 10), "TTL": strconv.FormatInt(asked.TTL, 10)})
	case "/v3/lease/revoke":
		if l == nil {
			refuse(w, 5, "requested lease not found")
			return
		}
		k.end(asked.ID)
		reply(w, http.StatusOK, map[string]any{})
	default:
		result := map[string]string{"ID": strconv.FormatInt(asked.ID, 10)} // there is no TTL if the lease does not exist
		if l != nil {
			l.ends = time.Now().Add(l.ttl)
			result["TTL"] = strconv.FormatInt(int64(l.ttl/time.Second), 10)
		}
		reply(w, http.StatusOK, map[string]any{"result": result})
	}
}

func (k *Keys) list(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Key   []byte `json:"key"`
		End   []byte `json:"range_end"`
		Limit int    `json:"limit"`
	}
	_ = json.NewDecoder(r.Body).Decode(&asked)
	var names []string
	for name := range k.keys {
		if name >= string(asked.Key) && name < string(asked.End) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	more := asked.Limit > 0 && len(names) > asked.Limit
	if more {
		names = names[:asked.Limit]
	}
	var list []map[string]any
	for _, name := range names {
		one := k.keys[name]
		shown := map[string]any{"key": []byte(name), "value": one.value, "create_revision": strconv.FormatInt(one.created, 10)}
		if one.lease != 0 {
			shown["lease"] = strconv.FormatInt(one.lease, 10)
		}
		list = append(list, shown)
	}
	out := map[string]any{"kvs": list}
	if more {
		out["more"] = true
	}
	reply(w, http.StatusOK, out)
}

// transaction is the part of etcd's transactions that agents use.
type transaction struct {
	Compare []struct {
		Key     []byte `json:"key"`
		Target  string `json:"target"`
		Created int64  `json:"create_revision,string"`
		Lease   int64  `json:"lease,string"`
	} `json:"compare"`
	Success []step `json:"success"`
	Failure []step `json:"failure"`
}

type step struct {
	Put *struct {
		Key   []byte `json:"key"`
		Value []byte `json:"value"`
		Lease int64  `json:"lease,string"`
	} `json:"request_put"`
	Delete *struct {
		Key []byte `json:"key"`
	} `json:"request_delete_range"`
	Txn *transaction `json:"request_txn"`
}

// names reports whether the transaction contains a put whose lease meets the condition is.
func (t transaction) names(is func(lease int64) bool) bool {
	return slices.ContainsFunc(slices.Concat(t.Success, t.Failure), func(s step) bool {
		return s.Put != nil && is(s.Put.Lease) || s.Txn != nil && s.Txn.names(is)
	})
}

func (k *Keys) carryOut(t transaction) map[string]any {
	holds := true
	for _, c := range t.Compare {
		now := k.keys[string(c.Key)] // zero values if there is no such key
		if strings.EqualFold(c.Target, "CREATE") {
			holds = holds && now.created == c.Created
		} else {
			holds = holds && now.lease == c.Lease
		}
	}
	steps, out := t.Failure, map[string]any{}
	if holds {
		steps, out["succeeded"] = t.Success, true
	}
	var responses []any
	for _, s := range steps {
		responses = append(responses, k.step(s))
	}
	out["responses"] = responses
	return out
}

func (k *Keys) step(s step) map[string]any {
	switch {
	case s.Put != nil:
		name, created := string(s.Put.Key), k.revision
		if before, ok := k.keys[name]; ok {
			created = before.created
		}
		k.keys[name] = key{s.Put.Value, s.Put.Lease, created}
		return map[string]any{"response_put": map[string]any{}}
	case s.Delete != nil:
		delete(k.keys, string(s.Delete.Key))
		return map[string]any{"response_delete_range": map[string]any{}}
	case s.Txn != nil:
		return map[string]any{"response_txn": k.carryOut(*s.Txn)}
	}
	return map[string]any{}
}

// Value returns the value of a key, or nil if there is none.
func (k *Keys) Value(name string) []byte {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.expire()
	return k.keys[name].value
}
