package kindtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Older is a layer between agents and a cloud that reduces the cloud's capabilities. A missing
// capability is not in lists, is refused in requests with the service's own message, and is missing
// from answers.
type Older struct {
	// Compute, Volume and Balancer are the newest versions of these APIs, e.g. "2.60"; "" leaves
	// the version unchanged.
	Compute, Volume, Balancer string
	// Extensions are the extensions that Neutron lacks, by alias.
	Extensions []string

	next http.RoundTripper
}

// attributes are the attributes of Neutron's extensions, by alias. (neutron-lib api/definitions)
var attributes = map[string][]string{
	"port-security":               {"port_security_enabled"},
	"stateful-security-group":     {"stateful"},
	"net-mtu":                     {"mtu"},
	"network_availability_zone":   {"availability_zone_hints", "availability_zones"},
	"dns-integration":             {"dns_name", "dns_domain", "dns_assignment"},
	"subnet-dns-publish-fixed-ip": {"dns_publish_fixed_ip"},
	"uplink-status-propagation":   {"propagate_uplink_status"},
	"qos":                         {"qos_policy_id", "qos_network_policy_id"},
	"fip-port-details":            {"port_details"},
	"standard-attr-tag":           {"tags"},
	"standard-attr-revisions":     {"revision_number"},
	"standard-attr-timestamp":     {"created_at", "updated_at"},
	"subnet-service-types":        {"service_types"},
}

// balancerAttributes are the attributes that versions of Octavia's API added.
// (octavia/api/root_controller.py; api-ref/source/v2)
var balancerAttributes = map[string][]string{
	"2.1":  {"timeout_client_data", "timeout_member_connect", "timeout_member_data", "timeout_tcp_inspect", "backup"},
	"2.5":  {"tags"},
	"2.6":  {"flavor_id"},
	"2.10": {"domain_name", "http_version"},
	"2.12": {"allowed_cidrs"},
	"2.14": {"availability_zone"},
	"2.15": {"tls_ciphers"},
	"2.17": {"tls_versions"},
	"2.20": {"alpn_protocols"},
	"2.26": {"additional_vips"},
}

// Wrap returns a transport with the reduced capabilities, in front of next.
func (o *Older) Wrap(next http.RoundTripper) http.RoundTripper {
	older := *o
	older.next = next
	return &older
}

// RoundTrip implements http.RoundTripper.
func (o *Older) RoundTrip(req *http.Request) (*http.Response, error) {
	gone, refuse := o.lacks(req.URL.Path)
	req = req.Clone(req.Context())
	if slices.Contains(o.Extensions, "revision-if-match") && req.Header.Get("If-Match") != "" {
		const text = "Bad if-match request: This server does not support constraining operations based on revision numbers."
		return answered(req, http.StatusBadRequest, map[string]any{"NeutronError": map[string]string{"type": "BadRequest", "message": text}}), nil
	}
	var body []byte
	if req.Body != nil {
		var err error
		if body, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
		req.Body = io.NopCloser(bytes.NewReader(body))
	}
	if text := o.tooNew(req.Header); text != "" {
		return answered(req, http.StatusNotAcceptable, map[string]any{"computeFault": map[string]any{"code": 406, "message": text}}), nil
	}
	if o.noRoute(req.URL.Path) {
		return answered(req, http.StatusNotFound, map[string]any{"faultcode": "Client", "faultstring": "The resource could not be found."}), nil
	}
	var sent any
	if len(gone) > 0 && json.Unmarshal(body, &sent) == nil {
		if name := mentions(sent, gone); name != "" {
			return answered(req, http.StatusBadRequest, refuse(name)), nil
		}
	}
	resp, err := o.next.RoundTrip(req)
	if err != nil || resp.StatusCode > http.StatusMultipleChoices { // Cinder lists its versions with status 300
		return resp, err
	}
	return o.trim(resp, gone)
}

// lacks returns the attributes that the service behind the path does not know, and the service's
// error for them.
func (o *Older) lacks(path string) (names []string, refuse func(name string) any) {
	switch {
	case strings.Contains(path, "/lbaas/"):
		for since, more := range balancerAttributes {
			if o.Balancer != "" && newer(since, o.Balancer) {
				names = append(names, more...)
			}
		}
		return names, func(name string) any {
			return map[string]string{"faultcode": "Client", "faultstring": "Unknown attribute for argument: " + name}
		}
	case strings.Contains(path, "/v2.0/"):
		for _, alias := range o.Extensions {
			names = append(names, attributes[alias]...)
		}
	}
	return names, func(name string) any {
		return map[string]any{"NeutronError": map[string]string{"type": "HTTPBadRequest", "message": fmt.Sprintf("Unrecognized attribute(s) '%s'", name)}}
	}
}

// tooNew is the error for a microversion that is newer than the service; "" if there is none.
func (o *Older) tooNew(h http.Header) string {
	service, version, _ := strings.Cut(h.Get("OpenStack-API-Version"), " ")
	newest := map[string]string{"compute": o.Compute, "volume": o.Volume}[service]
	if newest == "" || version == newest || !newer(version, newest) {
		return ""
	}
	return fmt.Sprintf("Version %s is not supported by the API. Maximum is %s.", version, newest)
}

// noRoute reports whether the path is a collection that an old Octavia does not have.
func (o *Older) noRoute(path string) bool {
	since := map[bool]string{strings.HasSuffix(path, "/lbaas/flavors"): "2.6", strings.HasSuffix(path, "/lbaas/availability-zones"): "2.14"}[true]
	return o.Balancer != "" && since != "" && newer(since, o.Balancer)
}

// trim removes from an answer the parts that an older cloud does not send.
func (o *Older) trim(resp *http.Response, gone []string) (*http.Response, error) {
	text, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close() // the body was read to its end
	if err != nil {
		return nil, err
	}
	var body any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if decoder.Decode(&body) == nil {
		strip(body, gone)
		o.trimLists(body)
		if text, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	return resp, nil
}

// trimLists shortens lists of versions and extensions.
func (o *Older) trimLists(body any) {
	answer, _ := body.(map[string]any)
	if list, ok := answer["extensions"].([]any); ok {
		answer["extensions"] = slices.DeleteFunc(list, func(e any) bool {
			extension, _ := e.(map[string]any)
			alias, _ := extension["alias"].(string)
			return slices.Contains(o.Extensions, alias)
		})
	}
	o.lower(answer["version"])
	if list, ok := answer["versions"].([]any); ok {
		for _, v := range list {
			o.lower(v)
		}
		if len(list) > 0 {
			answer["versions"] = slices.DeleteFunc(list, o.tooNewBalancer)
		}
	}
}

// lower limits the newest microversion that a version of an API reports.
func (o *Older) lower(v any) {
	version, _ := v.(map[string]any)
	for id, newest := range map[string]string{"v2.1": o.Compute, "v3.0": o.Volume} {
		if text, _ := version["version"].(string); version["id"] == id && text != "" && newest != "" {
			version["version"] = newest
		}
	}
}

// tooNewBalancer reports whether an entry of Octavia's list of versions is newer than o.Balancer. Octavia's entries have no field
// version, only an ID such as v2.25.
func (o *Older) tooNewBalancer(v any) bool {
	version, _ := v.(map[string]any)
	id, _ := version["id"].(string)
	_, hasVersion := version["version"]
	return o.Balancer != "" && !hasVersion && strings.HasPrefix(id, "v2.") && newer(strings.TrimPrefix(id, "v"), o.Balancer)
}

// newer reports whether version a is newer than b. Both have the same major version.
func newer(a, b string) bool {
	minor := func(v string) int {
		_, text, _ := strings.Cut(v, ".")
		n, _ := strconv.Atoi(text)
		return n
	}
	return minor(a) > minor(b)
}

// mentions returns a name that is a key anywhere in v, or "" if there is none.
func mentions(v any, names []string) string {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if slices.Contains(names, key) {
				return key
			}
			if name := mentions(value, names); name != "" {
				return name
			}
		}
	case []any:
		for _, value := range v {
			if name := mentions(value, names); name != "" {
				return name
			}
		}
	}
	return ""
}

// strip removes the keys from v and everything below it.
func strip(v any, keys []string) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range keys {
			delete(v, key)
		}
		for _, value := range v {
			strip(value, keys)
		}
	case []any:
		for _, value := range v {
			strip(value, keys)
		}
	}
}

func answered(req *http.Request, code int, body any) *http.Response {
	text, _ := json.Marshal(body) // body contains only maps and strings
	return &http.Response{StatusCode: code, Status: http.StatusText(code), Header: http.Header{"Content-Type": {"application/json"}}, Request: req,
		Body: io.NopCloser(bytes.NewReader(text)), ContentLength: int64(len(text)), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
}
