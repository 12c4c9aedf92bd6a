package etcdcluster_test

import (
	"errors"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
)

// disk is the data volume of a machine, as the processes of that machine see it.
type disk struct {
	t       *testing.T
	machine string // the ID of the machine's init process
	path    string
}

// sh runs a script on the machine, in the folder of the disk.
func (d disk) sh(script string) {
	d.t.Helper()
	out, err := exec.CommandContext(d.t.Context(), "nsenter", "--target", d.machine, "--mount", "--pid", "sh", "-ec", "cd "+d.path+"\n"+script).CombinedOutput()
	if err != nil {
		d.t.Fatalf("%s: %v: %s", script, err, out)
	}
}

// smallDisk moves a member's data to a disk of 220 MiB that is nearly full. On it, etcd has already allocated two files
// of 64 MiB for its next entries.
func (f *fixture) smallDisk(address string) disk {
	f.t.Helper()
	pid, args := process(address)
	init, err := exec.CommandContext(f.t.Context(), "ps", "-o", "ppid=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		f.t.Fatal(err)
	}
	d := disk{f.t, strings.TrimSpace(string(init)), args[slices.Index(args, "--data-dir")+1]}
	d.exchange(pid, "mkdir /run/small\nmount -t tmpfs -o size=220m small /run/small\ncp -a . /run/small\nmount --bind /run/small "+d.path)
	return d
}

// back moves the data of the member at an address back to the volume.
func (d disk) back(address string) {
	d.t.Helper()
	pid, _ := process(address)
	d.exchange(pid, "umount --lazy "+d.path+"\ncd "+d.path+"\nrm -rf ./*\ncp -a /run/small/. .")
}

// exchange stops etcd, runs a script, and lets etcd start again.
func (d disk) exchange(pid int, script string) {
	d.t.Helper()
	for _, signal := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGKILL} {
		if err := syscall.Kill(pid, signal); err != nil {
			d.t.Fatal(err)
		}
		if signal == syscall.SIGSTOP {
			d.sh(script)
		}
	}
}

// If the disk of a member is full, etcd exits again and again. The other members answer, and no machine is changed. When
// there is space again, the member continues.
func TestRealClustersWithAFullDisk(t *testing.T) {
	f := newFixture(t, "3.5.35", "3.6.16")
	f.Only(cluster(f.size, "3.5.35"))
	mustSync(t, f.Target, cluster(f.size, "3.5.35"))
	c := write(t, f.healthy())
	list := f.healthy()

	d := f.smallDisk(list[1])
	f.healthy()
	d.sh("head -c 220M /dev/zero > filler || true")
	n := 0
	kindtest.Await(f.t, long, soon, func() error {
		for range 10 { // in total as much as etcd has allocated
			value := encoded(strings.Repeat("x", 1<<20))
			if err := c.ask(t.Context(), list[0], "kv/put", map[string]string{"key": encoded("large-" + strconv.Itoa(n%4)), "value": value}, &struct{}{}); err != nil {
				return err
			}
			n++
		}
		if f.member(list[1]) == nil {
			return errors.New("it still serves")
		}
		return nil
	})
	t.Logf("the member ends after %d MiB", n)
	f.stays(cluster(f.size, "3.6.16"), "a disk is full")
	c.judge(t)

	d.sh("rm filler")
	f.healthy()
	d.back(list[1])
	f.healthy()
	mustSync(t, f.Target, cluster(f.size, "3.6.16"))
	f.healthy()
	c.judge(t)
}
