package image

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stackreeve/stackreeve/internal/backoff"
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

const (
	atOnce        = 2             // the number of uploads at a time; further uploads wait
	longestUpload = 6 * time.Hour // the time limit of one attempt
	largest       = 512 << 30     // the maximal number of bytes of a download, and of its content
	silence       = 2 * time.Minute
	tries         = 3
	// The pause before a failed upload is tried again. All passes wait for it, because after a wrong hash or a refusal
	// the upload will most likely fail again.
	pauseRefused, pauseFailed = 6 * time.Hour, 5 * time.Minute
)

// uploads are the uploads that this agent makes in the background. A pass sees an image in upload as pending, as if the
// cloud were creating it, and continues with everything else. If an agent stops during an upload, the image remains
// queued in the cloud, and the next agent starts the upload again.
type uploads struct {
	client *cloud.Client
	web    *http.Client
	glance bool // whether Glance may download images itself
	now    func() time.Time
	*known
}

// known is the state that remains when a new login replaces the client.
type known struct {
	slots   chan struct{}
	mu      sync.Mutex
	running map[string]*upload // the key is the ID of the image
	failed  map[string]failure // the key is the owner and the content
}

type upload struct {
	cancel     context.CancelFunc
	begun      atomic.Bool
	byGlance   atomic.Bool
	got, total atomic.Int64 // bytes of the download; total is 0 if the server does not report it
}

type failure struct {
	err   error
	until time.Time
}

// errFinal marks an error that is likely to occur again, so that a retry has to wait longer.
var errFinal = errors.New("refused")

func newUploads(c *cloud.Client, d defaults.Defaults) *uploads {
	return &uploads{client: c, web: outbound.Downloads(outbound.Config{Home: d.ImageHosts, MaxAnswer: largest, HeaderTime: time.Minute}), glance: d.ImageDownload == "glance", now: time.Now,
		known: defaults.Recall(d.Memory, "Image", func() *known {
			return &known{slots: make(chan struct{}, atOnce), running: map[string]*upload{}, failed: map[string]failure{}}
		})}
}

func keyOf(w typed.Want[Spec]) string { return w.Mark.Owner + "\n" + w.Spec.Content.words() }

// refusal returns the error of the last upload of the wanted content if it is too early for another one. It returns nil
// if an upload may start.
func (u *uploads) refusal(w typed.Want[Spec]) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	f, ok := u.failed[keyOf(w)]
	if !ok || u.now().After(f.until) {
		delete(u.failed, keyOf(w))
		return nil
	}
	return fmt.Errorf("%w: %w; the next attempt is made after %s, or when spec.resource.content is changed", kind.ErrRejected, f.err, f.until.UTC().Format("2006-01-02 15:04 MST"))
}

// progress returns a text about the progress of an image's upload, or "" if this agent is not uploading it.
func (u *uploads) progress(id string) string {
	u.mu.Lock()
	up := u.running[id]
	u.mu.Unlock()
	switch {
	case up == nil:
		return ""
	case !up.begun.Load():
		return fmt.Sprintf("waits for other uploads: at most %d run at a time", atOnce)
	case up.byGlance.Load():
		return "is downloaded by Glance"
	}
	got, total := up.got.Load()>>20, up.total.Load()
	if total > 0 {
		return fmt.Sprintf("is being uploaded: %d of %d MiB", got, (total+1<<20-1)>>20)
	}
	return fmt.Sprintf("is being uploaded: %d MiB so far", got)
}

// begin starts the upload of an image's content in the background, unless one is running. If imported is true, Glance is
// not requested to download the file.
func (u *uploads) begin(ctx context.Context, id string, w typed.Want[Spec], imported bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.running[id] != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // the upload may take longer than a pass
	up := &upload{cancel: cancel}
	u.running[id] = up
	key, content := keyOf(w), *w.Spec.Content
	go func() {
		defer cancel()
		err := u.carryOut(ctx, up, id, &content, imported)
		u.mu.Lock()
		defer u.mu.Unlock()
		delete(u.running, id)
		if err != nil && ctx.Err() == nil {
			pause := pauseFailed
			if errors.Is(err, errFinal) {
				pause = pauseRefused
			}
			maps.DeleteFunc(u.failed, func(_ string, f failure) bool { return u.now().After(f.until) }) // removes the entries of deleted images, too
			u.failed[key] = failure{err, u.now().Add(pause)}
		}
	}()
}

// stop cancels the upload of an image.
func (u *uploads) stop(id string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if up := u.running[id]; up != nil {
		up.cancel()
	}
}

// carryOut waits for a free slot. Unless Glance itself downloads the image, it then tries to transfer the image, as often as the constant tries says.
func (u *uploads) carryOut(ctx context.Context, up *upload, id string, c *Content, imported bool) error {
	select {
	case u.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-u.slots }()
	up.begun.Store(true)
	if u.glance && c.Download.Decompress == nil && c.Download.Hash == nil && !imported {
		if done, err := u.byGlance(ctx, up, id, c.Download.URL); done || err != nil {
			return err
		}
	}
	for try := 1; ; try++ {
		up.got.Store(0)
		err := u.transfer(ctx, up, id, c)
		if err == nil || errors.Is(err, errFinal) || try == tries {
			return err
		}
		if waited := backoff.Wait(ctx, backoff.Spread(backoff.Pause(time.Second, time.Minute, try))); waited != nil {
			return err
		}
	}
}
