package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// front makes a real cloud on this machine available at one address, as the simulator is. The paths /identity and /network are those of the
// services, and /at/PORT is that of any service on a port. Addresses in its answers are replaced by its own, so that a client never uses
// another address.
type front struct {
	httputil.ReverseProxy
	ports map[string]string // by type: the ports of services
}

var (
	authURL    = regexp.MustCompile(`auth_url: http://127\.0\.0\.1:(\d+)`)
	ownAddress = regexp.MustCompile(`http://127\.0\.0\.1:(\d+)`)
	wayThrough = regexp.MustCompile(`^/(identity|network|at/\d+)(/.*|$)`)
)

type askedAt struct{}

// newFront finds the cloud in $OS_CLIENT_CONFIG_FILE. The user demo of the cloud has the password demo.
func newFront(t *testing.T) *front {
	t.Helper()
	text, err := os.ReadFile(os.Getenv("OS_CLIENT_CONFIG_FILE"))
	if err != nil {
		t.Fatal(err)
	}
	keystone := authURL.FindSubmatch(text)
	if keystone == nil {
		t.Fatal("OS_CLIENT_CONFIG_FILE has no cloud on this machine")
	}
	f := &front{ports: map[string]string{"identity": string(keystone[1])}}
	f.Rewrite, f.ModifyResponse = f.leads, f.answers
	f.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) } // the client or the cloud has disconnected
	var in struct {
		Token struct {
			Catalog []struct {
				Type      string
				Endpoints []struct{ Interface, URL string }
			}
		}
	}
	logIn(t, "http://127.0.0.1:"+f.ports["identity"], &in)
	for _, s := range in.Token.Catalog {
		for _, e := range s.Endpoints {
			if at := ownAddress.FindStringSubmatch(e.URL); at != nil && e.Interface == "public" {
				f.ports[s.Type] = at[1]
			}
		}
	}
	return f
}

// leads forwards a request to its service.
func (f *front) leads(r *httputil.ProxyRequest) {
	way := wayThrough.FindStringSubmatch(r.In.URL.Path)
	if way == nil {
		way = []string{"", "nowhere", "/"}
	}
	port := strings.TrimPrefix(way[1], "at/")
	if f.ports[port] != "" {
		port = f.ports[port]
	}
	// The cloud carries out a request even if the client disconnects before the answer.
	r.Out = r.Out.WithContext(context.WithValue(context.WithoutCancel(r.Out.Context()), askedAt{}, r.In.Host))
	r.Out.URL = &url.URL{Scheme: "http", Host: "127.0.0.1:" + port, Path: way[2], RawQuery: r.In.URL.RawQuery}
	r.Out.Host = r.Out.URL.Host
	r.Out.Header.Del("Accept-Encoding")
}

// answers replaces the addresses in an answer by those of front.
func (f *front) answers(resp *http.Response) error {
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	here, _ := resp.Request.Context().Value(askedAt{}).(string)
	through := "http://" + here + "/at/$1"
	text = ownAddress.ReplaceAll(text, []byte(through))
	for _, values := range resp.Header {
		for i := range values {
			values[i] = ownAddress.ReplaceAllString(values[i], through)
		}
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	resp.Header.Set("Content-Length", strconv.Itoa(len(text)))
	return nil
}
