package cloud_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/private"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

// A checkout may contain a clouds.yaml with an address of an attacker. The credentials must not be
// sent there.
func TestAttackCloudsInACheckout(t *testing.T) {
	server := start(t, simulator.Options{})
	evil := start(t, simulator.Options{})
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	own := string(server.CloudsYAML())
	write(t, filepath.Join(home, "openstack", "clouds.yaml"), own)
	write(t, ".git/HEAD", "ref: refs/heads/main")

	if _, err := cloud.Open(t.Context(), cloud.Config{Cloud: "demo"}); err != nil {
		t.Fatalf("nothing is in the checkout: %v", err)
	}
	for _, file := range []string{"clouds.yaml", "clouds-public.yaml"} {
		write(t, file, strings.ReplaceAll(own, server.URL, evil.URL))
		_, err := cloud.Open(t.Context(), cloud.Config{Cloud: "demo"})
		if err == nil || !strings.Contains(private.Text(err), file+" in the working directory is not read") || !strings.Contains(private.Text(err), "everybody who can push") {
			t.Errorf("%s: %v", file, err)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(evil.Requests()); n > 0 {
		t.Errorf("the stranger was asked %d times", n)
	}
	write(t, "clouds.yaml", own)
	t.Setenv("OS_CLIENT_CONFIG_FILE", "clouds.yaml")
	if _, err := cloud.Open(t.Context(), cloud.Config{Cloud: "demo"}); err != nil {
		t.Errorf("named, it is not read: %v", err)
	}
}

func TestAttackCloudsWithoutEnd(t *testing.T) {
	server := start(t, simulator.Options{})
	write(t, "clouds.yaml", string(server.CloudsYAML()))
	if err := syscall.Mkfifo("secure.yaml", 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := cloud.Open(t.Context(), cloud.Config{Cloud: "demo"}); err == nil || !strings.Contains(private.Text(err), "secure.yaml: not a regular file") {
		t.Errorf("a pipe: %v", err)
	}
	write(t, "elsewhere/large.yaml", "x")
	if err := os.Truncate("elsewhere/large.yaml", 1<<40); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"/dev/zero", "elsewhere/large.yaml"} {
		t.Setenv("OS_CLIENT_CONFIG_FILE", file)
		if _, err := cloud.Open(t.Context(), cloud.Config{Cloud: "demo"}); err == nil {
			t.Errorf("%s is read", file)
		}
	}
}
