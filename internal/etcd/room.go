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

// Waiting is what a machine says on the port for clients before its etcd runs: it has no data, and waits to be
// a member. What runs on the machine is package etcdcluster's boot script.
type Waiting struct {
	State   string `json:"state"`   // one of the states below
	Message string `json:"message"` // for people
	// Sum is the SHA-256 digest of the snapshot of which it has so many bytes; "" of a machine that has none.
	Sum      string `json:"sum"`
	Received int64  `json:"received"`
}

// The states.
const (
	Blank   = "blank"   // without data, ready to begin a cluster or to join one
	Begins  = "begins"  // was asked to begin one
	Refuses = "refuses" // has data that this version of etcd must not open

	Receives = "receives" // has a snapshot, or a part of one, and begins with a snapshot only
	Unfit    = "unfit"    // likewise, and the snapshot that it has cannot be restored
	Restores = "restores" // makes data of it
)

// Part is how many bytes of a snapshot are sent at once.
const Part = 4 << 20

// Said is the message, in words that are safe to print.
func (w Waiting) Said() string { return printable.Clip(printable.Line(w.Message), 200) }

// Empty reports whether the machine has no data, and nobody has asked it to begin.
func (w Waiting) Empty() bool { return w.State == Blank || w.State == Receives || w.State == Unfit }

// Beginning reports whether the machine has been asked to begin, and does.
func (w Waiting) Beginning() bool { return w.State == Begins || w.State == Restores }

const waitingPath = "/stackreeve/waiting"

// Waiting asks a machine whether it waits; it does not where the state is "", and err says that nobody answers.
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

// BeginWith likewise, with the snapshot of that SHA-256 digest, of which it has all. It makes data of it after its answer.
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

// sendPatience is how long sending a part of a snapshot may take.
const sendPatience = 2 * time.Minute

// SendPart sends bytes of a snapshot, of so many in all, to a machine that waits, and has its answer: how many it has then. A snapshot
// with another digest than the one that it has takes that one's place.
func (c Client) SendPart(ctx context.Context, address, sum string, size, from int64, part []byte) (Waiting, error) {
	path := fmt.Sprintf("%s?sum=%s&size=%d&from=%d", waitingPath, url.QueryEscape(sum), size, from)
	status, answer, err := c.sendWithin(ctx, sendPatience, http.MethodPut, address, path, part)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%w: status %d", ErrSilent, status)
	}
	return c.said(status, answer, err)
}
