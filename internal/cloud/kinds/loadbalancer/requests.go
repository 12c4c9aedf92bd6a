package loadbalancer

import (
	"net/http"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
)

// request is one request to Octavia. path is relative to lbaas/.
type request struct {
	method, path, singular string
	body                   map[string]any
	made                   *string // receives the ID of the created object; nil if no object is created.
}

func post(singular string, part any, made *string) request {
	return request{http.MethodPost, plural(singular), singular, table.Given(part), made}
}

func put(singular, id string, body map[string]any) request {
	return request{http.MethodPut, plural(singular) + "/" + id, singular, body, nil}
}

func plural(singular string) string {
	if stem, ok := strings.CutSuffix(singular, "y"); ok {
		return stem + "ies"
	}
	return singular + "s"
}

func (p *Pool) putMembers() request {
	return request{method: http.MethodPut, path: "pools/" + p.ID + "/members", body: map[string]any{"members": p.memberBodies()}}
}

func (p *Pool) postMonitor() request {
	p.Monitor.PoolID = p.ID
	return post("healthmonitor", p.Monitor, nil)
}
