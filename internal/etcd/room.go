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

// Waiting is the answer of a machine on the client port before its etcd runs. The machine has no data, and waits
// to become a member. It runs the boot script of package etcdcluster.
type Waiting struct {
	State   string `json:"state"`   // one of the states below
	Message string `json:"message"` // a text for people
	// Sum is the SHA-256 digest of the snapshot of which the machine has Received bytes. It is "" if the machine has
	// no snapshot.
	Sum      string `json:"sum"`
	Received int64  `json:"received"`
}

// These are the values of Waiting.State.
const (
	Blank   = "blank"   // the machine has no data, and can begin a cluster or join one.
	Begins  = "begins"  // the machine was asked to begin a cluster.
	Refuses = "refuses" // the machine has data that this version of etcd must not open.

	Receives = "receives" // the machine has a snapshot or a part of one, and can begin only with a snapshot.
	Unfit    = "unfit"    // as Receives, but the snapshot cannot be restored.
	Restores = "restores" // the machine is restoring the snapshot.
)

// Part is the maximum number of bytes of a snapshot in one request.
const Part = 4 << 20

// Said returns the message, which is made safe to print.
func (w Waiting) Said() string { return printable.Clip(printable.Line(w.Message), 200) }

// Empty reports whether the machine has no data, and was not asked to begin a cluster.
func (w Waiting) Empty() bool { return w.State == Blank || w.State == Receives || w.State == Unfit }

// Beginning reports whether the machine was asked to begin a cluster and is doing that.
func (w Waiting) Beginning() bool { return w.State == Begins || w.State == Restores }

const waitingPath = "/stackreeve/waiting"

// Waiting reads from a machine whether it waits. If it does not, the state is "". err is set if no machine
// answers.
func (c Client) Waiting(ctx context.Context, address string) (w Waiting, err error) {
	return c.waitingOf(c.send(ctx, http.MethodGet, address, waitingPath, nil))
}

func (Client) waitingOf(status int, answer []byte, err error) (w Waiting, _ error) {
	if err == nil {
		err = boot.Answer(status, answer)
	}
	if err != nil || status != http.StatusOK || json.Unmarshal(answer, &w) != nil {
		return Waiting{}, err
	}
	return w, nil
}

// Begin asks a waiting machine to begin a cluster. The machine is its only member.
func (c Client) Begin(ctx context.Context, address string) error {
	return c.begin(ctx, address, []byte(`{"begin": true}`))
}

// BeginWith does the same as Begin with the snapshot that has this SHA-256 digest. The machine must have all its
// bytes. It answers before it restores the snapshot.
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

// SendPart sends a part of a snapshot to a waiting machine, and returns its answer. size is the length of the
// whole snapshot. The answer contains the number of bytes that the machine then has. A snapshot with another
// digest replaces the one that the machine has.
func (c Client) SendPart(ctx context.Context, address, sum string, size, from int64, part []byte) (Waiting, error) {
	path := fmt.Sprintf("%s?sum=%s&size=%d&from=%d", waitingPath, url.QueryEscape(sum), size, from)
	status, answer, err := c.sendWithin(ctx, sendPatience, http.MethodPut, address, path, part)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%w: status %d", ErrSilent, status)
	}
	return c.waitingOf(status, answer, err)
}
