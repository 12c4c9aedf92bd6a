package outbound

import (
	"fmt"
	"io"
	"net/http"
)

// bound limits the body of an answer: after most bytes, a read returns an error. The limit counts the bytes
// after decompression.
func bound(resp *http.Response, most int64) (*http.Response, error) {
	announced := resp.ContentLength > most && resp.Request != nil && resp.Request.Method != http.MethodHead
	if announced {
		_ = resp.Body.Close() // its body is not needed
		return nil, tooLarge(most)
	}
	resp.Body = &bounded{ReadCloser: resp.Body, left: most, most: most}
	return resp, nil
}

func tooLarge(most int64) error { return fmt.Errorf("%w: more than %d MiB", ErrTooLarge, most>>20) }

// bounded is a body whose Read returns an error beyond a limit.
type bounded struct {
	io.ReadCloser
	left, most int64
}

// Read implements [io.Reader].
func (b *bounded) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, tooLarge(b.most)
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n - 1, tooLarge(b.most)
	}
	return n, err
}
