package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator"
)

// machines is how many machines the benchmark makes. Each has a port of its own and is a member of one load balancer.
const machines = 30

// BenchmarkSideBySide makes the same machines, ports and balancer with Stackreeve and with OpenTofu, and then lets both check that nothing has
// changed. Each command is a new process. Each tool has a simulator of its own, which answers after 20 ms. Memory is that of the
// started process alone, without OpenTofu's provider. STACKREEVE_BENCH_TOFU is a folder with tofu and terraform-provider-openstack;
// `.ci/terraform build` makes and prints it.
func BenchmarkSideBySide(b *testing.B) {
	b.Run("stackreeve", func(b *testing.B) { sideBySide(b, stackreeveProject) })
	b.Run("opentofu", func(b *testing.B) {
		programs := os.Getenv("STACKREEVE_BENCH_TOFU")
		if programs == "" {
			b.Skip("needs OpenTofu and its provider in STACKREEVE_BENCH_TOFU")
		}
		sideBySide(b, func(b *testing.B, s *stage) project { return tofuProject(b, s, programs) })
	})
}

// project has the commands of one tool: apply makes the objects, and check must find them unchanged.
type project struct{ apply, check func() *exec.Cmd }

func sideBySide(b *testing.B, of func(*testing.B, *stage) project) {
	b.Helper()
	var made, checked phase
	for b.Loop() {
		s := newStage(b, simulator.Options{BuildDelay: 5 * time.Second, PendingDelay: 5 * time.Second})
		if _, err := s.Server.AddFault(simulator.Fault{Delay: 20 * time.Millisecond}); err != nil {
			b.Fatal(err)
		}
		p := of(b, s)
		made.run(b, s, p.apply())
		checked.run(b, s, p.check())
	}
	made.report(b, "create")
	checked.report(b, "check")
	if checked.writes > 0 {
		b.Errorf("%d writes although nothing has changed", checked.writes)
	}
}

// phase are the figures of one command, as sums over all iterations.
type phase struct {
	usage
	took             time.Duration
	requests, writes int
}

func (f *phase) run(b *testing.B, s *stage, cmd *exec.Cmd) {
	b.Helper()
	s.Server.ResetRequests()
	began := time.Now()
	f.usage.run(b, cmd)
	f.took += time.Since(began)
	for _, r := range s.Server.Requests() {
		f.requests++
		if r.Write() {
			f.writes++
		}
	}
}

func (f *phase) report(b *testing.B, name string) {
	b.Helper()
	n := float64(b.N)
	b.ReportMetric(f.took.Seconds()/n, name+"-s/op")
	b.ReportMetric(float64(f.requests)/n, name+"-requests/op")
	b.ReportMetric(float64(f.writes)/n, name+"-writes/op")
	b.ReportMetric(f.cpu.Seconds()/n, name+"-cpu-s/op")
	b.ReportMetric(float64(f.peak)/1024, name+"-peak-MiB")
}

func stackreeveProject(b *testing.B, s *stage) project {
	b.Helper()
	docs := strings.SplitAfterN(thousand, "---\n", 3)
	balancer := `---
apiVersion: stackreeve.dev/v1alpha1
kind: LoadBalancer
metadata: {name: front}
spec:
  vipNetwork: machines
  ports: [{port: 80, protocol: http, realServers: {virtualMachineGroupRef: web, port: 8080}}]
`
	s.Write("repo/group.yaml", docs[0]+docs[1]+strings.Replace(docs[2], "1000", fmt.Sprint(machines), 1)+balancer)
	s.Commit()
	s.build()
	once := func() *exec.Cmd { return s.command("run", "--once") }
	return project{once, once}
}

const tofuMain = `
terraform {
  required_providers {
    openstack = { source = "terraform-provider-openstack/openstack" }
  }
}
provider "openstack" { cloud = "demo" }
data "openstack_images_image_v2" "os" { name = "centos79" }
data "openstack_compute_flavor_v2" "small" { name = "n3-1vcpu-2gb" }
resource "openstack_networking_network_v2" "machines" { name = "machines" }
resource "openstack_networking_subnet_v2" "machines" {
  name       = "machines"
  network_id = openstack_networking_network_v2.machines.id
  cidr       = "10.8.0.0/16"
}
resource "openstack_networking_port_v2" "web" {
  count      = %[1]d
  name       = "web-${count.index}"
  network_id = openstack_networking_network_v2.machines.id
  fixed_ip { subnet_id = openstack_networking_subnet_v2.machines.id }
}
resource "openstack_compute_instance_v2" "web" {
  count     = %[1]d
  name      = "web-${count.index}"
  image_id  = data.openstack_images_image_v2.os.id
  flavor_id = data.openstack_compute_flavor_v2.small.id
  user_data = "ls"
  network { port = openstack_networking_port_v2.web[count.index].id }
}
resource "openstack_lb_loadbalancer_v2" "front" {
  name          = "front"
  vip_subnet_id = openstack_networking_subnet_v2.machines.id
}
resource "openstack_lb_listener_v2" "front" {
  loadbalancer_id = openstack_lb_loadbalancer_v2.front.id
  protocol        = "HTTP"
  protocol_port   = 80
}
resource "openstack_lb_pool_v2" "front" {
  listener_id = openstack_lb_listener_v2.front.id
  protocol    = "HTTP"
  lb_method   = "ROUND_ROBIN"
}
resource "openstack_lb_members_v2" "front" {
  pool_id = openstack_lb_pool_v2.front.id
  dynamic "member" {
    for_each = openstack_networking_port_v2.web
    content {
      address       = member.value.all_fixed_ips[0]
      protocol_port = 8080
      subnet_id     = openstack_networking_subnet_v2.machines.id
    }
  }
}
`

func tofuProject(b *testing.B, s *stage, programs string) project {
	b.Helper()
	s.Write("tofu/main.tf", fmt.Sprintf(tofuMain, machines))
	s.Write("tofu.rc", fmt.Sprintf("provider_installation {\n  dev_overrides { \"terraform-provider-openstack/openstack\" = %q }\n  direct {}\n}\n", programs))
	tofu := func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(b.Context(), filepath.Join(programs, "tofu"), append([]string{"-chdir=" + s.Path("tofu")}, args...)...)
		cmd.Env = append(os.Environ(), "OS_CLIENT_CONFIG_FILE="+s.Path("clouds.yaml"), "TF_CLI_CONFIG_FILE="+s.Path("tofu.rc"), "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1")
		return cmd
	}
	return project{
		apply: func() *exec.Cmd { return tofu("apply", "-auto-approve", "-no-color") },
		check: func() *exec.Cmd { return tofu("plan", "-no-color", "-detailed-exitcode") },
	}
}
