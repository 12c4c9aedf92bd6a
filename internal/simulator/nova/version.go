package nova

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// These are the first and the last microversion of Zed.
const (
	minMinor = 1
	maxMinor = 93
)

// These headers contain the microversion.
const (
	versionHeader = "OpenStack-API-Version"
	legacyHeader  = "X-OpenStack-Nova-API-Version"
)

// call is a call with its microversion, 2.<minor>.
type call struct {
	*oslo.Call
	minor int
}

type handler func(*call) (*oslo.Response, error)

// handle adds a route that exists from a microversion on.
func (n *Nova) handle(pattern string, since int, h handler) {
	n.handleUntil(pattern, since, maxMinor, h)
}

// handleUntil adds a route that exists in a range of microversions. Outside the
// range, Nova answers 404 (nova/api/openstack/wsgi.py:
// VersionNotFoundForAPIMethod).
func (n *Nova) handleUntil(pattern string, since, until int, h handler) {
	n.svc.Handle(pattern, func(c *oslo.Call) (*oslo.Response, error) {
		minor, err := asked(c.Header)
		if err != nil {
			return nil, err
		}
		if minor < since || minor > until {
			return nil, notFound("The resource could not be found.")
		}
		return h(&call{c, minor})
	})
}

var versionWord = pattern.Of(`^([1-9]\d*)\.([1-9]\d*|0)$`)

// word returns the version in the headers, or "". The newer header has precedence and also contains the name of
// the service (microversion_parse.get_version).
func word(h http.Header) string {
	for _, value := range h.Values(versionHeader) {
		for _, part := range strings.Split(value, ",") {
			service, version, found := strings.Cut(strings.TrimSpace(part), " ")
			if found && strings.EqualFold(service, "compute") {
				return strings.ToLower(strings.TrimSpace(version))
			}
		}
	}
	return strings.ToLower(strings.TrimSpace(h.Get(legacyHeader)))
}

// asked mirrors nova/api/openstack/wsgi.py: Request.set_api_version_request.
func asked(h http.Header) (int, error) {
	version := word(h)
	switch version {
	case "":
		return minMinor, nil
	case "latest":
		return maxMinor, nil
	}
	m := versionWord.FindStringSubmatch(version)
	if m == nil {
		return 0, badRequest("API Version String %s is of invalid format. Must be of format MajorNum.MinorNum.", version)
	}
	minor, err := strconv.Atoi(m[2])
	if m[1] != "2" || err != nil || minor < minMinor || minor > maxMinor {
		return 0, oslo.Errorf(http.StatusNotAcceptable, "InvalidGlobalAPIVersion",
			"Version %s is not supported by the API. Minimum is 2.%d and maximum is 2.%d.", version, minMinor, maxMinor)
	}
	return minor, nil
}

// decorate adds the headers of every answer of Nova.
func decorate(c *oslo.Call, h http.Header) {
	h["X-Compute-Request-Id"] = h["X-Openstack-Request-Id"]
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", "application/json")
	}
	h["Vary"] = []string{versionHeader, legacyHeader}
	version := word(c.Header)
	switch {
	case version == "":
		version = fmt.Sprintf("2.%d", minMinor)
	case version == "latest":
		version = fmt.Sprintf("2.%d", maxMinor)
	case !versionWord.MatchString(version):
		return
	}
	h.Set(versionHeader, "compute "+version)
	h.Set(legacyHeader, version)
}

func (n *Nova) listVersions(c *oslo.Call) (*oslo.Response, error) {
	link := func(path string) []any { return []any{map[string]string{"rel": "self", "href": c.Base + path}} }
	return oslo.OK(map[string]any{"versions": []any{
		map[string]any{"id": "v2.0", "status": "SUPPORTED", "version": "", "min_version": "", "updated": "2011-01-21T11:33:21Z", "links": link("/v2/")},
		versionDoc(link("/v2.1/")),
	}}), nil
}

func versionDoc(links []any) map[string]any {
	return map[string]any{"id": "v2.1", "status": "CURRENT", "version": fmt.Sprintf("2.%d", maxMinor), "min_version": fmt.Sprintf("2.%d", minMinor),
		"updated": "2013-07-23T11:33:21Z", "links": links}
}

func (n *Nova) showVersion(c *oslo.Call) (*oslo.Response, error) {
	doc := versionDoc([]any{map[string]string{"rel": "self", "href": c.Base + "/v2.1/"},
		map[string]string{"rel": "describedby", "type": "text/html", "href": "http://docs.openstack.org/"}})
	doc["media-types"] = []any{map[string]string{"base": "application/json", "type": "application/vnd.openstack.compute+json;version=2.1"}}
	return oslo.OK(map[string]any{"version": doc}), nil
}
