package all_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// diskServer serves the content of an image on the loopback address.
func diskServer(t *testing.T) (address string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("a disk")) }))
	t.Cleanup(s.Close)
	return s.URL + "/disk.img"
}
