package kubernetes

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// answers is a server that always gives the same answer.
type answers struct {
	code int
	text string
	got  *http.Request
	body string
}

func (a *answers) RoundTrip(req *http.Request) (*http.Response, error) {
	text, err := io.ReadAll(req.Body)
	a.got, a.body = req, string(text)
	return &http.Response{StatusCode: a.code, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(a.text)), Request: req}, err
}

func on(t *testing.T, a *answers) *Leases {
	t.Helper()
	l, err := NewLeases("https://kubernetes.example.org:6443/k", "ours", nil, func() (string, error) { return "a token", nil })
	if err != nil {
		t.Fatal(err)
	}
	return l.Through(a)
}

func TestWhatServersSay(t *testing.T) {
	for _, c := range []struct {
		code int
		text string
		is   error
		want string
	}{
		{404, `{"reason":"NotFound","message":"leases \"x\" not found"}`, ErrNotFound, "there is no such Lease"},
		{404, `404 page not found`, nil, "404"},
		{409, `{"reason":"Conflict","message":"modified"}`, ErrConflict, "409 Conflict: modified"},
		{403, `{"reason":"Forbidden","message":"User \"x\" cannot list\u001b[2J"}`, nil, "list, create, patch and delete leases"},
		{500, strings.Repeat("x", 1000), nil, "500"},
		{200, `<html>`, nil, "is not from a Kubernetes API server"},
		{200, `{"items":[],"metadata":{"continue":"more"}}`, nil, "a part of the leases"},
	} {
		_, err := on(t, &answers{code: c.code, text: c.text}).List(t.Context(), "l", "v")
		if err == nil || !strings.Contains(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) || c.is == nil && errors.Is(err, ErrNotFound) {
			t.Errorf("%d %.40s: %v", c.code, c.text, err)
		}
		if err != nil && (len(err.Error()) > 600 || strings.ContainsRune(err.Error(), 27)) {
			t.Errorf("%d: it is shown as it came: %q", c.code, err.Error())
		}
	}
}

func TestWhatIsAsked(t *testing.T) {
	a := &answers{code: 200, text: `{"items":[{"metadata":{"name":"x","uid":"u","resourceVersion":"7","creationTimestamp":"2026-01-02T03:04:05Z"},"spec":{"holderIdentity":"h"}}]}`}
	l := on(t, a)
	list, err := l.List(t.Context(), "stackreeve.dev/agents", "a_b")
	if err != nil || len(list) != 1 || list[0].Metadata.CreationTimestamp.Unix() != 1767323045 {
		t.Fatalf("%+v, %v", list, err)
	}
	if at := a.got.URL.String(); at != "https://kubernetes.example.org:6443/k/apis/coordination.k8s.io/v1/namespaces/ours/leases?labelSelector=stackreeve.dev%2Fagents%3Da_b" ||
		a.got.Header.Get("Authorization") != "Bearer a token" {
		t.Errorf("asked %s with %q", at, a.got.Header)
	}
	if err := l.Delete(t.Context(), list[0]); err != nil || !strings.Contains(a.body, `"preconditions":{"uid":"u","resourceVersion":"7"}`) {
		t.Errorf("%s, %v", a.body, err)
	}
	if err := l.Patch(t.Context(), "x", Lease{Spec: Spec{RenewTime: "now"}}); err != nil || a.body != `{"metadata":{},"spec":{"renewTime":"now"}}` || a.got.Header.Get("Content-Type") != "application/merge-patch+json" {
		t.Errorf("%s, %v", a.body, err)
	}
}
