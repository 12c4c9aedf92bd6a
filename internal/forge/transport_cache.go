package forge

import (
	"bytes"
	"container/list"
	"io"
	"net/http"
	"strings"
	"sync"
)

// cache stores answers whose requests can be repeated as conditional requests. GitHub does not
// count a conditional request if nothing has changed.
type cache struct {
	mu    sync.Mutex
	byKey map[string]*list.Element
	order list.List // of *cachedAnswer, the last used first
	size  int
}

// cachedAnswer is an answer in the cache.
type cachedAnswer struct {
	key    string
	header http.Header
	body   []byte
}

const (
	maxCached       = 32 << 20
	maxCachedAnswer = 8 << 20
)

func keyOf(req *http.Request) string {
	return req.URL.String() + "\n" + req.Header.Get("Accept")
}

// conditional makes a request conditional if the cache has an answer to it, and returns that answer.
func (c *cache) conditional(req *http.Request) *cachedAnswer {
	if req.Method != http.MethodGet {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byKey[keyOf(req)]
	if !ok {
		return nil
	}
	c.order.MoveToFront(e)
	k := e.Value.(*cachedAnswer)
	if etag := k.header.Get("ETag"); etag != "" {
		req.Header.Set("If-None-Match", etag)
	} else {
		req.Header.Set("If-Modified-Since", k.header.Get("Last-Modified"))
	}
	return k
}

// keep stores an answer if its request can be repeated as a conditional request.
func (c *cache) keep(req *http.Request, resp *http.Response) {
	if req.Method != http.MethodGet {
		return
	}
	body := bytesOf(resp)
	good := resp.StatusCode == http.StatusOK && len(body) <= maxCachedAnswer &&
		(resp.Header.Get("ETag") != "" || resp.Header.Get("Last-Modified") != "") &&
		!strings.Contains(resp.Header.Get("Cache-Control"), "no-store")
	key := keyOf(req)
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byKey[key]; ok {
		c.remove(e)
	}
	if !good {
		return
	}
	if c.byKey == nil {
		c.byKey = map[string]*list.Element{}
	}
	c.byKey[key] = c.order.PushFront(&cachedAnswer{key, resp.Header.Clone(), body})
	c.size += len(body)
	for c.size > maxCached {
		c.remove(c.order.Back())
	}
}

func (c *cache) remove(e *list.Element) {
	k := c.order.Remove(e).(*cachedAnswer)
	delete(c.byKey, k.key)
	c.size -= len(k.body)
}

// answer returns the stored answer. resp is the forge's answer that nothing has changed.
func (k *cachedAnswer) answer(resp *http.Response) *http.Response {
	out := *resp
	out.StatusCode, out.Status = http.StatusOK, "200 OK"
	out.Header = k.header.Clone()
	for name, values := range resp.Header {
		if strings.HasPrefix(name, "X-Ratelimit-") || strings.HasPrefix(name, "Ratelimit-") || name == "Date" {
			out.Header[name] = values
		}
	}
	out.Body = io.NopCloser(bytes.NewReader(k.body))
	out.ContentLength = int64(len(k.body))
	return &out
}
