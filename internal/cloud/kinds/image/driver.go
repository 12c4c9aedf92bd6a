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

// create creates the image, which is then queued, and begins the upload. The agent chooses the ID of the image, because
// the mark in the first request must contain that ID. The mark says that nothing is applied until the content is
// uploaded.
func (u *uploads) create(ctx context.Context, d driver, w typed.Want[Spec]) (*state, error) {
	if why := impossible(w); why != "" {
		return nil, fmt.Errorf("%w: %s", kind.ErrRejected, why)
	}
	if err := u.refusal(w); err != nil {
		return nil, err
	}
	body, id := d.Creation(w), newID()
	body["id"], body[mark.PropertyPlace.Attribute] = id, mark.PropertyPlace.Put(nil, mark.HalfMade(w.Mark), id, "")
	made, err := d.Post(ctx, w, body)
	if err == nil {
		u.begin(ctx, made.ID, w, false)
	}
	return made, err
}

// newID returns a random UUID. (RFC 9562, 5.4)
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // Read never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// update begins the upload of a queued image, deletes the image if its upload has failed, or changes attributes.
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
		fields[contentKey] = c.words() // the image was adopted, so it has no such property yet
	}
	return patch(ctx, d, n.Have.ID, fields)
}

// patch writes attributes. The operation add also replaces an existing value. (RFC 6902, 4.1)
func patch(ctx context.Context, d driver, id string, fields map[string]any) error {
	var operations []map[string]any
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		operations = append(operations, map[string]any{"op": "add", "path": "/" + name, "value": fields[name]})
	}
	return operate(ctx, d, id, operations)
}

// unmark removes the property with the mark. It does not remove the property that describes the uploaded content.
func unmark(ctx context.Context, d driver, have typed.Live[state]) error {
	return operate(ctx, d, have.ID, []map[string]any{{"op": "remove", "path": "/" + mark.PropertyPlace.Attribute}})
}

func operate(ctx context.Context, d driver, id string, operations []map[string]any) error {
	return d.Client.Do(ctx, cloud.Call{Service: cloud.Image, Method: http.MethodPatch, Path: d.Path(id), Body: operations,
		Headers: map[string]string{"Content-Type": "application/openstack-images-v2.1-json-patch"}})
}

// remove deletes an image and stops its upload. If the image was never usable, it is deleted even if it is protected.
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

// seen are the attributes of an image that the agent reads during an upload.
type seen struct {
	Status string `json:"status"`
	Algo   string `json:"os_hash_algo"`
	Hash   string `json:"os_hash_value"`
}

func (u *uploads) ask(ctx context.Context, id string) (now seen, err error) {
	err = u.client.Do(ctx, cloud.Call{Service: cloud.Image, Method: http.MethodGet, Path: "images/" + url.PathEscape(id), Into: &now})
	return now, lasting(err)
}

// lasting marks an error as final if the cloud has refused the request.
func lasting(err error) error {
	if errors.Is(err, kind.ErrRejected) || errors.Is(err, kind.ErrGone) {
		return fmt.Errorf("%w: %w", errFinal, err)
	}
	return err
}

// transfer downloads a file and sends it to Glance while it arrives. The last chunk is sent only if the hash is correct,
// so Glance never gets the whole of a wrong file.
func (u *uploads) transfer(ctx context.Context, up *upload, id string, c *Content) error {
	ctx, cancel := context.WithTimeout(ctx, longestUpload)
	defer cancel()
	if now, err := u.ask(ctx, id); err != nil || now.Status == "active" { // this request also renews the login if needed
		return err
	}
	resp, err := u.open(ctx, c.Download.URL)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }() // all data was read, so an error of Close does not matter
	up.total.Store(max(0, resp.ContentLength))
	go watch(ctx, up, cancel)
	s, err := newStream(c, resp.Body, up)
	if err != nil {
		return err
	}
	first := make([]byte, 1<<16) // an error at the start of the file is found before the request to Glance
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

// once is a request body that cannot be read again after it was closed.
type once struct {
	io.Reader
	s *stream
}

// Read implements [io.Reader].
func (o once) Read(p []byte) (int, error) {
	if o.s.closed.Load() {
		return 0, errors.New("the download has already started")
	}
	return o.Reader.Read(p)
}

// Close implements [io.Closer].
func (o once) Close() error { return o.s.Close() }

// verify compares the hash of the data that Glance has stored with the hash of the sent data, if Glance reports a hash.
func (u *uploads) verify(ctx context.Context, id, sent string) error {
	now, err := u.ask(ctx, id)
	if err != nil || now.Algo != "sha512" || now.Hash == sent {
		return err
	}
	err = fmt.Errorf("%w: Glance has stored different data than it was sent (sha512 %s, not %s)", errFinal, now.Hash, sent)
	return errors.Join(err, u.client.Do(ctx, cloud.Call{Service: cloud.Image, Method: http.MethodDelete, Path: "images/" + url.PathEscape(id)}))
}

// byGlance requests that Glance downloads the file itself, if the configuration allows that and Glance offers it. If
// done is false, the agent has to download the file. The agent first requests the file itself, to find errors. This is
// no protection: the same name may lead Glance elsewhere a moment later, and the server may redirect Glance.
func (u *uploads) byGlance(ctx context.Context, up *upload, id, address string) (done bool, err error) {
	var info struct {
		Methods struct {
			Value []string `json:"value"`
		} `json:"import-methods"`
	}
	err = u.client.Do(ctx, cloud.Call{Service: cloud.Image, Method: http.MethodGet, Path: "info/import", Into: &info})
	if err != nil || !slices.Contains(info.Methods.Value, "web-download") {
		return false, nil //nolint:nilerr // Glance does not offer it
	}
	resp, err := u.open(ctx, address)
	if err != nil {
		return false, onlyFinal(err)
	}
	_ = resp.Body.Close() // the agent does not read the file, Glance does
	err = u.client.Do(ctx, cloud.Call{Service: cloud.Image, Method: http.MethodPost, Path: "images/" + url.PathEscape(id) + "/import",
		Body: map[string]any{"method": map[string]string{"name": "web-download", "uri": address}}})
	if err != nil {
		return false, nil //nolint:nilerr // Glance refuses the address or the format
	}
	up.byGlance.Store(true)
	defer up.byGlance.Store(false)
	return u.awaitImport(ctx, id)
}

// onlyFinal returns nil for an error that may not occur again at the next attempt.
func onlyFinal(err error) error {
	if errors.Is(err, errFinal) {
		return err
	}
	return nil
}

// importStarts is the time within which Glance must begin an import.
const importStarts = 10 * time.Minute

// awaitImport waits until Glance has imported the image or has given up. done is true if the image is imported.
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
