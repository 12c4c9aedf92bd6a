package simulator_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/simulator"
)

// keys starts a cloud, and returns it with a client for its key manager.
func keys(t *testing.T) (*simulator.Server, *rawOctavia) {
	t.Helper()
	s, o := octavia(t, "demo", simulator.Options{})
	o.url = s.URL + "/key-manager"
	return s, o
}

func TestBarbican(t *testing.T) {
	s, o := keys(t)
	address := o.field(o.expect("POST", "/v1/secrets", `{"name": " a ", "payload": " hello \n", "payload_content_type": "text/plain", "expiration": "2040-01-31T02:00:00+02:00", "what": 1}`, 201, ""), "secret_ref")
	at := strings.TrimPrefix(address, o.url)
	for _, part := range []string{`"name":"a"`, `"secret_type":"opaque"`, `"expiration":"2040-01-31T00:00:00"`, `"algorithm":null`, `"content_types":{"default":"text/plain"}`, `"status":"ACTIVE"`} {
		o.expect("GET", at, "", 200, part)
	}
	o.expect("GET", at+"/payload", "", 200, "hello")
	o.expect("GET", "/v1/secrets?limit=1", "", 200, `"total":1`)
	for body, reason := range map[string]string{
		`[]`:               "Provided object does not match schema 'Secret'",
		`{"payload": "x"}`: "If 'payload' is supplied, 'payload_content_type' must also be supplied.",
		`{"payload": "x", "payload_content_type": "application/octet-stream"}`: "payload_content_encoding is not one of",
		`{"payload_content_type": "text/plain"}`:                               "payload must be provided",
		`{"bit_length": 0}`:                                                    "0 is less than the minimum of 1. Invalid property: 'bit_length'",
		`{"secret_type": "password"}`:                                          "Invalid property: 'secret_type'",
		`{"expiration": "2020-01-01T00:00:00Z"}`:                               "'expiration' is before current time",
		`{"expiration": "soon"}`:                                               "Invalid date for 'expiration'",
	} {
		o.expect("POST", "/v1/secrets", body, 400, reason)
	}
	empty := strings.TrimPrefix(o.field(o.expect("POST", "/v1/secrets", `{}`, 201, ""), "secret_ref"), o.url)
	o.expect("GET", empty+"/payload", "", 404, "Sorry but your secret has no payload.")
	container := `{"name": "c", "type": "certificate", "secret_refs": [{"name": "certificate", "secret_ref": "` + address + `"}]}`
	whole := strings.TrimPrefix(o.field(o.expect("POST", "/v1/containers", container, 201, ""), "container_ref"), o.url)
	o.expect("GET", "/v1/containers", "", 200, `"total":1`)
	o.expect("POST", "/v1/containers", strings.Replace(container, `{"name": "certificate"`, `{"name": "x"`, 1), 400, "'secret_refs'")
	id := at[strings.LastIndexByte(at, '/')+1:]
	s.Do(func() {
		k := s.Keystone
		for ref, holds := range map[string]bool{address: true, "https://elsewhere" + at: true, "https://elsewhere" + whole: true, id: false, o.url + empty: false} {
			if s.Barbican.Holds(k.ProjectID("demo"), ref) != holds || s.Barbican.Holds(k.ProjectID("demo2"), ref) {
				t.Errorf("%s: want %v, and not for others", ref, holds)
			}
		}
		s.Barbican.SetQuota(k.ProjectID("demo"), "secrets", 2)
	})
	o.expect("POST", "/v1/secrets", `{}`, 403, "a quota has been reached")
	o.expect("DELETE", whole, "", 204, "")
	o.expect("DELETE", at, "", 204, "")
	o.expect("GET", at, "", 404, `{"code":404,`)
}

func TestBarbicanAsksForARole(t *testing.T) {
	s, _ := keys(t)
	s.Do(func() {
		k := s.Keystone
		k.Grant(k.AddUser("clerk", "clerk"), k.AddProject("clerk", ""), "member")
		k.Grant(k.AddUser("auditor", "auditor"), k.AddProject("auditor", ""), "observer")
	})
	clerk, auditor := &rawOctavia{t, s.URL + "/key-manager", login(t, s, "clerk"), nil}, &rawOctavia{t, s.URL + "/key-manager", login(t, s, "auditor"), nil}
	clerk.expect("GET", "/v1/secrets", "", 403, "Secret(s) retrieval attempt not allowed")
	auditor.expect("GET", "/v1/secrets", "", 200, `"total":0`)
	auditor.expect("POST", "/v1/secrets", "{}", 403, "Secret creation attempt not allowed - please review your user/project privileges")
}
