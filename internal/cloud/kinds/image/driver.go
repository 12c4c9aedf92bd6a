package image

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/backoff"
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

type driver = *define.Driver[Spec, Filter, More]

// create makes the image, which is queued then, and begins the upload. Its ID is chosen
// here, so that the first request says which image the mark is of. The mark says that
// nothing is applied, until something is uploaded.
func (u *uploads) create(ctx context.Context, d driver, w typed.Want[Spec]) (*state, error) {
	if why := impossible(w); why != "" {
		return nil, fmt.Errorf("%w: %s", kind.ErrRejected, why)
	}
	if err := u.refusal(w); err != nil {
		return nil, err
	}
	body, id := d.Creation(w), newID()
	body["id"], body[mark.PropertyPlace.Attribute] = id, mark.PropertyPlace.Put(nil, mark.Begun(w.Mark), id, "")
	made, err := d.Post(ctx, w, body)
	if err == nil {
		u.begin(ctx, made.ID, w, false)
	}
	return made, err
}

// newID is a random UUID. (RFC 9562, 5.4)
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// update begins the upload of an image that holds nothing, deletes it when that has failed,
// or changes attributes.
func (u *uploads) update(ctx context.Context, d driver, n define.Change[Spec, More]) error {
	if n.Have.State.More.Status == queued && kind.Has(n.Changes, "spec.resource.content.download") {
		if err := u.refusal(n.Want); err != nil {
			if _, failed := u.remove(ctx, d, n.Have); failed != nil && !errors.Is(failed, kind.ErrGone) {
				return fmt.Errorf("%w; and the empty image cannot be deleted: %w", err, failed)
			}
			return err
		}
		u.begin(ctx, n.Have.ID, n.Want, n.Have.State.More.ImportFailed != "")
		return nil
	}
	fields := maps.Clone(n.Fields)
	fields[mark.PropertyPlace.Attribute] = mark.PropertyPlace.Put(nil, n.Want.Mark, n.Have.ID, "")
	if c := n.Want.Spec.Content; c != nil && n.Have.State.More.Uploaded == "" {
		fields[contentKey] = c.words() // it was adopted
	}
	return patch(ctx, d, n.Have.ID, fields)
}

// patch writes attributes. What is there already is replaced by an addition, too.
// (RFC 6902, 4.1)
func patch(ctx context.Context, d driver, id string, fields map[string]any) error {
	var operations []map[string]any
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		operations = append(operations, map[string]any{"op": "add", "path": "/" + name, "value": fields[name]})
	}
	return operate(ctx, d, id, operations)
}

// unmark removes the property with the mark. What was uploaded remains noted.
func unmark(ctx context.Context, d driver, have typed.Live[state]) error {
	return operate(ctx, d, have.ID, []map[string]any{{"op": "remove", "path": "/" + mark.PropertyPlace.Attribute}})
}

func operate(ctx context.Context, d driver, id string, operations []map[string]any) error {
	return d.Client.Do(ctx, cloud.Call{Service: cloud.Image, Method: http.MethodPatch, Path: d.Path(id), Body: operations,
		Headers: map[string]string{"Content-Type": "application/openstack-images-v2.1-json-patch"}})
}

// remove deletes an image, and ends its upload. One that was never of use is not protected.
func (u *uploads) remove(ctx context.Context, d driver, have typed.Live[state]) (gone bool, err error) {
	u.stop(have.ID)
	if have.State == nil {
		return d.Remove(ctx, have.ID)
	}
	if protected := have.State.Spec.Protected; protected != nil && *protected && have.State.More.Status == queued {
		if err := patch(ctx, d, have.ID, map[string]any{"protected": false}); err != nil {
			return false, err
		}
	}
	return d.Remove(ctx, have.ID)
}

// seen is what is asked of an image while it is uploaded.
type seen struct {
	Status string `json:"status"`
	Algo   string `json:"os_hash_algo"`
	Hash   string `json:"os_hash_value"`
}

func (u *uploads) ask(ctx context.Context, id string) (now seen, err error) {
	err = u.client.Do(ctx, cloud.Call{Service: cloud.Image, Method: http.MethodGet, Path: "images/" + url.PathEscape(id), Into: &now})
	return now, lasting(err)
}

// lasting says of a refusal by the cloud that it is one.
func lasting(err error) error {
	if errors.Is(err, kind.ErrRejected) || errors.Is(err, kind.ErrGone) {
		return fmt.Errorf("%w: %w", errFinal, err)
	}
	return err
}

// transfer downloads a file and hands it on to Glance as it comes in. Glance has all of
// an image only when the last chunk was sent, which happens when the hash agrees.
func (u *uploads) transfer(ctx context.Context, up *upload, id string, c *Content) error {
	ctx, cancel := context.WithTimeout(ctx, longestUpload)
	defer cancel()
	if now, err := u.ask(ctx, id); err != nil || now.Status == "active" { // and the login is renewed if need be
		return err
	}
	resp, err := u.open(ctx, c.Download.URL)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }() // what matters is what was read
	up.total.Store(max(0, resp.ContentLength))
	go watch(ctx, up, cancel)
	s, err := newStream(c, resp.Body, up)
	if err != nil {
		return err
	}
	first := make([]byte, 1<<16) // what is wrong from the start is noticed before Glance is asked
	n, err := io.ReadFull(s, first)
	if err != nil && !s.over {
		return s.err
	}
	var body io.Reader = bytes.NewReader(first[:n])
	if !s.over {
		body = io.MultiReader(body, s)
	}
	err = u.client.Do(cloud.WithLongest(ctx, longestUpload), cloud.Call{Service: cloud.Image, Method: http.MethodPut, Path: "images/" + url.PathEscape(id) + "/file",
		Stream: once{body, s}, Headers: map[string]string{"Content-Type": "application/octet-stream"}})
	switch {
	case s.err != nil && !s.over:
		return s.err
	case err != nil:
		return lasting(err)
	}
	return u.verify(ctx, id, hex.EncodeToString(s.sent.Sum(nil)))
}

// once is a body that cannot be read again when it was closed.
type once struct {
	io.Reader
	s *stream
}

// Read implements [io.Reader].
func (o once) Read(p []byte) (int, error) {
	if o.s.closed.Load() {
		return 0, errors.New("the download was begun already")
	}
	return o.Reader.Read(p)
}

// Close implements [io.Closer].
func (o once) Close() error { return o.s.Close() }

// verify compares what Glance has stored with what it was sent, where it says so.
func (u *uploads) verify(ctx context.Context, id, sent string) error {
	now, err := u.ask(ctx, id)
	if err != nil || now.Algo != "sha512" || now.Hash == sent {
		return err
	}
	err = fmt.Errorf("%w: Glance has stored something else than it was sent (sha512 %s, not %s)", errFinal, now.Hash, sent)
	return errors.Join(err, u.client.Do(ctx, cloud.Call{Service: cloud.Image, Method: http.MethodDelete, Path: "images/" + url.PathEscape(id)}))
}

// byGlance has Glance download a file itself, where the configuration allows that and Glance offers to. done is
// false where the agent has to. The agent asks for the file first. That keeps no one out: the same name may lead
// Glance elsewhere a moment later, and the same server may redirect it.
func (u *uploads) byGlance(ctx context.Context, up *upload, id, address string) (done bool, err error) {
	var info struct {
		Methods struct {
			Value []string `json:"value"`
		} `json:"import-methods"`
	}
	err = u.client.Do(ctx, cloud.Call{Service: cloud.Image, Method: http.MethodGet, Path: "info/import", Into: &info})
	if err != nil || !slices.Contains(info.Methods.Value, "web-download") {
		return false, nil //nolint:nilerr // then it is not offered
	}
	resp, err := u.open(ctx, address)
	if err != nil {
		return false, onlyFinal(err)
	}
	_ = resp.Body.Close() // Glance reads it
	err = u.client.Do(ctx, cloud.Call{Service: cloud.Image, Method: http.MethodPost, Path: "images/" + url.PathEscape(id) + "/import",
		Body: map[string]any{"method": map[string]string{"name": "web-download", "uri": address}}})
	if err != nil {
		return false, nil //nolint:nilerr // it does not like the address, or the format
	}
	up.byGlance.Store(true)
	defer up.byGlance.Store(false)
	return u.awaitImport(ctx, id)
}

// onlyFinal drops what may be different the next time.
func onlyFinal(err error) error {
	if errors.Is(err, errFinal) {
		return err
	}
	return nil
}

// importStarts is how long Glance may take to begin an import.
const importStarts = 10 * time.Minute

// awaitImport waits until Glance has imported an image, or given it up.
func (u *uploads) awaitImport(ctx context.Context, id string) (done bool, err error) {
	since, begun := u.now(), false
	for n := 1; u.now().Sub(since) < longestUpload; n++ {
		now, err := u.ask(ctx, id)
		switch {
		case errors.Is(err, errFinal) || ctx.Err() != nil:
			return false, err
		case err == nil && now.Status == "active":
			return true, nil
		case err == nil && now.Status == "importing":
			begun = true
		case err == nil && now.Status == queued && (begun || u.now().Sub(since) > importStarts):
			return false, nil
		}
		if err := backoff.Wait(ctx, backoff.Pause(time.Second, 15*time.Second, n)); err != nil {
			return false, err
		}
	}
	return false, nil
}
