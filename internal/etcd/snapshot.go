package etcd

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/stackreeve/stackreeve/internal/outbound"
)

// ErrCut is the error that a snapshot is incomplete, or differs from the data that the server has sent.
var ErrCut = errors.New("the snapshot is damaged")

// ErrTooLarge is the error that a snapshot is larger than allowed.
var ErrTooLarge = errors.New("the snapshot is too large")

const (
	// longestChunk is the maximum number of bytes in one message of a snapshot. etcd sends 32 KiB of data in each.
	// (server/etcdserver/api/v3rpc/maintenance.go: snapshotSendBufferSize)
	longestChunk = 1 << 20
	// trailer is the size of the SHA-256 digest that etcd sends after the data.
	trailer = sha256.Size
)

// Snapshot reads the data of a server as it was at one moment: etcd's database, followed by its SHA-256 digest.
// etcdutl can restore this format. A Snapshot can be read only once. If the digest is wrong, the last read
// returns an error instead of io.EOF.
type Snapshot struct {
	body   io.ReadCloser
	lines  *bufio.Reader
	chunk  []byte
	last   []byte    // bytes that may be the digest after the data
	data   hash.Hash // the hash of the bytes before last
	all    hash.Hash
	total  int64 // the size of the data from the first message; -1 before that
	size   int64 // the number of received bytes
	most   int64
	failed error
	closed atomic.Bool
}

// Snapshot requests the data of a server, at most limit bytes. The caller must close the result.
func (c Client) Snapshot(ctx context.Context, address string, limit int64) (*Snapshot, error) {
	req, err := c.request(ctx, http.MethodPost, address, "/v3/maintenance/snapshot", strings.NewReader("{}"))
	if err != nil {
		return nil, err
	}
	resp, err := c.Machines.DoLarge(req, c.TLS, 2*limit+longestChunk) // the data are in base64, and in several messages
	switch {
	case errors.Is(err, outbound.ErrRefused):
		return nil, err
	case err != nil:
		return nil, ErrSilent
	case resp.StatusCode != http.StatusOK:
		_ = resp.Body.Close() // its body is not needed
		return nil, fmt.Errorf("%w as etcd does: status %d", ErrSilent, resp.StatusCode)
	}
	return &Snapshot{body: resp.Body, lines: bufio.NewReaderSize(resp.Body, longestChunk), data: sha256.New(), all: sha256.New(), total: -1, most: limit}, nil
}

func (c Client) request(ctx context.Context, method, address, path string, body io.Reader) (*http.Request, error) {
	scheme := "http"
	if c.TLS != nil {
		scheme = "https"
	}
	req, err := http.NewRequestWithContext(ctx, method, scheme+"://"+net.JoinHostPort(address, strconv.Itoa(c.Port))+path, body)
	if err == nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, err
}

// Length returns the number of bytes of the snapshot from the server's first message. It waits for that message.
func (s *Snapshot) Length() (int64, error) {
	if s.total < 0 && s.failed == nil {
		s.failed = s.next()
	}
	if s.total < 0 {
		return 0, s.failed
	}
	return s.total + trailer, nil
}

// Read implements [io.Reader].
func (s *Snapshot) Read(p []byte) (int, error) {
	if s.closed.Load() { // a second attempt to read would miss the beginning
		return 0, errors.New("the snapshot is already closed, and cannot be read again from its beginning")
	}
	for len(s.chunk) == 0 && s.failed == nil {
		s.failed = s.next()
	}
	if len(s.chunk) == 0 {
		return 0, s.failed
	}
	n := copy(p, s.chunk)
	s.chunk = s.chunk[n:]
	return n, nil
}

// Close implements [io.Closer].
func (s *Snapshot) Close() error {
	s.closed.Store(true)
	return s.body.Close()
}

// Sum is the SHA-256 digest of all received bytes, in hexadecimal digits.
func (s *Snapshot) Sum() string { return hex.EncodeToString(s.all.Sum(nil)) }

// Size is the number of received bytes.
func (s *Snapshot) Size() int64 { return s.size }

// message is one message to which the gateway converts etcd's stream. (etcdserverpb.SnapshotResponse)
type message struct {
	Result *struct {
		Remaining uint64 `json:"remaining_bytes,string"`
		Blob      []byte `json:"blob"`
	} `json:"result"`
	Error *struct {
		Code    int    `json:"grpc_code"`
		Message string `json:"message"`
	} `json:"error"`
}

// next reads one message.
func (s *Snapshot) next() error {
	line, err := s.lines.ReadSlice('\n')
	if errors.Is(err, io.EOF) && len(bytes.TrimSpace(line)) == 0 {
		return s.end()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: the transfer stopped after %d bytes", ErrCut, s.size)
	}
	var m message
	switch err := json.Unmarshal(line, &m); {
	case err == nil && m.Error != nil:
		return &Refused{m.Error.Code, strings.TrimPrefix(m.Error.Message, "etcdserver: ")}
	case err != nil || m.Result == nil:
		return fmt.Errorf("%w: the data after byte %d does not come from etcd", ErrCut, s.size)
	}
	if s.total < 0 {
		if m.Result.Remaining > uint64(s.most) {
			return s.tooLarge()
		}
		s.total = int64(m.Result.Remaining) + int64(len(m.Result.Blob))
	}
	return s.take(m.Result.Blob)
}

func (s *Snapshot) take(chunk []byte) error {
	switch s.size += int64(len(chunk)); {
	case s.size > s.most:
		return s.tooLarge()
	case s.size > s.total+trailer:
		return fmt.Errorf("%w: there are more than %d bytes", ErrCut, s.total+trailer)
	}
	s.chunk = chunk
	s.all.Write(chunk)
	s.last = append(s.last, chunk...)
	if before := len(s.last) - trailer; before > 0 {
		s.data.Write(s.last[:before])
		s.last = append(s.last[:0], s.last[before:]...)
	}
	return nil
}

func (s *Snapshot) tooLarge() error {
	return fmt.Errorf("%w: more than %d MiB", ErrTooLarge, s.most>>20)
}

// end returns [io.EOF] if the snapshot is complete.
func (s *Snapshot) end() error {
	switch {
	case s.size != s.total+trailer:
		return fmt.Errorf("%w: only %d of %d bytes were received", ErrCut, s.size, max(0, s.total)+trailer)
	case !bytes.Equal(s.data.Sum(nil), s.last):
		return fmt.Errorf("%w: its SHA-256 digest is not the one that etcd sent after it", ErrCut)
	}
	return io.EOF
}
