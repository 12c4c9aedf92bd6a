package etcd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Record is a key with its value and its lease.
type Record struct {
	Key     string // without the prefix with which [Endpoints.List] was called
	Value   []byte
	Lease   int64 // 0 if there is none
	Created int64 // the revision at which the key was created; an older key has a smaller revision
}

// ErrNoLease is the error that a lease does not exist, because it has expired or was revoked.
var ErrNoLease = errors.New("the lease has ended")

// ErrTooMany is the error that there are more keys than may be read.
var ErrTooMany = errors.New("there are too many keys")

// Grant creates a lease. It expires if it is not renewed for the duration ttl, which is rounded to whole
// seconds.
func (e *Endpoints) Grant(ctx context.Context, ttl time.Duration) (lease int64, err error) {
	var got struct {
		ID    int64  `json:"ID,string"`
		Error string `json:"error"`
	}
	err = e.ask(ctx, "lease/grant", struct {
		TTL int64 `json:"TTL,string"`
	}{int64(ttl / time.Second)}, &got)
	if err == nil && got.ID == 0 {
		err = fmt.Errorf("%w as etcd does: a lease without a number", ErrSilent)
	}
	return got.ID, err
}

type leaseID struct {
	ID int64 `json:"ID,string"`
}

// Renew renews a lease for its whole duration. It returns [ErrNoLease] if the lease does not exist.
func (e *Endpoints) Renew(ctx context.Context, lease int64) error {
	var got struct {
		Result struct {
			TTL int64 `json:"TTL,string"`
		} `json:"result"`
		Error *struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	switch err := ended(e.ask(ctx, "lease/keepalive", leaseID{lease}, &got)); {
	case err != nil:
		return err
	case got.Error != nil:
		return fmt.Errorf("%w as etcd does: %w", ErrSilent, &Refused{unknown, got.Error.Message})
	case got.Result.TTL <= 0:
		return ErrNoLease
	}
	return nil
}

// Revoke deletes a lease and all its keys.
func (e *Endpoints) Revoke(ctx context.Context, lease int64) error {
	return ended(e.ask(ctx, "lease/revoke", leaseID{lease}, nil))
}

// ended returns [ErrNoLease] instead of etcd's error about a missing lease.
func ended(err error) error {
	var refused *Refused
	if errors.As(err, &refused) && refused.NotFound() && strings.Contains(refused.Message, "lease") {
		return ErrNoLease
	}
	return err
}

type (
	compare struct {
		Key    []byte `json:"key"`
		Target string `json:"target"`
		Result string `json:"result"`

		Created *int64 `json:"create_revision,string,omitempty"`
		Lease   *int64 `json:"lease,string,omitempty"`
	}
	operation struct {
		Put    *put    `json:"request_put,omitempty"`
		Delete *remove `json:"request_delete_range,omitempty"`
		Txn    *txn    `json:"request_txn,omitempty"`
	}
	put struct {
		Key   []byte `json:"key"`
		Value []byte `json:"value"`
		Lease int64  `json:"lease,string"`
	}
	remove struct {
		Key []byte `json:"key"`
	}
	txn struct {
		Compare []compare   `json:"compare"`
		Success []operation `json:"success"`
		Failure []operation `json:"failure,omitempty"`
	}
	decided struct {
		Succeeded bool `json:"succeeded"`
		Responses []struct {
			Txn *decided `json:"response_txn"`
		} `json:"responses"`
	}
)

// Hold writes a key with a lease if the key does not exist, or if it has the same lease. If the key has another
// lease, held is false and nothing is written.
func (e *Endpoints) Hold(ctx context.Context, lease int64, key string, value []byte) (held bool, err error) {
	write := []operation{{Put: &put{[]byte(key), value, lease}}}
	again := &txn{Compare: []compare{ofLease(key, lease)}, Success: write}
	var got decided
	none := int64(0)
	err = ended(e.ask(ctx, "kv/txn", txn{
		Compare: []compare{{Key: []byte(key), Target: "CREATE", Result: "EQUAL", Created: &none}},
		Success: write, Failure: []operation{{Txn: again}},
	}, &got))
	if err != nil || got.Succeeded {
		return got.Succeeded, err
	}
	if len(got.Responses) != 1 || got.Responses[0].Txn == nil {
		return false, fmt.Errorf("%w as etcd does: a transaction without its results", ErrSilent)
	}
	return got.Responses[0].Txn.Succeeded, nil
}

// Let deletes a key if it has the lease.
func (e *Endpoints) Let(ctx context.Context, lease int64, key string) error {
	return e.ask(ctx, "kv/txn", txn{Compare: []compare{ofLease(key, lease)}, Success: []operation{{Delete: &remove{[]byte(key)}}}}, nil)
}

func ofLease(key string, lease int64) compare {
	return compare{Key: []byte(key), Target: "LEASE", Result: "EQUAL", Lease: &lease}
}

// List returns every key with a prefix, as a majority of the members has it. It returns [ErrTooMany] if there
// are more than most.
func (e *Endpoints) List(ctx context.Context, prefix string, most int) (list []Record, err error) {
	var got struct {
		Keys []struct {
			Key     []byte      `json:"key"`
			Value   []byte      `json:"value"`
			Lease   json.Number `json:"lease"`
			Created json.Number `json:"create_revision"`
		} `json:"kvs"`
		More bool `json:"more"`
	}
	end := []byte(prefix)
	end[len(end)-1]++
	asked := struct {
		Key   []byte `json:"key"`
		End   []byte `json:"range_end"`
		Limit int    `json:"limit"`
	}{[]byte(prefix), end, most}
	if err := e.ask(ctx, "kv/range", asked, &got); err != nil {
		return nil, err
	}
	if got.More || len(got.Keys) > most {
		return nil, fmt.Errorf("%w below %s: more than %d", ErrTooMany, prefix, most)
	}
	for _, k := range got.Keys {
		r := Record{Key: strings.TrimPrefix(string(k.Key), prefix), Value: k.Value}
		r.Lease, _ = k.Lease.Int64() // 0 if there is none
		r.Created, _ = k.Created.Int64()
		list = append(list, r)
	}
	return list, nil
}
