package s3

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/pattern"
)

// Object is an object as the store describes it.
type Object struct {
	ETag     string // the ETag without quotes; it changes when the data change
	MD5      string // the MD5 of the data, in hexadecimal digits; "" if the store does not report it
	Size     int64
	Modified time.Time         // the time of the last write of its data or metadata
	Meta     map[string]string // the metadata by their names in lower case
}

const meta = "X-Amz-Meta-"

// page is a part of a list. (AWS: ListObjectsV2)
type page struct {
	XMLName  xml.Name `xml:"ListBucketResult"`
	Contents []struct {
		Key string `xml:"Key"`
	} `xml:"Contents"`
	More bool   `xml:"IsTruncated"`
	Next string `xml:"NextContinuationToken"`
}

// maxPages is the maximum number of pages that List reads, in case a list never ends.
const maxPages = 1000

// List calls each for every object of a bucket whose key has the prefix begin, in the store's order. It stops
// when each returns an error.
func (c Client) List(ctx context.Context, bucket, begin string, each func(key string) error) error {
	token := ""
	for range maxPages {
		query := url.Values{"list-type": {"2"}, "prefix": {begin}}
		if token != "" {
			query.Set("continuation-token", token)
		}
		_, text, err := c.send(ctx, request{method: http.MethodGet, bucket: bucket, query: query})
		if err != nil {
			return err
		}
		var p page
		if xml.Unmarshal(text, &p) != nil {
			return errors.New("the answer is not one of an S3 store")
		}
		for _, o := range p.Contents {
			if err := each(o.Key); err != nil {
				return err
			}
		}
		if !p.More {
			return nil
		}
		if p.Next == "" || p.Next == token {
			return errors.New("the list does not say where it continues")
		}
		token = p.Next
	}
	return fmt.Errorf("%w: a list of more than %d pages", outbound.ErrTooLarge, maxPages)
}

var sum = pattern.Of(`^[0-9a-f]{32}$`)

// Head returns the description of an object.
func (c Client) Head(ctx context.Context, bucket, key string) (Object, error) {
	return c.head(ctx, request{method: http.MethodHead, bucket: bucket, key: key})
}

func (c Client) head(ctx context.Context, r request) (Object, error) {
	h, _, err := c.send(ctx, r)
	if err != nil {
		return Object{}, err
	}
	o := Object{ETag: strings.Trim(h.Get("Etag"), `"`), Meta: map[string]string{}}
	// With some kinds of encryption, the ETag is not the MD5 of the data. (AWS: Object, ETag)
	if theirs := h.Get("X-Amz-Server-Side-Encryption"); sum.MatchString(o.ETag) && (theirs == "" || theirs == "AES256") && h.Get("X-Amz-Server-Side-Encryption-Customer-Algorithm") == "" {
		o.MD5 = o.ETag
	}
	o.Size, _ = strconv.ParseInt(h.Get("Content-Length"), 10, 64)
	o.Modified, _ = http.ParseTime(h.Get("Last-Modified"))
	for name, texts := range h {
		if key, ok := strings.CutPrefix(name, meta); ok {
			o.Meta[strings.ToLower(key)] = strings.Join(texts, ", ")
		}
	}
	return o, nil
}

// Part reads the bytes of an object between the offsets from and to, both included. If the ETag of the data has
// changed, it returns [ErrChanged].
func (c Client) Part(ctx context.Context, bucket, key, etag string, from, to int64) ([]byte, error) {
	headers := map[string]string{"Range": fmt.Sprintf("bytes=%d-%d", from, to), "If-Match": `"` + etag + `"`}
	h, part, err := c.send(ctx, request{method: http.MethodGet, bucket: bucket, key: key, headers: headers})
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(h.Get("Content-Range"), fmt.Sprintf("bytes %d-%d/", from, to)) || int64(len(part)) != to-from+1 {
		return nil, errors.New("the answer is not the part that was asked for")
	}
	return part, nil
}

// Put writes a new object of size bytes. If the object already exists, it returns [ErrChanged]. It checks that
// with a HEAD request, because Swift refuses conditional writes (swift/common/middleware/s3api/s3request.py:
// Conditional object PUTs are not supported). The HEAD request has a separate connection. After its 404, Swift
// also sends the end of a body, which the client would read as the answer to the next request.
func (c Client) Put(ctx context.Context, bucket, key string, describes map[string]string, data io.Reader, size int64) error {
	switch _, err := c.head(ctx, request{method: http.MethodHead, bucket: bucket, key: key, last: true}); {
	case err == nil:
		return ErrChanged
	case !errors.Is(err, ErrNotFound):
		return err
	}
	headers := described(describes)
	headers["Content-Type"] = octets
	_, _, err := c.send(ctx, request{method: http.MethodPut, bucket: bucket, key: key, headers: headers, data: data, size: size})
	return err
}

const octets = "application/octet-stream"

func described(describes map[string]string) map[string]string {
	headers := map[string]string{}
	for name, value := range describes {
		headers[meta+name] = value
	}
	return headers
}

// Describe replaces the metadata of an object whose data have this ETag. The store copies the object onto
// itself.
func (c Client) Describe(ctx context.Context, bucket, key, etag string, describes map[string]string) error {
	_, from := within(bucket, key)
	headers := map[string]string{"X-Amz-Copy-Source": from, "X-Amz-Metadata-Directive": "REPLACE", "X-Amz-Copy-Source-If-Match": etag, "Content-Type": octets}
	maps.Copy(headers, described(describes))
	_, text, err := c.send(ctx, request{method: http.MethodPut, bucket: bucket, key: key, headers: headers})
	if err != nil {
		return err
	}
	if failed := codeOf(text); failed != "" { // the answer to a slow copy begins before the copy has ended (AWS: CopyObject)
		return refused(http.MethodPut, http.StatusOK, failed)
	}
	return nil
}

// Remove deletes an object. If the object is missing, that is not an error.
func (c Client) Remove(ctx context.Context, bucket, key string) error {
	_, _, err := c.send(ctx, request{method: http.MethodDelete, bucket: bucket, key: key})
	if errors.Is(err, ErrNotFound) && !errors.Is(err, ErrNoBucket) {
		return nil
	}
	return err
}
