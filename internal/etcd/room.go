package etcd

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/stackreeve/stackreeve/internal/boot"
	"github.com/stackreeve/stackreeve/internal/printable"
)

// Waiting is the answer of a machine on the client port before its etcd runs: it has no data, and waits to become a member. The
// machine runs package etcdcluster's boot script.
type Waiting struct {
	State   string `json:"state"`   // one of the states below
	Message string `json:"message"` // for people
	// Sum is the SHA-256 digest of the snapshot of which the machine has Received bytes; "" for a machine without one.
	Sum      string `json:"sum"`
	Received int64  `json:"received"`
}

// These are the states.
const (
	Blank   = "blank"   // without data, ready to begin a cluster or to join one.
	Begins  = "begins"  // was asked to begin one.
	Refuses = "refuses" // has data that this version of etcd must not open.

	Receives = "receives" // has a snapshot, or a part of one, and begins with a snapshot only.
	Unfit    = "unfit"    // the same, but the snapshot that it has cannot be restored.
	Restores = "restores" // is making data of the snapshot.
)

// Part is the number of bytes of a snapshot that are sent at once.
const Part = 4 << 20

// Said is the message, in words that are safe to print.
func (w Waiting) Said() string { return printable.Clip(printable.Line(w.Message), 200) }

// Empty reports whether the machine has no data, and was not asked to begin.
func (w Waiting) Empty() bool { return w.State == Blank || w.State == Receives || w.State == Unfit }

// Beginning reports whether the machine was asked to begin, and is doing so.
func (w Waiting) Beginning() bool { return w.State == Begins || w.State == Restores }

const waitingPath = "/stackreeve/waiting"

// Waiting asks a machine whether it waits. If it does not, the state is "". err says that no machine answers.
func (c Client) Waiting(ctx context.Context, address string) (w Waiting, err error) {
	return c.said(c.send(ctx, http.MethodGet, address, waitingPath, nil))
}

func (Client) said(status int, answer []byte, err error) (w Waiting, _ error) {
	if err == nil {
		err = boot.Answer(status, answer)
	}
	if err != nil || status != http.StatusOK || json.Unmarshal(answer, &w) != nil {
		return Waiting{}, err
	}
	return w, nil
}

// Begin asks a machine that waits to begin a cluster of which it is the only member.
func (c Client) Begin(ctx context.Context, address string) error {
	return c.begin(ctx, address, []byte(`{"begin": true}`))
}

// BeginWith is Begin with the snapshot of that SHA-256 digest, of which the machine has all bytes. The machine answers first, and then
// makes data of the snapshot.
func (c Client) BeginWith(ctx context.Context, address, sum string) error {
	body, err := json.Marshal(map[string]any{"begin": true, "snapshot": sum})
	if err != nil {
		return err
	}
	return c.begin(ctx, address, body)
}

func (c Client) begin(ctx context.Context, address string, body []byte) error {
	status, _, err := c.send(ctx, http.MethodPost, address, waitingPath, body)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%w: status %d", ErrSilent, status)
	}
	return err
}

// sendPatience is the time limit for sending a part of a snapshot.
const sendPatience = 2 * time.Minute

// SendPart sends a part of a snapshot of size bytes to a machine that waits, and returns its answer. The answer says how many bytes
// the machine then has. A snapshot with another digest replaces the one that the machine has.
func (c Client) SendPart(ctx context.Context, address, sum string, size, from int64, part []byte) (Waiting, error) {
	path := fmt.Sprintf("%s?sum=%s&size=%d&from=%d", waitingPath, url.QueryEscape(sum), size, from)
	status, answer, err := c.sendWithin(ctx, sendPatience, http.MethodPut, address, path, part)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%w: status %d", ErrSilent, status)
	}
	return c.said(status, answer, err)
}
