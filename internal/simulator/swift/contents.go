package swift

import (
	"crypto/md5" //nolint:gosec // Swift computes MD5 sums
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// Object is an object in a container.
type Object struct {
	Data     []byte
	Headers  map[string]string // all headers that can be written, by canonical name
	Modified time.Time
}

const objectPrefix = "X-Object-Meta-"

// longestObject mirrors swift/common/constraints.py: MAX_OBJECT_NAME_LENGTH.
const longestObject = 1024

func (o *Object) etag() string {
	sum := md5.Sum(o.Data) //nolint:gosec // see above
	return hex.EncodeToString(sum[:])
}

// listObjects lists the objects of a container, or with ?versions their versions.
// (swift/container/server.py: GET; swift/common/middleware/versioned_writes/object_versioning.py)
func (s *Swift) listObjects(c *oslo.Call) (*oslo.Response, error) {
	one, err := s.find(c)
	if err != nil {
		return nil, err
	}
	out, q := []any{}, c.Query()
	if q.Has("versions") {
		for _, v := range one.Versions {
			if v.id > q.Get("marker") {
				out = append(out, map[string]any{"name": v.name, "version_id": v.id, "bytes": v.size, "is_latest": v.current})
			}
		}
		return oslo.OK(out), nil
	}
	limit, names := s.limit(q.Get("limit")), []string{}
	if limit < 0 {
		return nil, oslo.Errorf(http.StatusPreconditionFailed, "text", "Maximum limit is %d", s.page())
	}
	for name := range one.Objects {
		if name > q.Get("marker") && strings.HasPrefix(name, q.Get("prefix")) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names[:min(len(names), limit)] {
		o := one.Objects[name]
		out = append(out, map[string]any{"name": name, "bytes": len(o.Data), "hash": o.etag(), "last_modified": oslo.StampMicro(o.Modified), "content_type": "application/octet-stream"})
	}
	return oslo.OK(out), nil
}

func (s *Swift) page() int {
	if s.opts.MaxPage > 0 {
		return s.opts.MaxPage
	}
	return 10_000
}

// limit returns the maximum length of a list, or -1 if the request asks for more than is allowed.
// (swift/common/request_helpers.py: constrain_req_limit)
func (s *Swift) limit(asked string) int {
	switch limit, err := strconv.Atoi(asked); {
	case err != nil || limit < 0:
		return s.page()
	case limit > s.page():
		return -1
	default:
		return limit
	}
}

func (s *Swift) putObject(c *oslo.Call) (*oslo.Response, error) {
	one, err := s.find(c)
	if err != nil {
		return nil, err
	}
	name, size := c.PathValue("object"), len(c.Body())
	if len(name) > longestObject {
		return nil, bad("Object name length of %d longer than %d", len(name), longestObject)
	}
	if err := checkMetadata(c.Header, objectPrefix); err != nil {
		return nil, err
	}
	if _, there := one.Objects[name]; there && c.Header.Get("If-None-Match") == "*" {
		return nil, refused(http.StatusPreconditionFailed, "A precondition for this request was not met.")
	}
	// swift/common/middleware/container_quotas.py: an object that is overwritten counts twice
	for quota, after := range map[string]int{"Quota-Count": len(one.Objects) + 1, "Quota-Bytes": one.bytes() + size} {
		if limit, err := strconv.Atoi(one.Headers[metaPrefix+quota]); err == nil && after > limit {
			return nil, oslo.Errorf(http.StatusRequestEntityTooLarge, "text", "Upload exceeds quota.")
		}
	}
	one.begin(name)
	o := &Object{Data: c.Body(), Headers: written(c.Header), Modified: c.Now}
	one.Objects[name] = o
	one.keep(name, size, true)
	return oslo.Created(nil).With("Etag", o.etag()).With("Last-Modified", c.Now.UTC().Format(http.TimeFormat)), nil
}

// postObject replaces all metadata of an object. (swift/proxy/controllers/obj.py: POST)
func (s *Swift) postObject(c *oslo.Call) (*oslo.Response, error) {
	o, err := s.object(c)
	if err != nil {
		return nil, err
	}
	if err := checkMetadata(c.Header, objectPrefix); err != nil {
		return nil, err
	}
	o.Headers, o.Modified = written(c.Header), c.Now
	return oslo.Accepted([]byte("<html><h1>Accepted</h1><p>The request is accepted for processing.</p></html>")).With("Content-Type", "text/html; charset=UTF-8"), nil
}

func written(sent http.Header) map[string]string {
	out := map[string]string{}
	for name, values := range sent {
		if strings.HasPrefix(name, objectPrefix) {
			out[name] = strings.Join(values, ",")
		}
	}
	return out
}

func (s *Swift) object(c *oslo.Call) (*Object, error) {
	one, err := s.find(c)
	if err != nil {
		return nil, err
	}
	o, ok := one.Objects[c.PathValue("object")]
	if !ok {
		return nil, errNotFound
	}
	return o, nil
}

// getObject answers GET and HEAD. It supports only ranges with both ends. (swift/common/swob.py: Response)
func (s *Swift) getObject(c *oslo.Call) (*oslo.Response, error) {
	o, err := s.object(c)
	if err != nil {
		return nil, err
	}
	if match := c.Header.Get("If-Match"); match != "" && strings.Trim(match, `"`) != o.etag() {
		return nil, refused(http.StatusPreconditionFailed, "A precondition for this request was not met.")
	}
	data, status := o.Data, http.StatusOK
	out := &oslo.Response{Body: data}
	var from, to int
	if n, _ := fmt.Sscanf(c.Header.Get("Range"), "bytes=%d-%d", &from, &to); n == 2 && c.Method == http.MethodGet {
		if from >= len(data) || from > to {
			return nil, refused(http.StatusRequestedRangeNotSatisfiable, "The Range requested is not available.")
		}
		to = min(to, len(data)-1)
		out.With("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to, len(data)))
		out.Body, status = data[from:to+1], http.StatusPartialContent
	}
	out.Status = status
	for name, value := range o.Headers {
		out.With(name, value)
	}
	return out.With("Etag", o.etag()).With("Content-Type", "application/octet-stream").With("Last-Modified", o.Modified.UTC().Format(http.TimeFormat)), nil
}
