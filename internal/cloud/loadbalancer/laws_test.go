package loadbalancer_test

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/cloud/loadbalancer"
	"github.com/stackreeve/stackreeve/internal/cloud/network"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

var key = manifest.Key{Group: define.WorkloadGroup, Kind: "LoadBalancer", Namespace: "default", Name: "front"}

const object = `
apiVersion: stackreeve.dev/v1alpha1
kind: LoadBalancer
metadata: {name: front}
spec:
  description: in front of the web servers
  tags: [web, blue]
  adminStateUp: true
  region: tokyo1
  zone: dev
  vipType: private
  serviceType: generic
  ports:
    - port: 80
      protocol: http
      algorithm: roundRobin
      allowedCidrs: [10.0.0.0/8, 192.168.0.0/16]
      timeouts: {client: 40000, memberConnect: 4000, member: 45000}
      realServers:
        protocol: http
        port: 8080
        addresses: [10.0.0.241, 10.0.0.242]
      monitors:
        - {protocol: http, port: 8081, endpoint: /alive, delay: 9, timeout: 4, retries: 2}
    - port: 5353
      protocol: udp
      realServers: {addresses: [10.0.0.243]}
`

// kinds are the load balancer, and what one with plain addresses depends on.
func kinds(c *cloud.Client, d defaults.Defaults) []kind.Kind {
	return []kind.Kind{network.Kind(c), loadbalancer.Kind(c, d)}
}

func TestLaws(t *testing.T) {
	kindtest.Suite{
		Kinds: kinds, Key: key, Object: object,
		Edits: []kindtest.Edit{
			{Field: "spec.description", Old: "in front of the web servers", New: "moved"},
			{Field: "spec.tags", Old: "[web, blue]", New: "[web, green]"},
			{Field: "spec.adminStateUp", Old: "adminStateUp: true", New: "adminStateUp: false"},
			{Field: "spec.vipType", Old: "vipType: private", New: "vipType: public", Replaces: true, PlanOnly: true},
			{Field: "spec.vipAddress", Old: "  vipType: private\n", New: "  vipType: private\n  vipAddress: 10.0.0.9\n", Replaces: true, PlanOnly: true},
			{Field: "spec.ports[0]", Old: "port: 80\n", New: "port: 81\n", Also: []string{"spec.ports"}},
			{Field: "spec.ports[1]", Old: "protocol: udp", New: "protocol: tcp", Also: []string{"spec.ports"}},
			{Field: "spec.ports[0].protocol", Old: "protocol: http\n      algorithm", New: "protocol: tcp\n      algorithm"},
			{Field: "spec.ports[0].algorithm", Old: "algorithm: roundRobin", New: "algorithm: leastConnections"},
			{Field: "spec.ports[0].allowedCidrs", Old: "[10.0.0.0/8, 192.168.0.0/16]", New: "[10.0.0.0/8]"},
			{Field: "spec.ports[0].timeouts.client", Old: "client: 40000", New: "client: 41000"},
			{Field: "spec.ports[0].timeouts.memberConnect", Old: "memberConnect: 4000", New: "memberConnect: 4100"},
			{Field: "spec.ports[0].timeouts.member", Old: "member: 45000", New: "member: 46000"},
			{Field: "spec.ports[0].realServers", Old: "        protocol: http\n", New: "        protocol: proxy\n", Also: []string{"spec.ports"}},
			{Field: "spec.ports[0].realServers", Old: "port: 8080", New: "port: 8090"},
			{Field: "spec.ports[0].realServers", Old: "[10.0.0.241, 10.0.0.242]", New: "[10.0.0.241, 10.0.0.244]"},
			{Field: "spec.ports[0].realServers", Old: "port: 8081", New: "port: 8082"},
			{Field: "spec.ports[0].monitors[0].protocol", Old: "{protocol: http, port: 8081, endpoint: /alive,", New: "{protocol: tcp, port: 8081,"},
			{Field: "spec.ports[0].monitors[0].endpoint", Old: "/alive", New: "/ready"},
			{Field: "spec.ports[0].monitors[0].delay", Old: "delay: 9", New: "delay: 8"},
			{Field: "spec.ports[0].monitors[0].timeout", Old: "timeout: 4", New: "timeout: 5"},
			{Field: "spec.ports[0].monitors[0].retries", Old: "retries: 2", New: "retries: 4"},
		},
	}.Run(t)
}
