package artifact

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/source"
	"github.com/stackreeve/stackreeve/internal/source/failure"
	"github.com/stackreeve/stackreeve/internal/source/signature"
)

// web is an archive on a web server.
type web struct {
	cfg    Config
	at     place
	client *http.Client // nil before the first request
	auth   *login

	// These belong to the newest archive whose digest and signature were right. A server that gives neither an ETag
	// nor a time sends the archive at each poll.
	digest, etag, modified string
	checked                verdicts
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
	_, checked := w.checked.of(w.digest, sum)
	same := w.digest != "" && known(w.digest) && (checked || len(keys) == 0)
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
		switch by, err := w.signer(ctx, archive, found.digest, keys); {
		case errors.As(err, &found.refused):
			return found, nil
		case err != nil:
			return found, err
		default:
			w.checked.add(found.digest, sum, signedWith(by))
		}
	}
	w.digest, w.etag, w.modified = found.digest, resp.Header.Get("ETag"), resp.Header.Get("Last-Modified")
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

// signer returns the key that made the signature beside an archive. The error is an [*source.Unverified] if none of the keys did.
func (w *web) signer(ctx context.Context, archive []byte, digest string, keys []key) (key, error) {
	resp, err := w.get(ctx, w.at.address.String()+".sig", false)
	if errors.Is(err, failure.ErrNotFound) {
		return nil, unverified(source.BadArchive, digest, signature.Unsigned, "there is no signature beside it")
	}
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := whole(resp, maxSignature)
	if err != nil {
		return nil, err
	}
	by := signedBy(keys, archive, decoded(string(text)))
	if by == nil {
		return nil, unverified(source.BadArchive, digest, signature.Unknown, "the signature beside it was not made for this archive by a key in source.verify.cosignKeyFiles")
	}
	return by, nil
}

// verify implements origin. If other keys are configured since the archive was found, the archive is downloaded again, because only its bytes show
// whether its signature is right.
func (w *web) verify(ctx context.Context, digest string) (source.Signed, error) {
	keys, err := readKeys(w.cfg.KeyFiles)
	if err != nil {
		return source.Signed{}, err
	}
	sum := sumOf(keys)
	if signed, ok := w.checked.of(digest, sum); ok {
		return signed, nil
	}
	found, err := w.find(ctx, "", func(other string) bool { return other == digest })
	switch {
	case err != nil:
		return source.Signed{}, err
	case found.refused != nil && found.digest == digest:
		return source.Signed{}, found.refused
	}
	if signed, ok := w.checked.of(digest, sum); ok {
		return signed, nil
	}
	return source.Signed{}, unverified(source.BadArchive, digest, signature.Unknown, "the keys in source.verify.cosignKeyFiles have changed since its signature was checked, and the server has another archive now")
}
