package cloud

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

func TestQuotasAreRead(t *testing.T) {
	tests := []struct {
		service, answer string
		want            kind.Allowances
	}{
		{Compute, `{"limits": {"rate": [], "absolute": {"maxTotalInstances": 10, "totalInstancesUsed": 2, "maxTotalCores": -1, "totalCoresUsed": 3, "maxTotalKeypairs": 100, "maxServerMeta": 128}}}`,
			kind.Allowances{"instances": {Limit: 10, Used: 2}, "cores": {Limit: -1, Used: 3}, "key_pairs": {Limit: 100, Used: -1}}},
		{BlockStorage, `{"quota_set": {"id": "p", "volumes": {"limit": 10, "in_use": 2, "reserved": 1}, "gigabytes_ssd": {"limit": -1, "in_use": 0, "reserved": 0}}}`,
			kind.Allowances{"volumes": {Limit: 10, Used: 3}, "gigabytes_ssd": {Limit: -1}}},
		{Network, `{"quota": {"port": {"limit": 500, "used": 8, "reserved": 1}}}`, kind.Allowances{"port": {Limit: 500, Used: 9}}},
		{LoadBalancer, `{"quota": {"load_balancer": 5, "member": -1}}`, kind.Allowances{"load_balancer": {Limit: 5, Used: -1}, "member": {Limit: -1, Used: -1}}},
		{SharedFileSystem, `{"limits": {"rate": [], "absolute": {"maxTotalShareNetworks": 10, "totalShareNetworksUsed": 2, "maxTotalShares": 50, "totalSharesUsed": 1}}}`, kind.Allowances{"share_networks": {Limit: 10, Used: 2}}},
		{DNS, `{"zones": 10}`, kind.Allowances{"zones": {Limit: 10, Used: -1}}},
	}
	for _, tt := range tests {
		t.Run(tt.service, func(t *testing.T) {
			if got, err := quotasOf[tt.service].read(json.RawMessage(tt.answer)); err != nil || !maps.Equal(got, tt.want) {
				t.Errorf("%v, %v; want %v", got, err, tt.want)
			}
		})
	}
}

// A cloud may answer anything. If a value is no number that can be a quota, the quota is unknown.
// So it is if the number is too large to calculate with.
func TestAttackAbsurdQuotas(t *testing.T) {
	for _, absurd := range []string{`-2`, `-9223372036854775808`, `9223372036854775807`, `1e400`, `99999999999999999999999`, `1.5`, `"10"`, `null`, `[]`, `{}`, `true`,
		`{"limit": "10", "used": 1}`, `{"limit": -7, "used": 1}`, `{"limit": 9223372036854775807, "used": 1}`, `{"limit": null}`} {
		got, err := quotasOf[Network].read(json.RawMessage(`{"quota": {"port": ` + absurd + `}}`))
		if err != nil || len(got) > 0 {
			t.Errorf("%s is taken for %v (%v)", absurd, got, err)
		}
	}
	for _, absurd := range []string{`-1`, `"2"`, `1e30`, `null`, `[1]`} {
		got, err := quotasOf[Network].read(json.RawMessage(`{"quota": {"port": {"limit": 10, "used": ` + absurd + `, "reserved": 0}}}`))
		if err != nil || got["port"] != (kind.Allowance{Limit: 10, Used: -1}) {
			t.Errorf("%s used is taken for %v (%v)", absurd, got, err)
		}
	}
	for _, absurd := range []string{``, `null`, `[]`, `"quota"`, `{"quota": 5}`, `{"quota": []}`, `{"quotas": {}}`} {
		if got, err := quotasOf[Network].read(json.RawMessage(absurd)); err == nil {
			t.Errorf("the answer %s is taken for %v", absurd, got)
		}
	}
	most, err := quotasOf[Network].read(json.RawMessage(`{"quota": {"port": {"limit": 10, "used": 2305843009213693952, "reserved": 2305843009213693952}}}`))
	if err != nil || most["port"].Used < 1<<61 {
		t.Errorf("%v, %v", most, err)
	}
}
