package manila

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// SetQuota sets the limit of a project for a resource; -1 means no limit.
func (m *Manila) SetQuota(project, name string, limit int) { m.quotas.Set(project, name, limit) }

// addQuotas adds the path os-quota-sets, which exists up to 2.6. A request without a microversion can use only
// this path (manila/api/v2/quota_sets.py: QuotaSetsControllerLegacy).
func (m *Manila) addQuotas() {
	m.handle("GET", "limits", m.limits)
	m.handle("GET", "os-quota-sets/{project}", m.showQuota)
	m.handle("PUT", "os-quota-sets/{project}", m.setQuota)
	m.handle("DELETE", "os-quota-sets/{project}", m.deleteQuota)
}

// limits mirrors manila/api/v1/limits.py and views/limits.py.
func (m *Manila) limits(c *call) (*oslo.Response, error) {
	limit := m.quotas.Of(c.Caller.ProjectID)
	return oslo.OK(map[string]any{"limits": map[string]any{"rate": []any{}, "absolute": map[string]int{
		"maxTotalShares": limit["shares"], "maxTotalShareSnapshots": limit["snapshots"], "maxTotalShareGigabytes": limit["gigabytes"],
		"maxTotalSnapshotGigabytes": limit["snapshot_gigabytes"], "maxTotalShareNetworks": limit["share_networks"],
		"totalSharesUsed": 0, "totalShareSnapshotsUsed": 0, "totalShareGigabytesUsed": 0, "totalSnapshotGigabytesUsed": 0,
		"totalShareNetworksUsed": m.held(c.Caller.ProjectID)}}}), nil
}

func (c *call) legacy(own bool) *oslo.Error {
	switch {
	case c.minor > 6:
		return refused(http.StatusNotFound, "The resource could not be found.")
	case !c.Caller.Manages() && !(own && c.PathValue("project") == c.Caller.ProjectID):
		return refused(http.StatusForbidden, "Access was denied to this resource.")
	}
	return nil
}

func (m *Manila) showQuota(c *call) (*oslo.Response, error) {
	if err := c.legacy(true); err != nil {
		return nil, err
	}
	set := map[string]any{"id": c.PathValue("project")}
	for name, limit := range m.quotas.Of(c.PathValue("project")) {
		set[name] = limit
	}
	return oslo.OK(map[string]any{"quota_set": set}), nil
}

func (m *Manila) setQuota(c *call) (*oslo.Response, error) {
	if err := c.legacy(false); err != nil {
		return nil, err
	}
	var in struct {
		Set map[string]any `json:"quota_set"`
	}
	if !c.Decode(&in) {
		return nil, badRequest("Malformed request body")
	}
	project, limits := c.PathValue("project"), map[string]int{}
	var bad []string
	for name, value := range in.Set {
		if _, known := m.quotas.Defaults[name]; !known {
			bad = append(bad, name)
			continue
		}
		n, err := strconv.Atoi(fmt.Sprint(value))
		if err != nil {
			return nil, badRequest("Quota '%v' for %s should be integer.", value, name)
		}
		limits[name] = n
	}
	slices.Sort(bad)
	switch {
	case len(limits) == 0:
		return nil, badRequest("Must supply at least one quota field to update.")
	case len(bad) > 0:
		return nil, badRequest("Bad key(s) %s in quota_set.", strings.Join(bad, ","))
	case slices.Min(slices.Collect(maps.Values(limits))) < -1:
		return nil, badRequest("Quota limit must be -1 or greater.")
	}
	used := m.held(project)
	if n, asked := limits["share_networks"]; asked && n >= 0 && used > n && m.quotas.Limit(project, "share_networks") >= 0 {
		return nil, badRequest("Quota value %d for share_networks is smaller than already used and reserved %d.", n, used)
	}
	for name, n := range limits {
		m.quotas.Set(project, name, n)
	}
	return oslo.OK(map[string]any{"quota_set": m.quotas.Of(project)}), nil
}

func (m *Manila) deleteQuota(c *call) (*oslo.Response, error) {
	if err := c.legacy(false); err != nil {
		return nil, err
	}
	m.quotas.Reset(c.PathValue("project"))
	return &oslo.Response{Status: http.StatusAccepted}, nil
}
