package main

import (
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/stackreeve/stackreeve/internal/simulator/glance"
	"github.com/stackreeve/stackreeve/internal/simulator/nova"
)

// quota sets a quota of the project demo: SERVICE NAME LIMIT.
func (c *clouds) quota(ts *testscript.TestScript, _ bool, args []string) {
	limit, err := strconv.Atoi(args[2])
	ts.Check(err)
	cloud := c.of(ts).Cloud
	set := map[string]func(project, name string, limit int){"compute": cloud.Nova.SetQuota, "block-storage": cloud.Cinder.SetQuota,
		"network": cloud.Neutron.SetQuota, "load-balancer": cloud.Octavia.SetQuota, "dns": cloud.Designate.SetQuota}[args[0]]
	cloud.Do(func() { set(cloud.Keystone.ProjectID("demo"), args[1], limit) })
}

// role adds a role to the user demo in its project, or removes it: add|remove NAME.
func (c *clouds) role(ts *testscript.TestScript, _ bool, args []string) {
	cloud := c.of(ts).Cloud
	cloud.Do(func() {
		user, project := cloud.Keystone.UserID("demo"), cloud.Keystone.ProjectID("demo")
		if args[0] == "add" {
			cloud.Keystone.Grant(user, project, args[1])
		} else {
			cloud.Keystone.Revoke(user, project, args[1])
		}
	})
}

// asked expects "some" or "none": whether there were requests since its last call whose path contains a word.
func (c *clouds) asked(ts *testscript.TestScript, _ bool, args []string) {
	server := c.of(ts)
	n := 0
	for _, r := range server.Requests() {
		if strings.Contains(r.Path, args[0]) {
			n++
		}
	}
	server.ResetRequests()
	if (n > 0) != (args[1] == "some") {
		ts.Fatalf("%d requests have %q in their path, want %s", n, args[0], args[1])
	}
}

// image adds a public image: NAME MIN-DISK MIN-RAM [STATUS].
func (c *clouds) image(ts *testscript.TestScript, _ bool, args []string) {
	disk, err := strconv.Atoi(args[1])
	ts.Check(err)
	ram, err := strconv.Atoi(args[2])
	ts.Check(err)
	cloud := c.of(ts).Cloud
	cloud.Do(func() {
		made := cloud.Glance.Create(cloud.Keystone.ProjectID("admin"), glance.Spec{Name: args[0], DiskFormat: "raw", ContainerFormat: "bare", Visibility: "public", MinDisk: disk, MinRAM: ram}, []byte("x"))
		if len(args) > 3 {
			made.Status = args[3]
		}
	})
}

// upload adds an image that was made some minutes ago: NAME MINUTES [VISIBILITY [own|stranger [STATUS]]]. With a count after *, it adds that many.
func (c *clouds) upload(ts *testscript.TestScript, _ bool, args []string) {
	name, text, _ := strings.Cut(args[0], "*")
	count, _ := strconv.Atoi(text)
	minutes, err := strconv.Atoi(args[1])
	ts.Check(err)
	args = append(args, []string{"", "", "public", "own", "active"}[len(args):]...)
	cloud := c.of(ts).Cloud
	cloud.Do(func() {
		owner := cloud.Keystone.ProjectID("demo")
		if args[3] == "stranger" {
			owner = "feedfacefeedfacefeedfacefeedface"
		}
		for n := range max(count, 1) {
			made := cloud.Glance.Create(owner, glance.Spec{Name: name + strings.Repeat("x", min(n, 1)), DiskFormat: "raw", ContainerFormat: "bare", Visibility: args[2]}, []byte("x"))
			made.Created, made.Status = made.Created.Add(-time.Duration(minutes)*time.Minute), args[4]
		}
	})
}

// flavor adds a public flavor: NAME CPUS RAM DISK.
func (c *clouds) flavor(ts *testscript.TestScript, _ bool, args []string) {
	var sizes [3]int
	for i := range sizes {
		n, err := strconv.Atoi(args[i+1])
		ts.Check(err)
		sizes[i] = n
	}
	cloud := c.of(ts).Cloud
	cloud.Do(func() {
		cloud.Nova.AddFlavor(nova.Flavor{ID: args[0], Name: args[0], VCPUs: sizes[0], RAM: sizes[1], Disk: sizes[2]})
	})
}
