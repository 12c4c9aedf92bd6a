package cloud

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// quotas describes how a service reports a project's limits and use. Its answer has, at place, a
// value for each quota: a limit, or an object with the limit and the use.
type quotas struct {
	path  string // with %s for the project
	place []string
	// names are the attributes of a quota's limit and of its use, if these are not named like the
	// quota. If the second one is "", the service does not report the use.
	names map[string][2]string
}

// quotasOf are the services that have quotas, by catalog type. Octavia and Designate show the use
// only to administrators, and Barbican shows it to nobody.
var quotasOf = map[string]quotas{
	Compute: {path: "limits", place: []string{"limits", "absolute"}, names: map[string][2]string{
		"instances": {"maxTotalInstances", "totalInstancesUsed"}, "cores": {"maxTotalCores", "totalCoresUsed"}, "ram": {"maxTotalRAMSize", "totalRAMUsed"},
		"server_groups": {"maxServerGroups", "totalServerGroupsUsed"}, "key_pairs": {"maxTotalKeypairs", ""}, // key pairs are counted for each user
	}},
	BlockStorage: {path: "os-quota-sets/%s?usage=true", place: []string{"quota_set"}}, // /limits leaves out types
	Network:      {path: "quotas/%s/details.json", place: []string{"quota"}},
	LoadBalancer: {path: "lbaas/quotas/%s", place: []string{"quota"}},
	DNS:          {path: "quotas/%s"},
	KeyManager:   {path: "quotas", place: []string{"quotas"}},
	SharedFileSystem: {path: "limits", place: []string{"limits", "absolute"}, names: map[string][2]string{
		"share_networks": {"maxTotalShareNetworks", "totalShareNetworksUsed"},
	}},
}

// Quotas asks a service for the project's limits and use. It returns nil for a service without quotas. Values
// that are no valid numbers are left out: quotas are only shown, and decide nothing.
func (c *Client) Quotas(ctx context.Context, service string) (kind.Allowances, error) {
	how, ok := quotasOf[service]
	if !ok {
		return nil, nil
	}
	path := how.path
	if strings.Contains(path, "%s") {
		path = fmt.Sprintf(path, c.ProjectID)
	}
	var answer json.RawMessage
	err := c.Do(ctx, Call{Service: service, Method: http.MethodGet, Path: path, Into: &answer})
	if errors.Is(err, kind.ErrGone) {
		return nil, fmt.Errorf("the %s service does not show quotas to this user: %w", service, kind.ErrNoService)
	}
	if err != nil {
		return nil, err
	}
	allowed, err := how.read(answer)
	if err != nil {
		return nil, fmt.Errorf("%s: GET /%s: %w", service, path, err)
	}
	return allowed, nil
}

// read decodes an answer.
func (q quotas) read(answer json.RawMessage) (kind.Allowances, error) {
	for _, member := range q.place {
		var within map[string]json.RawMessage
		if json.Unmarshal(answer, &within) != nil || within[member] == nil {
			return nil, fmt.Errorf("the answer has no %s", strings.Join(q.place, "."))
		}
		answer = within[member]
	}
	var values map[string]json.RawMessage
	if json.Unmarshal(answer, &values) != nil {
		return nil, errors.New("the answer holds no quotas")
	}
	allowed := kind.Allowances{}
	if q.names == nil {
		for name, value := range values {
			if a, ok := allowance(value); ok {
				allowed[name] = a
			}
		}
		return allowed, nil
	}
	for name, attributes := range q.names {
		limit, ok := count(values[attributes[0]])
		if !ok {
			continue
		}
		used, ok := count(values[attributes[1]])
		if !ok || used < 0 {
			used = -1
		}
		allowed[name] = kind.Allowance{Limit: limit, Used: used}
	}
	return allowed, nil
}

// allowance reads a limit, or an object with one.
func allowance(value json.RawMessage) (kind.Allowance, bool) {
	if limit, ok := count(value); ok {
		return kind.Allowance{Limit: limit, Used: -1}, true
	}
	var within map[string]json.RawMessage
	if json.Unmarshal(value, &within) != nil {
		return kind.Allowance{}, false
	}
	limit, ok := count(within["limit"])
	if !ok {
		return kind.Allowance{}, false
	}
	total := int64(0)
	for _, name := range []string{"used", "in_use", "reserved"} { // names that Neutron and Cinder use
		n, known := count(within[name])
		if within[name] != nil && (!known || n < 0) {
			return kind.Allowance{Limit: limit, Used: -1}, true
		}
		total = min(total+n, maxCounted)
	}
	if within["used"] == nil && within["in_use"] == nil {
		total = -1
	}
	return kind.Allowance{Limit: limit, Used: total}, true
}

// maxCounted is the largest number that is accepted as a count: twice that still fits into an
// int64.
const maxCounted = 1 << 61

// count reads a whole number that can be a limit or an amount; -1 means no limit.
func count(value json.RawMessage) (n int64, ok bool) {
	if json.Unmarshal(value, &n) != nil || slices.Equal(value, []byte("null")) || n < -1 || n > maxCounted {
		return 0, false
	}
	return n, true
}
