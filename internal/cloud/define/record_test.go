package define

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// What is recorded is read to the last page, and a list that is cut says nothing.
func TestRecordsOnSeveralPages(t *testing.T) {
	for name, last := range map[string]string{"whole": `{"ports": [{"id": "b", "tags": ["stackreeve:etcd", "blue"]}], "ports_links": []}`, "cut": ""} {
		t.Run(name, func(t *testing.T) {
			c := clientOf(t, func(w http.ResponseWriter, r *http.Request) {
				switch {
				case !r.URL.Query().Has("marker"):
					next := "http://" + r.Host + "/network/v2.0" + r.URL.Path + "?" + r.URL.RawQuery + "&marker=a"
					fmt.Fprintf(w, `{"ports": [{"id": "a", "tags": ["stackreeve:etcd"]}], "ports_links": [{"rel": "next", "href": %q}]}`, next)
				case last == "":
					w.WriteHeader(http.StatusForbidden)
				default:
					fmt.Fprint(w, last)
				}
			})
			tags, err := RecordsOfPorts(t.Context(), c)
			if last == "" && (err == nil || tags != nil) {
				t.Errorf("a list that is cut is %v, %v", tags, err)
			}
			if last != "" && (err != nil || strings.Join(tags["a"], " ") != "stackreeve:etcd" || strings.Join(tags["b"], " ") != "stackreeve:etcd" || len(tags) != 2) {
				t.Errorf("they are %v, %v", tags, err)
			}
		})
	}
}
