package cloud

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/stackreeve/stackreeve/internal/pattern"
)

// versionDocument is one entry of a service's list of versions.
type versionDocument struct {
	ID      string `json:"id"`
	Version string `json:"version"` // the newest microversion
}

var microversion = pattern.Of(`^[0-9]{1,3}\.[0-9]{1,5}$`)

// newestMicroversion reads the version document of a service. Nova's document has one version,
// Cinder's a list of versions. gophercloud's own discovery (openstack/utils) cannot read them: it
// requests the endpoint, which has the project in its path for Cinder, and it does not accept
// lists.
func (c *Client) newestMicroversion(ctx context.Context, name string) (string, error) {
	row, err := serviceOfType(name)
	if err != nil || row.discovery == nil {
		return "", err
	}
	s, err := c.service(name, "")
	if err != nil {
		return "", err
	}
	var answer struct {
		Version  versionDocument   `json:"version"`
		Versions []versionDocument `json:"versions"`
	}
	if err := c.Do(ctx, Call{Service: name, Method: http.MethodGet, Path: row.discovery(s.Endpoint, c.ProjectID), Into: &answer}); err != nil {
		return "", fmt.Errorf("versions: %w", err)
	}
	newest := ""
	for _, v := range append(answer.Versions, answer.Version) {
		if text := row.newest(v); newest == "" || text != "" && AtLeast(text, newest) {
			newest = text
		}
	}
	if newest != "" && !microversion.MatchString(newest) { // the microversion becomes a header
		return "", fmt.Errorf("versions: %s says %.40q, which is not a microversion", name, newest)
	}
	return newest, nil
}

// withoutProject is the address where Nova, Cinder and Manila describe the version of an endpoint.
func withoutProject(endpoint, project string) string {
	return strings.TrimSuffix(strings.TrimSuffix(endpoint, "/"), "/"+project) + "/"
}

func currentVersion(v versionDocument) string { return v.Version }

// versionInID returns a version of Octavia. Octavia has no microversions: the IDs in its list are
// its versions.
func versionInID(v versionDocument) string { return strings.TrimPrefix(v.ID, "v") }
