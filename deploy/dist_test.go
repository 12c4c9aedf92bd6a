package deploy

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// dist returns the folder with the results of `make dist`. Only `make test-dist` sets it, because building takes
// minutes.
func dist(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("STACKREEVE_TEST_DIST")
	if dir == "" {
		t.Skip("`make test-dist` builds what this looks at")
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join("..", dir)
	}
	return dir
}

// artifacts returns the files of dist that match the pattern. There must be at least one.
func artifacts(t *testing.T, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dist(t), pattern))
	if err != nil || len(names) == 0 {
		t.Fatalf("dist holds nothing like %s: %v", pattern, err)
	}
	return names
}

// command runs a packaging tool, which must be installed.
func command(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// TestDistChecksums checks that SHA256SUMS lists exactly the artifacts.
func TestDistChecksums(t *testing.T) {
	dir := dist(t)
	sums := map[string]string{}
	for line := range strings.Lines(read(t, filepath.Join(dir, "SHA256SUMS"))) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		sums[name] = sum
	}
	for _, file := range artifacts(t, "stackreeve*") {
		got := sha256.Sum256([]byte(read(t, file)))
		if name := filepath.Base(file); sums[name] != hex.EncodeToString(got[:]) {
			t.Errorf("SHA256SUMS has %q for %s", sums[name], name)
		}
		delete(sums, filepath.Base(file))
	}
	if len(sums) > 0 {
		t.Errorf("SHA256SUMS names what is not there: %v", sums)
	}
}

// TestDistArchives opens each archive. It checks the binary of its platform,
// which must be small enough and static, and the bill of materials.
func TestDistArchives(t *testing.T) {
	for _, file := range artifacts(t, "*.tar.gz") {
		name := strings.TrimSuffix(filepath.Base(file), ".tar.gz")
		t.Run(name, func(t *testing.T) {
			into := t.TempDir()
			command(t, "tar", "-xzf", file, "-C", into)
			root := filepath.Join(into, name)
			for _, want := range []string{"LICENSE", "README.md", "CHANGELOG.md", "stackreeve.example.yaml"} {
				read(t, filepath.Join(root, want))
			}
			parts := strings.Split(name, "_")
			platform := parts[len(parts)-2] + "/" + parts[len(parts)-1]
			binary := filepath.Join(root, "stackreeve")
			checkBinary(t, binary, platform)
			checkBill(t, binary, strings.TrimSuffix(file, ".tar.gz")+".cdx.json")
			if strings.HasPrefix(platform, "linux/") {
				static(t, binary)
				checkUnits(t, filepath.Join(root, "systemd"), "/usr/local/bin/")
			}
		})
	}
}

func checkBinary(t *testing.T, binary, platform string) {
	t.Helper()
	info, err := os.Stat(binary)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > 64_000_000 || info.Mode().Perm() != 0o755 {
		t.Errorf("the binary has %d bytes and the mode %s; at most 64 MB and 0755 are promised", info.Size(), info.Mode())
	}
	build, err := buildinfo.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string]string{}
	for _, s := range build.Settings {
		settings[s.Key] = s.Value
	}
	if got := settings["GOOS"] + "/" + settings["GOARCH"]; got != platform || settings["CGO_ENABLED"] != "0" {
		t.Errorf("the binary is for %s with CGO_ENABLED=%s, the archive is called %s", got, settings["CGO_ENABLED"], platform)
	}
}

// checkBill checks that the bill of materials lists exactly the modules of the binary, with their versions.
func checkBill(t *testing.T, binary, file string) {
	t.Helper()
	var bill struct {
		BOMFormat string
		Metadata  struct {
			Component struct{ Name, Version string }
		}
		Components []struct{ Name, Version string }
	}
	if err := json.Unmarshal([]byte(read(t, file)), &bill); err != nil {
		t.Fatal(err)
	}
	build, err := buildinfo.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, m := range build.Deps {
		want = append(want, m.Path+" "+m.Version)
	}
	for _, c := range bill.Components {
		if c.Name != "std" { // the toolchain, which is no module
			got = append(got, c.Name+" "+c.Version)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if bill.BOMFormat != "CycloneDX" || bill.Metadata.Component.Name != build.Main.Path || len(want) < 10 || !slices.Equal(got, want) {
		t.Errorf("%s lists for %q\n%s\nthe binary is made of\n%s", filepath.Base(file), bill.Metadata.Component.Name, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// checkUnits checks that the units equal those of this folder, except for the path of the binary.
func checkUnits(t *testing.T, dir, bin string) {
	t.Helper()
	for _, unit := range []string{"stackreeve.service", "stackreeve-once.service", "stackreeve-once.timer"} {
		want := strings.ReplaceAll(read(t, "systemd/"+unit), "/usr/local/bin/", bin)
		if got := read(t, filepath.Join(dir, unit)); got != want {
			t.Errorf("%s is not deploy/systemd's with the binary in %s", unit, bin)
		}
	}
}

// packaged contains the files of a package, with their mode and owner.
var packaged = []string{
	"-rwxr-xr-x root/root /usr/bin/stackreeve",
	"-rw-r--r-- root/root /usr/lib/systemd/system/stackreeve.service",
	"-rw-r--r-- root/root /usr/lib/systemd/system/stackreeve-once.service",
	"-rw-r--r-- root/root /usr/lib/systemd/system/stackreeve-once.timer",
	"drwxr-xr-x root/root /etc/stackreeve",
	"drwx------ root/root /etc/stackreeve/secrets",
	"-rw-r--r-- root/root /usr/share/doc/stackreeve/stackreeve.example.yaml",
	"-rw-r--r-- root/root /usr/share/doc/stackreeve/stackreeve.cron",
	"-rw-r--r-- root/root /usr/share/doc/stackreeve/copyright",
}

// TestDistDeb unpacks each .deb and runs the binary for this machine.
func TestDistDeb(t *testing.T) {
	for _, file := range artifacts(t, "*.deb") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			info := command(t, "dpkg-deb", "--info", file)
			for _, want := range []string{"Package: stackreeve", "Recommends: ca-certificates", "Homepage: https://github.com/stackreeve/stackreeve", "postinst", "prerm"} {
				if !strings.Contains(info, want) {
					t.Errorf("`dpkg-deb --info` says nothing of %q:\n%s", want, info)
				}
			}
			if strings.Contains(info, "Depends:") && !strings.Contains(info, "Recommends:") {
				t.Error("a static binary depends on a package")
			}
			var list []string
			for line := range strings.Lines(command(t, "dpkg-deb", "-c", file)) {
				if f := strings.Fields(line); len(f) > 5 {
					list = append(list, f[0]+" "+f[1]+" "+strings.TrimSuffix(strings.TrimPrefix(f[5], "."), "/"))
				}
			}
			for _, want := range packaged {
				if !slices.Contains(list, want) {
					t.Errorf("it has no %s among\n%s", want, strings.Join(list, "\n"))
				}
			}
			into := t.TempDir()
			command(t, "dpkg-deb", "-x", file, into)
			checkUnits(t, filepath.Join(into, "usr/lib/systemd/system"), "/usr/bin/")
			if read(t, filepath.Join(into, "usr/share/doc/stackreeve", example)) != read(t, example) {
				t.Error("its example is not deploy's")
			}
			runs(t, file, filepath.Join(into, "usr/bin/stackreeve"))
		})
	}
}

// runs starts the binary if it is built for this machine. The name of the
// package must contain the version that the binary prints.
func runs(t *testing.T, file, binary string) {
	t.Helper()
	machine := map[string]string{"x86_64": "amd64", "aarch64": "arm64"}[strings.TrimSpace(command(t, "uname", "-m"))]
	if !strings.Contains(file, machine) {
		return
	}
	said := strings.Fields(output(t, binary, "version"))
	called := regexp.MustCompile(`stackreeve_([0-9.]+)`).FindStringSubmatch(filepath.Base(file))
	if len(said) < 2 || called == nil || !strings.HasPrefix(said[1], "v"+called[1]) {
		t.Errorf("%s holds %v", filepath.Base(file), said)
	}
	output(t, binary, "validate", example)
}

// TestDistRPM checks the files of each .rpm.
func TestDistRPM(t *testing.T) {
	if _, err := exec.LookPath("rpm"); err != nil {
		t.Skip("rpm is not installed")
	}
	for _, file := range artifacts(t, "*.rpm") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			have := command(t, "rpm", "-qp", "--nodigest", "--nosignature", "--qf", "[%{FILEMODES:perms} %{FILEUSERNAME}/%{FILEGROUPNAME} %{FILENAMES}\n]", file)
			for _, want := range packaged {
				if !strings.Contains(have, want+"\n") {
					t.Errorf("it has no %s among\n%s", want, have)
				}
			}
			scripts := command(t, "rpm", "-qp", "--nodigest", "--nosignature", "--scripts", file)
			for _, want := range []string{"daemon-reload", "disable --now"} {
				if !strings.Contains(scripts, want) {
					t.Errorf("its scripts do not say %q", want)
				}
			}
			if arch := strings.TrimSpace(command(t, "rpm", "-qp", "--nodigest", "--nosignature", "--qf", "%{ARCH}", file)); !strings.Contains(file, arch) {
				t.Errorf("it is for %s", arch)
			}
		})
	}
}

// TestDistIsWhole checks that all downloads in the README exist, for every platform that was requested.
func TestDistIsWhole(t *testing.T) {
	dir := dist(t)
	for _, file := range artifacts(t, "*.tar.gz") {
		name := strings.TrimSuffix(filepath.Base(file), ".tar.gz")
		if _, err := os.Stat(filepath.Join(dir, name+".cdx.json")); err != nil {
			t.Error(err)
		}
	}
	linux := len(artifacts(t, "*_linux_*.tar.gz"))
	for _, kind := range []string{"deb", "rpm"} {
		if n := len(artifacts(t, "*."+kind)); n != linux {
			t.Errorf("%d .%s for %d platforms of Linux", n, kind, linux)
		}
	}
}

// TestDistNames checks that the files have the names under which the documentation offers them.
func TestDistNames(t *testing.T) {
	var have []string
	for _, file := range artifacts(t, "stackreeve*") {
		have = append(have, filepath.Base(file))
	}
	named := regexp.MustCompile(`stackreeve[-_](?:VERSION|1\.2\.3|\$\{VERSION\})[-_.\w]*\.(?:deb|rpm|tar\.gz)`)
	count := 0
	for _, page := range []string{"../README.md", "../docs/deploy.md", "../docs/ci.md"} {
		for _, name := range named.FindAllString(read(t, page), -1) {
			count++
			pattern := regexp.MustCompile(`VERSION|1\\\.2\\\.3|\\\$\\\{VERSION\\\}`).ReplaceAllString(regexp.QuoteMeta(name), `[0-9]+.*`)
			if !slices.ContainsFunc(have, regexp.MustCompile("^"+pattern+"$").MatchString) {
				t.Errorf("%s names %s; there are %v", page, name, have)
			}
		}
	}
	if count < 5 {
		t.Errorf("only %d names were found", count)
	}
}
