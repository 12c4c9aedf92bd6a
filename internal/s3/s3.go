// Package s3 sends requests to an object store with Amazon's S3 protocol. It lists objects, reads their metadata
// and parts of their data, and writes, describes and removes objects. It depends on neither marks nor the
// contents of objects.
//
// The name of the bucket is in the path, which every such store accepts. Requests are signed (Signature Version
// 4), but not their data, because TLS protects the data in transit.
package s3

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/private"
)

// Client accesses one store with one account.
type Client struct {
	// Endpoint is the address of the store, without a bucket.
	Endpoint *url.URL
	// Region is the store's name for its region.
	Region string
	// Keys is called for each request, so that the keys can be replaced.
	Keys func() (Keys, error)
	// Way sends requests. The context of each request limits its time.
	Way http.RoundTripper
}

// MaxAnswer is the maximum size of an answer in bytes. Parts of data, and lists, are smaller.
const MaxAnswer = 16 << 20

// unsigned is the value for data that is not signed. (AWS: Signature Calculations, UNSIGNED-PAYLOAD)
const unsigned = "UNSIGNED-PAYLOAD"

// request is a request for an object, or for its bucket if key is "".
type request struct {
	method, bucket, key string
	query               url.Values
	headers             map[string]string
	data                io.Reader // nil if there are none
	size                int64
	last                bool // reports whether it is the last request on its connection
}

// send returns a successful answer, read to its end. A GET or HEAD that gets no answer is sent once more. The
// reason is that an idle connection may end at any moment, and Swift can leave bytes in it (see [Client.Put]).
func (c Client) send(ctx context.Context, r request) (http.Header, []byte, error) {
	header, text, err := c.once(ctx, r)
	if errors.Is(err, errNoAnswer) && (r.method == http.MethodGet || r.method == http.MethodHead) && ctx.Err() == nil {
		return c.once(ctx, r)
	}
	return header, text, err
}

func (c Client) once(ctx context.Context, r request) (http.Header, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, r.method, c.address(r).String(), r.data)
	if err != nil {
		return nil, nil, private.Hide("the address of the object store cannot be used", err)
	}
	for name, value := range r.headers {
		req.Header.Set(name, value)
	}
	req.ContentLength, req.Close = r.size, r.last
	if err := c.sign(ctx, req); err != nil {
		return nil, nil, err
	}
	resp, err := outbound.Client(c.Way, 0).Do(req)
	if err != nil {
		return nil, nil, unanswered(req, err)
	}
	defer func() { _ = resp.Body.Close() }() // the answer was already read
	if resp.StatusCode >= http.StatusMultipleChoices {
		return nil, nil, refusal(req, resp)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, MaxAnswer+1))
	switch {
	case err != nil:
		return nil, nil, unanswered(req, err)
	case len(text) > MaxAnswer:
		return nil, nil, fmt.Errorf("%w: more than %d MiB", outbound.ErrTooLarge, MaxAnswer>>20)
	}
	return resp.Header, text, nil
}

// address returns the URL of an object.
func (c Client) address(r request) *url.URL {
	path, raw := within(r.bucket, r.key)
	return &url.URL{Scheme: c.Endpoint.Scheme, Host: c.Endpoint.Host, RawQuery: r.query.Encode(),
		Path: strings.TrimSuffix(c.Endpoint.Path, "/") + path, RawPath: strings.TrimSuffix(c.Endpoint.EscapedPath(), "/") + raw}
}

// within returns the path of an object within its store: plain, and in the form for the signature. In the latter
// form, all characters except letters, digits and -._~ are escaped as hexadecimal numbers.
func within(bucket, key string) (path, raw string) {
	path, raw = "/"+bucket, "/"+escaped(bucket)
	if key == "" {
		return path, raw
	}
	for part := range strings.SplitSeq(key, "/") {
		raw += "/" + escaped(part)
	}
	return path + "/" + key, raw
}

func escaped(part string) string {
	return strings.ReplaceAll(url.QueryEscape(part), "+", "%20")
}

func (c Client) sign(ctx context.Context, req *http.Request) error {
	keys, err := c.Keys()
	if err != nil {
		return private.Hide("the access keys for the S3 store cannot be read; the agent's log has the details", err)
	}
	sum := unsigned
	if req.Body == nil {
		none := sha256.Sum256(nil)
		sum = hex.EncodeToString(none[:])
	}
	req.Header.Set("X-Amz-Content-Sha256", sum)
	as := aws.Credentials{AccessKeyID: keys.ID, SecretAccessKey: keys.Secret, SessionToken: keys.Token}
	return v4.NewSigner().SignHTTP(ctx, as, req, sum, "s3", c.Region, time.Now(), asS3) //nolint:forbidigo // no decision depends on this time
}

// asS3 makes the signature cover paths as they are. (AWS: Signature Calculations, canonical URI)
func asS3(o *v4.SignerOptions) { o.DisableURIPathEscaping = true }

var errNoAnswer = errors.New("no answer")

// unanswered returns the error for a request without an answer. Only the operator sees the addresses in it.
func unanswered(req *http.Request, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return private.Hidef("no answer in time", "%s: %w", req.Method, err)
	}
	return private.Hidef("no answer; the agent's log has the details", "%s: %w: %w", req.Method, errNoAnswer, err)
}
