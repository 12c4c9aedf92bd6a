package image

import (
	"bufio"
	"compress/bzip2"
	"compress/gzip"
	"context"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/xi2/xz"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/private"
)

// maxDictionary is the number of bytes of memory that an xz file may need at most. It is enough for files made by xz
// -9.
const maxDictionary = 64 << 20

var hashes = map[string]func() hash.Hash{"md5": md5.New, "sha1": sha1.New, "sha256": sha256.New, "sha512": sha512.New}

// stream is the content of an image while it is downloaded. If the content differs from the manifest, reading fails
// before the end, so Glance never gets the whole content. It can be read only once, because a second reader would not
// get the beginning.
type stream struct {
	download io.Reader // the file as it arrives, before decompression; reading it computes the hash and counts bytes
	data     io.Reader
	content  *Content
	sum      hash.Hash // the hash of the downloaded file; nil if the manifest declares none
	sent     hash.Hash // of the content sent to Glance, with Glance's own algorithm
	left     int64
	err      error
	over     bool
	closed   atomic.Bool
}

func newStream(c *Content, body io.Reader, up *upload) (*stream, error) {
	s := &stream{content: c, sent: sha512.New(), left: largest}
	s.download = io.TeeReader(body, counter{&up.got})
	if h := c.Download.Hash; h != nil {
		s.sum = hashes[h.Algorithm]()
		s.download = io.TeeReader(s.download, s.sum)
	}
	s.data = s.download
	var err error
	switch table.Or(c.Download.Decompress, "") {
	case "gz":
		s.data, err = gzip.NewReader(bufio.NewReaderSize(s.download, 1<<16))
	case "bz2":
		s.data = bzip2.NewReader(bufio.NewReaderSize(s.download, 1<<16))
	case "xz":
		s.data, err = xz.NewReader(bufio.NewReaderSize(s.download, 1<<16), maxDictionary)
	}
	if err != nil {
		return nil, s.broken(err)
	}
	return s, nil
}

type counter struct{ n *atomic.Int64 }

func (c counter) Write(p []byte) (int, error) {
	c.n.Add(int64(len(p)))
	return len(p), nil
}

// Read implements [io.Reader].
func (s *stream) Read(p []byte) (int, error) {
	switch {
	case s.closed.Load():
		return 0, errors.New("the download has already started")
	case s.err != nil:
		return 0, s.err
	}
	n, err := s.data.Read(p)
	s.sent.Write(p[:n])
	s.left -= int64(n)
	switch {
	case s.left < 0:
		s.err = fmt.Errorf("%w: spec.resource.content.download: the file has more than %d GiB", errFinal, int64(largest)>>30)
	case errors.Is(err, io.EOF):
		s.err = s.end()
		s.over = errors.Is(s.err, io.EOF)
	case err != nil:
		s.err = s.broken(err)
	}
	return n, s.err
}

// Close implements [io.Closer].
func (s *stream) Close() error {
	s.closed.Store(true)
	return nil
}

// end reads the bytes that follow the compressed data. It returns io.EOF if the download is complete and correct.
func (s *stream) end() error {
	if _, err := io.Copy(io.Discard, s.download); err != nil {
		return s.broken(err)
	}
	if s.sum == nil {
		return io.EOF
	}
	want := s.content.Download.Hash
	if got := hex.EncodeToString(s.sum.Sum(nil)); got != want.Value {
		return fmt.Errorf("%w: spec.resource.content.download.hash: expected %s %s, but the downloaded file has %s; the file is not used", errFinal, want.Algorithm, want.Value, got)
	}
	return io.EOF
}

// broken returns the reason why a download could not be read to its end.
func (s *stream) broken(err error) error {
	var corrupt bzip2.StructuralError
	compressed := errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.As(err, &corrupt) ||
		errors.Is(err, xz.ErrFormat) || errors.Is(err, xz.ErrData) || errors.Is(err, xz.ErrOptions) || errors.Is(err, xz.ErrMemlimit) || errors.Is(err, xz.ErrUnsupportedCheck)
	switch {
	case compressed:
		return fmt.Errorf("%w: spec.resource.content.download.decompress: the downloaded file cannot be decompressed as %s: %w", errFinal, table.Or(s.content.Download.Decompress, ""), err)
	case errors.Is(err, outbound.ErrTooLarge):
		return fmt.Errorf("%w: spec.resource.content.download.url: %w", errFinal, err)
	}
	return private.Hide("spec.resource.content.download.url: the download was interrupted; the agent's log has the details", err)
}

// open starts the download of a file.
func (u *uploads) open(ctx context.Context, address string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, private.Hidef("spec.resource.content.download.url: no request can be made for this address", "%w: %w", errFinal, err)
	}
	req.Header.Set("Accept-Encoding", "identity") // without this, a compressed answer would have another hash
	resp, err := u.web.Do(req)
	switch {
	case errors.Is(err, outbound.ErrRefused):
		return nil, fmt.Errorf("%w: spec.resource.content.download.url: %w; use a public address, or ask the operator to add the host to spec.defaults.imageHosts of the stack's configuration", errFinal, causeOf(err))
	case errors.Is(err, outbound.ErrTooLarge):
		return nil, fmt.Errorf("%w: spec.resource.content.download.url: %w", errFinal, causeOf(err))
	case err != nil:
		return nil, private.Hide("spec.resource.content.download.url: no answer; the agent's log has the details", causeOf(err))
	case resp.StatusCode == http.StatusOK:
		return resp, nil
	}
	_ = resp.Body.Close() // the body of an error is not needed
	err = fmt.Errorf("spec.resource.content.download.url: the server answered %d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	if resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusRequestTimeout {
		return nil, err
	}
	return nil, fmt.Errorf("%w: %w", errFinal, err)
}

// causeOf returns an error without the URL in it, because the URL may contain a secret.
func causeOf(err error) error {
	if wrapped := new(url.Error); errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// watch cancels a transfer that receives no data for some time.
func watch(ctx context.Context, up *upload, cancel context.CancelFunc) {
	timer := time.NewTicker(silence)
	defer timer.Stop()
	for last := int64(-1); ; {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
			if now := up.got.Load(); now == last {
				cancel()
			} else {
				last = now
			}
		}
	}
}
