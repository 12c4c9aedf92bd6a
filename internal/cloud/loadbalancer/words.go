package loadbalancer

import (
	"strings"
)

// What Octavia calls what manifests say. (octavia_lib/common/constants.py)
var (
	octaviaProtocol = map[string]string{
		"http": "HTTP", "https": "HTTPS", "tcp": "TCP", "udp": "UDP", "sctp": "SCTP", "proxy": "PROXY", "proxyv2": "PROXYV2",
	}
	octaviaAlgorithm = map[string]string{
		"roundRobin": "ROUND_ROBIN", "leastConnections": "LEAST_CONNECTIONS", "sourceIP": "SOURCE_IP", "sourceIPPort": "SOURCE_IP_PORT",
	}
	octaviaMonitor = map[string]string{
		"http": "HTTP", "https": "HTTPS", "tcp": "TCP", "tls": "TLS-HELLO", "udp": "UDP-CONNECT", "sctp": "SCTP", "ping": "PING",
	}
)

// poolProtocols are what machines may speak, by what clients do.
// (octavia/common/constants.py: VALID_LISTENER_POOL_PROTOCOL_MAP)
var poolProtocols = map[string][]string{
	"http":  {"http", "proxy", "proxyv2"},
	"https": {"https", "tcp", "proxy", "proxyv2"},
	"tcp":   {"tcp", "http", "https", "proxy", "proxyv2"},
	"udp":   {"udp"},
	"sctp":  {"sctp"},
}

// monitorProtocols are how machines that speak so can be asked.
// (octavia/api/v2/controllers/health_monitor.py: _validate_healthmonitor_request_for_udp_sctp
// and its counterpart for other pools)
func monitorProtocols(spoken string) []string {
	if spoken == "udp" || spoken == "sctp" {
		return []string{"udp", "sctp", "tcp", "http"}
	}
	return []string{"http", "https", "tcp", "tls", "ping"}
}

// What Octavia assumes, or demands without assuming anything.
const (
	defaultDelay   = 5
	defaultTimeout = 3
	defaultRetries = 3
	retriesDown    = 3
	weight         = 1
	httpMethod     = "GET"
	expectedCodes  = "200"
)

// socket is what only one listener of a load balancer can have.
type socket struct {
	transport string
	port      int
}

// transport is what carries an Octavia protocol.
func transport(protocol string) string {
	if protocol == "UDP" || protocol == "SCTP" {
		return strings.ToLower(protocol)
	}
	return "tcp"
}

func list(words []string) string { return strings.Join(words, ", ") }
