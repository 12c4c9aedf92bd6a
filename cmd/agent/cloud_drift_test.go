package main

import (
	"fmt"
	"strings"
)

// deed is a change of an object that somebody makes with OpenStack's own client, and not with the program.
type deed struct {
	what     string
	object   string   // the object whose name the plan must show
	command  []string // the command that changes it
	repaired func() string
	want     string // the output of the command repaired, before the change and after the correction
}

// drift checks that plan notices each manual change and that run corrects it.
func (s story) drift() {
	s.commit(verdaWith("replicas: 1", besides)(s.t))
	s.wants(0, nil, "run", "--once")
	s.round("deleted", s.deletions())
	s.round("changed", s.changes())
	s.round("deleted beneath", s.holes())
	s.commit(verdaWith("replicas: 1", "")(s.t))
	s.wants(0, nil, "run", "--once", "--max-deletes", "3")
}

// round makes all changes. Then one plan must show each of them, and one pass must correct all of them.
func (s story) round(name string, deeds []deed) {
	s.t.Helper()
	for _, d := range deeds {
		if got := d.repaired(); got != d.want {
			s.t.Errorf("%s: it was %s before, want %s", d.what, got, d.want)
		}
		if _, err := s.client.do(append(d.command, silently(d.command)...)...); err != nil {
			s.t.Fatalf("%s: %v", d.what, err)
		}
		if d.repaired() == d.want {
			s.t.Errorf("%s: nothing happened", d.what)
		}
	}
	plan := s.wants(2, nil, "plan")
	run := s.agent("run", "--once")
	if run.code != 0 {
		s.t.Errorf("%s: the pass ended with %d:\n%s", name, run.code, run.said)
	}
	for _, d := range deeds {
		if !shows(plan.said, d.object) {
			s.t.Errorf("%s: no step for %s in\n%s", d.what, d.object, plan.said)
		}
		if got := d.repaired(); got != d.want {
			s.t.Errorf("%s: it is %s after the pass, want %s:\n%s", d.what, got, d.want, run.said)
		}
	}
	s.unchanged()
}

// silently returns the words with which a create command prints no table.
func silently(command []string) []string {
	for _, word := range command {
		if word == "create" {
			return []string{"-f", "json"}
		}
	}
	return nil
}

// shows reports whether a plan contains a step for the object. It is not enough that a plan mentions the object.
func shows(plan, object string) bool {
	for line := range strings.Lines(plan) {
		words := strings.Fields(line)
		if len(words) > 1 && words[1] == object && strings.Contains("+ ~ - ± !", words[0]) {
			return true
		}
	}
	return false
}

func (s story) deletions() []deed {
	listener := func() string { return fmt.Sprint(len(s.things("listeners", "loadbalancer-sample-80"))) }
	pool := s.thing("pools", "loadbalancer-sample-443").text("id")
	members := func() string { return fmt.Sprint(len(s.members(pool))) }
	rules := func() string { return fmt.Sprint(len(s.rules("web-sample"))) }
	tags := func() string {
		return fmt.Sprint(strings.Contains(s.show("security group show web-sample").text("tags"), "blue"))
	}
	tier := func() string {
		return fmt.Sprint(strings.Contains(s.show("server show tagged-sample").text("properties"), "gold"))
	}
	servers := func() string { return fmt.Sprint(len(s.things("servers", "vm-sample"))) }
	return []deed{
		{"a listener is deleted", "LoadBalancer/loadbalancer-sample", words("loadbalancer listener delete --wait loadbalancer-sample-80"), listener, "1"},
		{"a member is deleted", "LoadBalancer/loadbalancer-sample", append(words("loadbalancer member delete --wait"), pool, s.members(pool)[0].text("id")), members, "1"},
		{"a rule is deleted", "SecurityGroup/web-sample", append(words("security group rule delete"), s.rules("web-sample")[0].text("id")), rules, "1"},
		{"a tag is taken away", "SecurityGroup/web-sample", words("security group unset --tag blue web-sample"), tags, "true"},
		{"a metadata key is deleted", "Server/tagged-sample", words("server unset --property tier tagged-sample"), tier, "true"},
		{"a server is deleted", "Server/vm-sample", words("server delete --wait vm-sample"), servers, "1"},
	}
}

func (s story) changes() []deed {
	pool := s.thing("pools", "loadbalancer-sample-443").text("id")
	member := s.members(pool)[0].text("id")
	field := func(command, field string) func() string {
		return func() string { return s.show(command).text(field) }
	}
	rules := func() string { return fmt.Sprint(len(s.rules("web-sample"))) }
	metadata := func() string {
		return fmt.Sprint(strings.Contains(s.show("server show tagged-sample").text("properties"), "gold"))
	}
	tags := func() string {
		return fmt.Sprint(strings.Contains(s.show("security group show web-sample").text("tags"), "red"))
	}
	names := func() string { return fmt.Sprint(len(s.things("servers", "vm-sample-by-hand"))) }
	return []deed{
		{"a listener is changed", "LoadBalancer/loadbalancer-sample", words("loadbalancer listener set --wait --disable loadbalancer-sample-80"),
			field("loadbalancer listener show loadbalancer-sample-80", "admin_state_up"), "true"},
		{"a member is changed", "LoadBalancer/loadbalancer-sample", append(words("loadbalancer member set --wait --weight 7"), pool, member),
			field("loadbalancer member show "+pool+" "+member, "weight"), "1"},
		{"a rule is added", "SecurityGroup/web-sample", words("security group rule create --protocol tcp --dst-port 22 web-sample"), rules, "1"},
		{"a tag is added", "SecurityGroup/web-sample", words("security group set --tag red web-sample"), tags, "false"},
		{"a metadata key is changed", "Server/tagged-sample", words("server set --property tier=lead tagged-sample"), metadata, "true"},
		{"a port is changed", "Port/tagged-sample", words("port set --disable tagged-sample"), field("port show tagged-sample", "admin_state_up"), "true"},
		{"a server is renamed", "Server/vm-sample", words("server set --name vm-sample-by-hand vm-sample"), names, "0"},
	}
}

// holes returns deletions of objects on which others depend.
func (s story) holes() []deed {
	ports := func() string { return fmt.Sprint(len(s.things("ports", "tagged-sample"))) }
	pools := func() string { return fmt.Sprint(len(s.things("pools", "loadbalancer-sample-80"))) }
	monitors := func() string { return fmt.Sprint(len(s.things("health monitors", "loadbalancer-sample-443"))) }
	return []deed{
		{"a port is deleted", "Port/tagged-sample", words("port delete tagged-sample"), ports, "1"},
		{"a pool is deleted", "LoadBalancer/loadbalancer-sample", words("loadbalancer pool delete --wait loadbalancer-sample-80"), pools, "1"},
		{"a monitor is deleted", "LoadBalancer/loadbalancer-sample", words("loadbalancer healthmonitor delete --wait loadbalancer-sample-443"), monitors, "1"},
	}
}

func words(text string) []string { return strings.Fields(text) }

func (s story) show(command string) thing {
	s.t.Helper()
	return s.must(s.client.one(words(command)...))
}

func (s story) rules(group string) []thing {
	s.t.Helper()
	list, err := s.client.list("security", "group", "rule", "list", group)
	if err != nil {
		s.t.Fatal(err)
	}
	return list
}
