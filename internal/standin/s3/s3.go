// Package s3 simulates an object store with the S3 protocol, as far as backups use it: buckets in the path, lists in pages, conditions, copies of
// an object onto itself. Tests that also run against real stores check that its answers are the same.
package s3

import (
	"crypto/md5" //nolint:gosec // the protocol requires MD5 sums
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// object is a stored object.
type object struct {
	data     []byte
	modified time.Time
	headers  http.Header // the metadata, and the type of the content
}

func (o *object) etag() string {
	sum := md5.Sum(o.data) //nolint:gosec // see above
	return `"` + hex.EncodeToString(sum[:]) + `"`
}

// World is a store with buckets.
type World struct {
	mu      sync.Mutex
	buckets map[string]map[string]*object
	id      string

	// Page is the number of keys on a page of a list.
	Page int
	// Fail is called before each request. If it returns a status, the request gets that status as its answer. If Fail is nil, there are no faults.
	Fail func(r *http.Request) (status int, code string)
	// Encrypted makes the store report that it encrypts with keys of somebody else. Then no ETag is the MD5 sum of the data.
	Encrypted bool
}

// New returns a store with empty buckets. It accepts only requests with the key ID id.
func New(id string, buckets ...string) *World {
	w := &World{buckets: map[string]map[string]*object{}, id: id, Page: 3}
	for _, name := range buckets {
		w.buckets[name] = map[string]*object{}
	}
	return w
}

// Keys are the keys of a bucket's objects, sorted.
func (w *World) Keys(bucket string) (keys []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.keys(bucket)
}

func (w *World) keys(bucket string) (keys []string) {
	for key := range w.buckets[bucket] {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// Drop removes a bucket with its contents, as another person could do.
func (w *World) Drop(bucket string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.buckets, bucket)
}

// Empty removes all objects of a bucket, as another person could do.
func (w *World) Empty(bucket string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.buckets[bucket])
}

// Copy copies an object and changes some of its metadata, as another person could do.
func (w *World) Copy(bucket, from, to string, change map[string]string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	o := w.buckets[bucket][from]
	made := &object{o.data, time.Now(), o.headers.Clone()}
	for name, value := range change {
		made.headers.Set(meta+name, value)
	}
	w.buckets[bucket][to] = made
}

const meta = "X-Amz-Meta-"

// ServeHTTP implements [http.Handler].
func (w *World) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	if w.Fail != nil {
		if status, code := w.Fail(r); status != 0 {
			refuse(out, status, code)
			return
		}
	}
	if !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential="+w.id+"/") {
		refuse(out, http.StatusForbidden, "InvalidAccessKeyId")
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil || r.ContentLength >= 0 && int64(len(body)) != r.ContentLength {
		return // an incomplete upload is not stored
	}
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	w.mu.Lock()
	defer w.mu.Unlock()
	there := w.buckets[bucket]
	switch {
	case there == nil:
		refuse(out, http.StatusNotFound, "NoSuchBucket")
	case key == "" && r.Method == http.MethodGet:
		w.list(out, bucket, r.URL.Query())
	case r.Method == http.MethodPut && r.Header.Get("X-Amz-Copy-Source") != "":
		w.copied(out, r, there, key)
	case r.Method == http.MethodPut && r.ContentLength < 0:
		refuse(out, http.StatusLengthRequired, "MissingContentLength")
	case r.Method == http.MethodPut && r.Header.Get("If-None-Match") != "":
		refuse(out, http.StatusNotImplemented, "NotImplemented")
	case r.Method == http.MethodPut:
		there[key] = &object{body, time.Now(), kept(r.Header)}
		out.Header().Set("Etag", there[key].etag())
	case r.Method == http.MethodDelete:
		delete(there, key)
		out.WriteHeader(http.StatusNoContent)
	case there[key] == nil && r.Method == http.MethodHead && !r.Close:
		spoil(out)
	case there[key] == nil:
		refuse(out, http.StatusNotFound, "NoSuchKey")
	default:
		w.get(out, r, there[key])
	}
}

func kept(from http.Header) http.Header {
	headers := http.Header{}
	for name, texts := range from {
		if strings.HasPrefix(name, meta) || name == "Content-Type" {
			headers[name] = texts
		}
	}
	return headers
}

func (w *World) get(out http.ResponseWriter, r *http.Request, o *object) {
	if match := r.Header.Get("If-Match"); match != "" && match != o.etag() {
		refuse(out, http.StatusPreconditionFailed, "PreconditionFailed")
		return
	}
	for name, texts := range o.headers {
		out.Header()[name] = texts
	}
	etag := o.etag()
	if w.Encrypted {
		out.Header().Set("X-Amz-Server-Side-Encryption", "aws:kms")
		etag = `"` + strings.Repeat("0f", md5.Size) + `"`
	}
	out.Header().Set("Etag", etag)
	out.Header().Set("Last-Modified", o.modified.UTC().Format(http.TimeFormat))
	from, to := 0, len(o.data)-1
	status := http.StatusOK
	if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &from, &to); err == nil {
		to = min(to, len(o.data)-1)
		out.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to, len(o.data)))
		status = http.StatusPartialContent
	}
	out.Header().Set("Content-Length", strconv.Itoa(to-from+1))
	out.WriteHeader(status)
	if r.Method == http.MethodGet {
		_, _ = out.Write(o.data[from : to+1])
	}
}

// copied replaces the metadata of an object. The request is a copy of the object onto itself.
func (w *World) copied(out http.ResponseWriter, r *http.Request, there map[string]*object, key string) {
	from, err := url.PathUnescape(r.Header.Get("X-Amz-Copy-Source"))
	o := there[key]
	switch match := r.Header.Get("X-Amz-Copy-Source-If-Match"); {
	case err != nil || from != r.URL.Path || r.Header.Get("X-Amz-Metadata-Directive") != "REPLACE":
		refuse(out, http.StatusBadRequest, "InvalidRequest")
	case o == nil:
		refuse(out, http.StatusNotFound, "NoSuchKey")
	case match != "" && !w.Encrypted && strings.Trim(match, `"`) != strings.Trim(o.etag(), `"`):
		refuse(out, http.StatusPreconditionFailed, "PreconditionFailed")
	default:
		there[key] = &object{o.data, time.Now(), kept(r.Header)}
		_, _ = io.WriteString(out, xml.Header+"<CopyObjectResult><ETag>"+o.etag()+"</ETag></CopyObjectResult>")
	}
}

func (w *World) list(out http.ResponseWriter, bucket string, query url.Values) {
	type contents struct {
		Key string `xml:"Key"`
	}
	var page struct {
		XMLName  xml.Name   `xml:"ListBucketResult"`
		Contents []contents `xml:"Contents"`
		More     bool       `xml:"IsTruncated"`
		Next     string     `xml:"NextContinuationToken,omitempty"`
	}
	for _, key := range w.keys(bucket) {
		if !strings.HasPrefix(key, query.Get("prefix")) || key <= query.Get("continuation-token") {
			continue
		}
		if len(page.Contents) == w.Page {
			page.More, page.Next = true, page.Contents[w.Page-1].Key
			break
		}
		page.Contents = append(page.Contents, contents{key})
	}
	_ = xml.NewEncoder(out).Encode(page) // a failure cannot be reported to anybody
}

// spoil answers that the object does not exist, as Swift does. Swift sends the end of the body later, so the client receives it where it expects
// the answer to its next request.
func spoil(out http.ResponseWriter) {
	conn, both, err := http.NewResponseController(out).Hijack()
	if err != nil {
		refuse(out, http.StatusNotFound, "")
		return
	}
	_, _ = both.WriteString("HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n")
	_ = both.Flush()
	go func() {
		defer func() { _ = conn.Close() }()
		if _, err := both.ReadByte(); err == nil {
			_, _ = conn.Write([]byte("0\r\n\r\n"))
		}
	}()
}

func refuse(out http.ResponseWriter, status int, code string) {
	out.Header().Set("Content-Type", "application/xml")
	out.WriteHeader(status)
	_, _ = io.WriteString(out, xml.Header+"<Error><Code>"+code+"</Code><Message>what the store says, with hunter2 in it</Message></Error>")
}
