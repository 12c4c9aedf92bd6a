package artifact

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/source/failure"
)

// web is an archive on a web server.
type web struct {
	cfg    Config
	at     place
	client *http.Client // nil before the first request
	auth   *login

	// These belong to the newest archive whose digest and signature were right. A server that supports no such tag
	// sends the archive at each poll.
	digest, etag, modified string
	keys                   string // the sum of the keys with which the signature was checked
}

func newWeb(cfg Config, at place) *web { return &web{cfg: cfg, at: at, auth: &login{cfg.Auth, at}} }

// find implements origin.
func (w *web) find(ctx context.Context, _ string, known func(digest string) bool) (found packed, err error) {
	if w.client == nil {
		if w.client, err = newClient(w.cfg.CAFile, w.at); err != nil {
			return found, err
		}
	}
	keys, err := readKeys(w.cfg.KeyFiles)
	if err != nil {
		return found, err
	}
	sum := sumOf(keys)
	same := w.digest != "" && known(w.digest) && w.keys == sum
	if same && w.digest == w.cfg.Digest {
		return packed{digest: w.digest}, nil
	}
	resp, err := w.get(ctx, w.at.address.String(), same)
	if err != nil {
		return found, err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNotModified {
		return packed{digest: w.digest}, nil
	}
	archive, err := whole(resp, maxArchive)
	if err != nil {
		return found, err
	}
	digest := sha256.Sum256(archive)
	found.digest = "sha256:" + hex.EncodeToString(digest[:])
	if w.cfg.Digest != "" && found.digest != w.cfg.Digest {
		return found, failure.New(failure.ErrContent, "the archive has the digest %s, which is not source.digest; nothing of it is used", found.digest)
	}
	if len(keys) > 0 {
		if err := w.checkSignature(ctx, archive, keys); err != nil {
			return found, err
		}
	}
	w.digest, w.etag, w.modified, w.keys = found.digest, resp.Header.Get("ETag"), resp.Header.Get("Last-Modified"), sum
	if known(found.digest) {
		return found, nil
	}
	found.content, found.archive, found.format = found.digest, archive, formatOf(w.at.address.Path)
	if at, err := http.ParseTime(w.modified); err == nil && at.Year() >= 1970 {
		found.time = at.UTC()
	} else {
		found.time = time.Time{}
	}
	return found, nil
}

func formatOf(path string) format {
	switch {
	case strings.HasSuffix(path, ".tar.gz"), strings.HasSuffix(path, ".tgz"):
		return gzipped
	case strings.HasSuffix(path, ".tar.zst"):
		return zstandard
	}
	return plain
}

// get requests an address. If changed is true, the answer may be that nothing has changed.
func (w *web) get(ctx context.Context, address string, changed bool) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	user, password, err := w.auth.basic()
	if err != nil {
		return nil, err
	}
	if password != "" {
		req.SetBasicAuth(user, password)
	}
	req.Header.Set("Accept-Encoding", "identity") // the digest is that of the archive as it is stored
	if changed && w.etag != "" {
		req.Header.Set("If-None-Match", w.etag)
	}
	if changed && w.modified != "" {
		req.Header.Set("If-Modified-Since", w.modified)
	}
	resp, err := w.client.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK && (resp.StatusCode != http.StatusNotModified || !changed) {
		defer resp.Body.Close()
		return nil, statusError(resp.StatusCode, "")
	}
	return resp, nil
}

// whole reads an answer of at most limit bytes.
func whole(resp *http.Response, limit int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = failure.New(failure.ErrContent, "the server sends more than %d bytes; pack only the manifests", limit)
	}
	return text, err
}

// checkSignature checks the signature of an archive, which is beside it.
func (w *web) checkSignature(ctx context.Context, archive []byte, keys []key) error {
	resp, err := w.get(ctx, w.at.address.String()+".sig", false)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := whole(resp, maxSignature)
	if err != nil {
		return err
	}
	if !signedBy(keys, archive, decoded(string(text))) {
		return failure.New(failure.ErrContent, "the signature beside the archive was not made for this archive by a key in source.verify.cosignKeyFiles; sign it with `cosign sign-blob`, and publish the signature before the archive")
	}
	return nil
}
