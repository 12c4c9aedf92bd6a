package etcd

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/stackreeve/stackreeve/internal/printable"
)

// Waiting is what a machine says on the port for clients before its etcd runs: it has no data, and waits to be
// a member. What runs on the machine is package etcdcluster's boot script.
type Waiting struct {
	State   string `json:"state"`   // one of the states below
	Message string `json:"message"` // for people
}

// The states.
const (
	Blank   = "blank"   // without data, ready to begin a cluster or to join one
	Begins  = "begins"  // was asked to begin one
	Refuses = "refuses" // has data that this version of etcd must not open
)

// Said is the message, in words that are safe to print.
func (w Waiting) Said() string { return printable.Clip(printable.Line(w.Message), 200) }

const waitingPath = "/stackreeve/waiting"

// Waiting asks a machine whether it waits; it does not where the state is "", and err says that nobody answers.
func (c Client) Waiting(ctx context.Context, address string) (w Waiting, err error) {
	status, answer, err := c.send(ctx, http.MethodGet, address, waitingPath, nil)
	if err != nil || status != http.StatusOK || json.Unmarshal(answer, &w) != nil {
		return Waiting{}, err
	}
	return w, nil
}

// Begin asks a machine that waits to begin a cluster of which it is the only member.
func (c Client) Begin(ctx context.Context, address string) error {
	status, _, err := c.send(ctx, http.MethodPost, address, waitingPath, []byte(`{"begin": true}`))
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%w: status %d", ErrSilent, status)
	}
	return err
}
