package cloud

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
)

// A list can have endless pages, even if each page is small.
func TestAttackEndlessPages(t *testing.T) {
	text := `{"servers": [{"name": "` + strings.Repeat("x", 1<<20) + `"}, {}]}`
	big, pages := &listing{field: "servers", bytes: maxListBytes - 3<<20}, 0
	for ; onPage(big, text) == nil; pages++ {
		if pages > 3 {
			t.Fatalf("%d MiB of one list were taken", big.bytes>>20)
		}
	}
	many := new(listing)
	for n := 0; many.turn(fmt.Sprint("servers?marker=", n)) == nil; n++ {
		if n > maxPages {
			t.Fatalf("%d pages of one list were asked for", many.pages)
		}
	}
}

// onPage reads a page of a list.
func onPage(l *listing, text string) error {
	_, err := readPage(l, &http.Response{Request: httptest.NewRequest(http.MethodGet, "/", nil), Body: io.NopCloser(strings.NewReader(text))},
		asDecoded[struct{}](), func(struct{}) error { return nil })
	return err
}

// An object whose ID is lost is an error, and not an object that is missing.
func TestObjectsWithoutAnID(t *testing.T) {
	type named struct {
		ID, Name string
	}
	type tagged struct {
		named
		Project string `json:"project_id"`
	}
	for _, item := range []string{`{"id": null, "name": "a"}`, `{"id": "", "name": "a"}`} {
		text := `{"servers": [{"id": "1"}, ` + item + `]}`
		for name, err := range map[string]error{
			"attributes": onPageOf[map[string]json.RawMessage](text), "struct": onPageOf[named](text), "embedded": onPageOf[tagged](text),
		} {
			if !errors.Is(err, errNoID) {
				t.Errorf("%s as %s: %v", item, name, err)
			}
		}
		for name, err := range map[string]error{"name": onPageOf[struct{ Name string }](text), "anything": onPageOf[any](text)} {
			if err != nil {
				t.Errorf("%s as %s: %v", item, name, err)
			}
		}
	}
	if err := onPageOf[map[string]json.RawMessage](`{"servers": [{"keypair": {}}, {"id": 7}]}`); err != nil {
		t.Error(err)
	}
}

func onPageOf[T any](text string) error {
	_, err := readPage(&listing{field: "servers"}, &http.Response{Request: httptest.NewRequest(http.MethodGet, "/", nil), Body: io.NopCloser(strings.NewReader(text))},
		asDecoded[T](), func(T) error { return nil })
	return err
}

// Objects may need more memory in the agent than in an answer.
func TestAttackManyObjects(t *testing.T) {
	l := &listing{field: "servers"}
	if err := onPage(l, `{"servers": [`+strings.Repeat("{},", maxObjects)+`{}]}`); err == nil || l.objects > maxObjects+1 {
		t.Errorf("%d objects, %v", l.objects, err)
	}
}

// An answer that can be read in two ways is not a list.
func TestAttackTwoLists(t *testing.T) {
	for _, text := range []string{
		`{"servers": [{}], "servers": []}`, `{"servers": []} {}`, `{"servers": []}]`, `{"servers": [{}`, `{"servers": [{}]`, `{"servers": [{}}`, `{"servers": [{}] "x": 1}`,
		`{"x": 1}`, `{"servers": [{}], "links":`, `{"servers": [{}], links}`, `[{}]`, `{"Servers": []}`,
	} {
		if err := onPage(&listing{field: "servers"}, text); err == nil {
			t.Errorf("%s: is a list", text)
		}
	}
	for _, text := range []string{`{"servers": []}`, ` {"links": {}, "servers" : [ {} , {"a": [1]} ], "total": 2 } `} {
		if err := onPage(&listing{field: "servers"}, text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Each service's row sets every field that the other rows set.
func TestServices(t *testing.T) {
	for _, row := range services {
		if row.open == nil || row.port == "" || row.mark == "" || row.conflict == nil || row.paging.next == nil && row.paging.beyond == nil || (row.discovery == nil) != (row.newest == nil) {
			t.Errorf("%s: the row leaves something out: %+v", row.name, row)
		}
		known := append([]string{row.name}, gophercloud.ServiceTypeAliases[row.name]...)
		if got := append([]string{row.name}, row.aliases...); row.name != Network && !slices.Equal(got, known) {
			t.Errorf("%s: catalog types %q, gophercloud has %q", row.name, got, known)
		}
	}
	if row, err := serviceOfType("rating"); err == nil {
		t.Errorf("an unknown service has a row: %+v", row)
	}
}

func TestWithoutVersion(t *testing.T) {
	for address, want := range map[string]string{
		"https://gw/v2/glance/":      "https://gw/v2/glance/",
		"https://gw/v2/glance/v2/":   "https://gw/v2/glance/",
		"https://gw/v2.0/":           "https://gw/",
		"https://v2/":                "https://v2/",
		"https://v2/v2/":             "https://v2/",
		"https://gw/dev2/":           "https://gw/dev2/",
		"https://gw/identity/v3/":    "https://gw/identity/",
		"https://gw/v3/0123456789a/": "https://gw/v3/0123456789a/",
	} {
		if got := withoutVersion(address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

func TestAttackCatalogAddress(t *testing.T) {
	for _, c := range []struct {
		home, address string
		ok            bool
	}{
		{"https://keystone.example:5000/v3", "https://nova.example:8774/v2.1", true},
		{"https://keystone.example:5000/v3", "https://10.0.0.4:8774/v2.1", true},
		{"https://keystone.example:5000/v3", "http://nova.example:8774/v2.1", false},
		{"http://keystone.example:5000/v3", "http://nova.example:8774/v2.1", true},
		{"http://keystone.example:5000/v3", "https://nova.example:8774/v2.1", true},
		{"https://keystone.example/v3", "https://169.254.169.254/latest", false},
		{"https://keystone.example/v3", "https://[fe80::1]/v2.1", false},
		{"https://keystone.example/v3", "https://127.0.0.1:8774/v2.1", false},
		{"https://keystone.example/v3", "https://[::1]:8774/v2.1", false},
		{"https://keystone.example/v3", "https://[::ffff:127.0.0.1]/v2.1", false},
		{"https://keystone.example/v3", "https://localhost./v2.1", false},
		{"https://keystone.example/v3", "https://0.0.0.0/v2.1", false},
		{"http://127.0.0.1:5000/v3", "http://127.0.0.1:8774/v2.1", true},
		{"https://keystone.example/v3", "https://me@nova.example/v2.1", false},
		{"https://keystone.example/v3", "file:///etc/passwd", false},
		{"https://keystone.example/v3", "gopher://nova.example/", false},
		{"https://keystone.example/v3", "//nova.example/", false},
		{"https://keystone.example/v3", "https://nova.example\r\nX: y/", false},
		{"https://keystone.example/v3", "", false},
	} {
		home, err := url.Parse(c.home)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := checkEndpoint(home, "compute", c.address); (err == nil) != c.ok {
			t.Errorf("%s from %s: %v", c.address, c.home, err)
		}
	}
}
