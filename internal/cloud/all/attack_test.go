package all_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/decide"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// These tests measure the work that a large commit or pull request causes. Costs
// are counted in bytes and objects.

// groups returns the manifests of n groups of machines in one file.
func groups(n, replicas int, script string) fs.FS {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "---\napiVersion: stackreeve.dev/v1alpha1\nkind: VirtualMachineGroup\nmetadata: {name: g%d}\nspec:\n  replicas: %d\n"+
			"  template:\n    image: debian\n    flavor: small\n    securityGroups: [a, b]\n    initScript: {value: %q}\n", i, replicas, script)
	}
	return file(b.String())
}

func file(text string) fs.FS { return fstest.MapFS{"a.yaml": {Data: []byte(text)}} }

func reader(b resolve.Bounds) resolve.Reader {
	return resolve.Reader{Kinds: all.Kinds(nil, defaults.Defaults{Network: "n"}), Bounds: b}
}

// refused reads files that exceed a limit. It wants an error with all of the values, and returns the memory, in MiB, that was allocated until then.
func refused(t *testing.T, bounds resolve.Bounds, files fs.FS, values ...string) (total int64) {
	t.Helper()
	var err error
	total = testcost.Allocated(func() { _, err = reader(bounds).Read(t.Context(), files) }) >> 20
	if err == nil || len(err.Error()) > 100_000 || slices.ContainsFunc(values, func(v string) bool { return !strings.Contains(err.Error(), v) }) {
		t.Errorf("got %.2000v\nwant %q", err, values)
	}
	return total
}

func TestAttackGroups(t *testing.T) {
	testcost.Long(t) // 20,000 objects are made from manifests before the limit refuses the rest
	if total := refused(t, resolve.Bounds{}, groups(300, 1000, ""), "VirtualMachineGroup/g6: ", " 20000 objects", "spec.limits.objects"); total > 450 {
		t.Errorf("900,000 objects took %d MiB", total)
	}
	// The limit is checked for all machines of a group before the first one is
	// made.
	if total := refused(t, resolve.Bounds{Objects: 500}, groups(300, 1000, ""), "VirtualMachineGroup/g0: ", " 500 objects"); total > 16 {
		t.Errorf("one group too many took %d MiB", total)
	}
}

func TestAttackGroupsInAPullRequest(t *testing.T) {
	base, err := reader(resolve.Bounds{}).Read(t.Context(), groups(1, 100, ""))
	if err != nil || base.Size.Objects != 307 {
		t.Fatalf("%d objects, %v", base.Size.Objects, err)
	}
	bounds := resolve.Bounds{}.ForPull(base.Size, 0)
	total := refused(t, bounds, groups(300, 1000, ""), " 1307 objects", " 307; ", "spec.limits.pullObjects")
	if total > 32 {
		t.Errorf("it took %d MiB", total)
	}
	if _, err := reader(bounds).Read(t.Context(), groups(4, 100, "")); err != nil {
		t.Errorf("four times what a small branch has: %v", err)
	}
	// A pull request may double a large branch, but may never exceed the stack's
	// own limit.
	for _, c := range []struct{ branch, stack, want int }{{0, 20_000, 1000}, {3000, 20_000, 6000}, {15_000, 20_000, 20_000}, {10, 300, 300}} {
		if got := (resolve.Bounds{Objects: c.stack}).ForPull(resolve.Size{Objects: c.branch}, 0).Objects; got != c.want {
			t.Errorf("a branch of %d in a stack of %d allows %d, want %d", c.branch, c.stack, got, c.want)
		}
	}
}

// TestAttackLargestStack measures the largest stack that is allowed.
func TestAttackLargestStack(t *testing.T) {
	testcost.NotUnderRace(t)
	testcost.Long(t)
	for _, c := range []struct {
		name         string
		files        fs.FS
		objects      int
		total, stays int64
	}{
		{"groups", groups(6, 1000, ""), 18_000, 480, 68},
		{"groups with the longest script", groups(2, 1000, strings.Repeat("x", 48_000)), 6_000, 1400, 30},
		{"documents", documents(20_000), 20_000, 800, 68},
	} {
		t.Run(c.name, func(t *testing.T) {
			var reading resolve.Reading
			var planned plan.Plan
			total, live := testcost.AllocatedAndKept(func() {
				var err error
				if reading, err = reader(resolve.Bounds{}).Read(t.Context(), c.files); err != nil {
					t.Fatal(err)
				}
				have := kind.Snapshot{}
				for _, k := range all.Kinds(nil, defaults.Defaults{}) {
					have[k.Info.Kind] = kind.Collection{}
				}
				planned = decide.Compute(world.Input{Stack: "s", Kinds: all.Kinds(nil, defaults.Defaults{}), Want: reading.Want, Have: have})
			})
			total, live = total>>20, live>>20
			if len(reading.Want) < c.objects || total > c.total || live > c.stays {
				t.Errorf("%d objects took %d MiB in all and keep %d, want at most %d and %d", len(reading.Want), total, live, c.total, c.stays)
			}
			runtime.KeepAlive(planned)
		})
	}
}

func documents(n int) fs.FS {
	files := fstest.MapFS{}
	for i := range n {
		name := fmt.Sprintf("%d.yaml", i/1000)
		if files[name] == nil {
			files[name] = &fstest.MapFile{}
		}
		files[name].Data = fmt.Appendf(files[name].Data, "---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: SecurityGroup\nmetadata: {name: g%d}\nspec:\n  resource:\n"+
			"    description: some words\n    rules:\n    - direction: ingress\n      protocol: tcp\n      portRange: {min: 22, max: 22}\n      remoteIPPrefix: 10.0.0.0/8\n      ethertype: IPv4\n", i)
	}
	return files
}

// TestAttackManyValues: a value that is written once in a template counts again for each machine.
func TestAttackManyValues(t *testing.T) {
	var b strings.Builder
	b.WriteString("apiVersion: stackreeve.dev/v1alpha1\nkind: VirtualMachineGroup\nmetadata: {name: g}\nspec:\n  replicas: 1000\n  template:\n    image: debian\n    flavor: small\n    metadata:\n")
	for i := range 20_000 {
		fmt.Fprintf(&b, "      k%d: v\n", i)
	}
	if total := refused(t, resolve.Bounds{}, file(b.String()), "VirtualMachineGroup/g: ", " 2000000 values"); total > 100 {
		t.Errorf("it took %d MiB", total)
	}
}

// TestAttackMembers: a load balancer has a member for each machine of a group at each port, and all
// of them count.
func TestAttackMembers(t *testing.T) {
	var b strings.Builder
	b.WriteString("apiVersion: stackreeve.dev/v1alpha1\nkind: VirtualMachineGroup\nmetadata: {name: g}\nspec: {replicas: 1000, template: {image: debian, flavor: small}}\n" +
		"---\napiVersion: stackreeve.dev/v1alpha1\nkind: LoadBalancer\nmetadata: {name: lb}\nspec:\n  ports:\n")
	for i := range 5000 {
		fmt.Fprintf(&b, "  - {port: %d, protocol: tcp, realServers: {virtualMachineGroupRef: g}}\n", i+1)
	}
	if total := refused(t, resolve.Bounds{}, file(b.String()), "LoadBalancer/lb: ", " 400000 references"); total > 200 {
		t.Errorf("it took %d MiB", total)
	}
}

// TestAttackProblems: the report of problems is bounded, however many there are.
func TestAttackProblems(t *testing.T) {
	testcost.NotUnderRace(t)
	testcost.Long(t)
	var monitors, missing, secrets, names strings.Builder
	monitors.WriteString("apiVersion: stackreeve.dev/v1alpha1\nkind: LoadBalancer\nmetadata: {name: lb}\nspec:\n  ports:\n  - port: 1\n    protocol: udp\n    realServers: {addresses: [10.0.0.1]}\n    monitors:\n")
	for range 12_000 {
		monitors.WriteString("    - {protocol: https, endpoint: /, delay: 1}\n")
	}
	for i := range 5_000 {
		name := fmt.Sprintf("%s%05d", strings.Repeat("n", 200), i)
		fmt.Fprintf(&missing, "---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Subnet\nmetadata: {name: %s}\nspec: {resource: {networkRef: %sx, ipVersion: 4, cidr: 10.0.0.0/24}}\n", name, name)
		fmt.Fprintf(&names, "---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: %s}\nspec: {resource: {}}\n", name)
		fmt.Fprintf(&secrets, "---\napiVersion: stackreeve.dev/v1alpha1\nkind: VirtualMachine\nmetadata: {name: v%d}\nspec: {image: i, flavor: f, initScript: {secretRef: {name: s%d, key: k}}}\n", i, i)
	}
	half := names.String()[:strings.LastIndex(names.String()[:1<<20], "---\n")]
	long := "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Subnet\nmetadata: {name: s}\nspec: {resource: {networkRef: " + strings.Repeat("n", 3<<20) + ", ipVersion: 4, cidr: 10.0.0.0/24}}\n"
	called := "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: " + strings.Repeat("n", 3<<20) + "}\nspec: {resource: {a: 1, b: 2}}\n"
	for _, c := range []struct {
		name, want string
		files      fs.FS
		most       int
		total      int64
	}{
		{"of one object", "more problems", file(monitors.String()), 101, 150},
		{"of references", " 1000 problems", fstest.MapFS{"a.yaml": {Data: []byte(missing.String())}, "b.yaml": {Data: []byte(half)}}, 1001, 500},
		{"of secrets", " 1000 problems", file(secrets.String()), 1001, 500},
		{"with a long reference", "refers to Network/\"nnn", file(long), 1, 100},
		{"with a long name", "metadata.name: \"nnn", file(called), 3, 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			var err error
			total := testcost.Allocated(func() { _, err = reader(resolve.Bounds{}).Read(t.Context(), c.files) }) >> 20
			var problems manifest.Problems
			if !errors.As(err, &problems) || len(problems) > c.most {
				t.Errorf("%d problems, want at most %d", len(problems), c.most)
			}
			var reported strings.Builder
			for _, p := range problems {
				reported.WriteString(p.String() + "\n")
			}
			text := reported.String()
			if total > c.total {
				t.Errorf("it took %d MiB, want at most %d", total, c.total)
			}
			if !strings.Contains(text, c.want) || len(text) > 2<<20 {
				t.Errorf("%d bytes: %.500s\nwant %s", len(text), text, c.want)
			}
			if printed := err.Error(); len(printed) > 200_000 {
				t.Errorf("%d bytes are printed", len(printed))
			}
		})
	}
}

func TestAttackData(t *testing.T) {
	large := func(size int) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  run: echo\n  rest: " + strings.Repeat("x", size) + "\n"
	}
	refused(t, resolve.Bounds{}, file(large(2<<20)), "ConfigMap/c: ", " 2097163 bytes", " 1 MiB")
	var b strings.Builder
	b.WriteString(large(1_000_000) + "---\napiVersion: stackreeve.dev/v1alpha1\nkind: VirtualMachineGroup\nmetadata: {name: g}\n" +
		"spec: {replicas: 1000, template: {image: debian, flavor: small, initScript: {configMapRef: {name: c, key: run}}}}\n")
	var err error
	total := testcost.Allocated(func() { _, err = reader(resolve.Bounds{}).Read(t.Context(), file(b.String())) }) >> 20
	if err != nil || total > 150 {
		t.Errorf("a thousand machines that refer to 1 MB took %d MiB, %v", total, err)
	}
}

func TestAttackAnnotations(t *testing.T) {
	with := func(value string) fs.FS {
		return file("apiVersion: stackreeve.dev/v1alpha1\nkind: VirtualMachineGroup\nmetadata: {name: g, annotations: {stackreeve.dev/ignore-fields: \"" + value + "\"}}\n" +
			"spec: {replicas: 1000, template: {image: debian, flavor: small}}\n")
	}
	if total := refused(t, resolve.Bounds{}, with(strings.Repeat("a,", 50_000)), "metadata.annotations[stackreeve.dev/ignore-fields]: ", " 100 fields"); total > 64 {
		t.Errorf("it took %d MiB", total)
	}
	if total := refused(t, resolve.Bounds{}, with(strings.Repeat("a", 1<<20)), "metadata.annotations: ", " 256 KiB"); total > 64 {
		t.Errorf("it took %d MiB", total)
	}
}

// stopping is a context that ends after its Err was called a given number of times.
type stopping struct {
	context.Context
	left, after int
}

func (s *stopping) Err() error {
	if s.left--; s.left >= 0 {
		return nil
	}
	s.after++
	return context.Canceled
}

// TestAttackStopped: every reader of large input can be stopped at any time. A reader checks its
// context before each object that it makes, and a few more times before it returns.
func TestAttackStopped(t *testing.T) {
	files := groups(6, 1000, "")
	for _, at := range []int{0, 1, 10, 1000, 30_000} {
		ctx := &stopping{Context: t.Context(), left: at}
		reading, err := reader(resolve.Bounds{}).Read(ctx, files)
		if !errors.Is(err, context.Canceled) || reading.Want != nil {
			t.Errorf("stopped after %d: %d objects, %v", at, len(reading.Want), err)
		}
		if ctx.after > 10 {
			t.Errorf("stopped after %d, it went on %d times", at, ctx.after)
		}
	}
}
