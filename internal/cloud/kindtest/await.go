package kindtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Often is the interval of requests to a cloud that answers without delay. Patience is how long a test waits at most.
const (
	Often    = 50 * time.Millisecond
	Patience = 2 * time.Minute
)

// Await calls missing at intervals of every, until it returns nil. If it still returns an error after within, the test ends with
// that error.
func Await(t testing.TB, within, every time.Duration, missing func() error) {
	t.Helper()
	err, end := missing(), time.Now().Add(within)
	for ; err != nil && time.Now().Before(end); err = missing() {
		<-time.After(every)
	}
	if err != nil {
		t.Fatalf("after %s: %v", within, err)
	}
}

// AwaitStatus waits until an object of the cloud has a status, and ends the test if the object is in ERROR.
func AwaitStatus(t testing.TB, c *cloud.Client, service, path, status string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context()) // tests clean up after themselves, too
	Await(t, Patience, Often, func() error {
		var answer map[string]struct {
			Status      string
			Provisioned string `json:"provisioning_status"`
		}
		if err := c.Do(ctx, cloud.Call{Service: service, Path: path, Into: &answer}); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, is := range answer {
			switch now := cmp.Or(is.Provisioned, is.Status); now {
			case status:
				return nil
			case "ERROR", "error":
				t.Fatalf("%s is in ERROR", path)
			default:
				return fmt.Errorf("%s is %s, and not %s", path, now, status)
			}
		}
		return fmt.Errorf("%s has no status", path)
	})
}

// AwaitGone deletes an object of the cloud, and waits until it does not exist any more. It repeats the request as long as the cloud
// refuses it.
func AwaitGone(t testing.TB, c *cloud.Client, service, path string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	Await(t, Patience, Often, func() error {
		err := c.Do(ctx, cloud.Call{Service: service, Method: http.MethodDelete, Path: path})
		if errors.Is(err, kind.ErrGone) {
			return nil
		}
		return cmp.Or(err, fmt.Errorf("%s is still there", path))
	})
}
