package loadbalancer

import (
	"slices"
	"testing"
	"time"
)

func TestMembersThatDoNotServeAreNamedWhileOthersServe(t *testing.T) {
	for name, tt := range map[string]struct{ statuses, want []string }{
		"one checked and down":     {[]string{"ONLINE", "ERROR", "ONLINE"}, []string{"net/b"}},
		"one not checked yet":      {[]string{"ONLINE", "OFFLINE"}, []string{"net/b"}},
		"nothing is checked":       {[]string{"NO_MONITOR", "NO_MONITOR"}, nil},
		"nothing is said":          {[]string{"OFFLINE", "OFFLINE"}, nil},
		"all of them are down":     {[]string{"ERROR", "ERROR"}, nil},
		"drained beside a healthy": {[]string{"ONLINE", "DRAINING"}, []string{"net/b"}},
	} {
		pool := &Pool{}
		for i, status := range tt.statuses {
			m := &Member{Address: string(rune('a' + i)), SubnetID: "net"}
			m.OperatingStatus = status
			pool.Members = append(pool.Members, m)
		}
		if got := (&Balancer{Pools: []*Pool{pool}}).unwell(); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

func TestHowLongAHealthMonitorTakesToNotice(t *testing.T) {
	slow := &HealthMonitor{AdminStateUp: true, Delay: 10, Timeout: 5, Retries: 2, RetriesDown: 3}
	off := &HealthMonitor{Delay: 100, Timeout: 5, Retries: 2}
	for want, pools := range map[time.Duration][]*Pool{0: {{}, {Monitor: off}}, 35 * time.Second: {{Monitor: slow}, {Monitor: off}, {}}} {
		if got := (&Balancer{Pools: pools}).lag(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
