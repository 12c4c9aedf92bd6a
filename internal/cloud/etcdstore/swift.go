package etcdstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// swift is a container of Swift.
type swift struct {
	cloud     *cloud.Client
	container string
}

const prefix = "X-Object-Meta-"

func (s swift) names(ctx context.Context, begin string, each func(name string) error) error {
	call := cloud.Call{Service: cloud.ObjectStore, Path: s.path("") + "?prefix=" + url.QueryEscape(begin)}
	return cloud.Each(ctx, s.cloud, call, "", func(one struct{ Name string }) error { return each(one.Name) })
}

func (s swift) head(ctx context.Context, name string) (described, error) {
	h, err := s.cloud.Head(ctx, cloud.ObjectStore, s.path(name))
	if err != nil {
		return described{}, err
	}
	d := described{etag: strings.Trim(h.Get("Etag"), `"`), metadata: map[string]string{}}
	d.md5 = d.etag
	d.size, _ = strconv.ParseInt(h.Get("Content-Length"), 10, 64)
	d.written, _ = http.ParseTime(h.Get("Last-Modified"))
	for header, texts := range h {
		if key, ok := strings.CutPrefix(header, prefix); ok {
			d.metadata[strings.ToLower(key)] = strings.Join(texts, ", ") // a header that is given twice is no mark
		}
	}
	return d, nil
}

func (s swift) part(ctx context.Context, name, etag string, from, to int64) ([]byte, error) {
	part, err := s.cloud.Part(ctx, cloud.Call{Service: cloud.ObjectStore, Path: s.path(name), Headers: map[string]string{"If-Match": `"` + etag + `"`}}, from, to)
	if errors.Is(err, cloud.ErrUnmet) {
		return nil, ErrReplaced
	}
	return part, err
}

func (s swift) put(ctx context.Context, name string, metadata map[string]string, data io.ReadCloser, _ int64) error {
	all := headers(metadata)
	all["If-None-Match"], all["Content-Type"] = "*", "application/octet-stream"
	err := s.cloud.Do(ctx, cloud.Call{Service: cloud.ObjectStore, Method: http.MethodPut, Path: s.path(name), Stream: data, Headers: all})
	if errors.Is(err, cloud.ErrUnmet) {
		return fmt.Errorf("%w: there is an object %s already", kind.ErrBusy, name)
	}
	return err
}

func (s swift) describe(ctx context.Context, name, _ string, metadata map[string]string) error {
	return s.cloud.Do(ctx, cloud.Call{Service: cloud.ObjectStore, Method: http.MethodPost, Path: s.path(name), Headers: headers(metadata)})
}

func (s swift) remove(ctx context.Context, name string) error {
	return s.cloud.Do(ctx, cloud.Call{Service: cloud.ObjectStore, Method: http.MethodDelete, Path: s.path(name)})
}

func headers(metadata map[string]string) map[string]string {
	out := map[string]string{}
	for key, value := range metadata {
		out[prefix+key] = value
	}
	return out
}

// path is the path of an object below the address of the account. If name is "", it is the path of
// the container.
func (s swift) path(name string) string {
	path := url.PathEscape(s.container)
	if name == "" {
		return path
	}
	for part := range strings.SplitSeq(name, "/") {
		path += "/" + url.PathEscape(part)
	}
	return path
}
