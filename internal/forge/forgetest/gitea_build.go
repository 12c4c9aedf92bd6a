package forgetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// giteaVersion is the version to build, and giteaSum is the hash that its source must have. Later
// versions cannot be built from the module proxy.
const (
	giteaModule  = "code.gitea.io/gitea"
	giteaVersion = "v1.26.0"
	giteaSum     = "h1:fJP9dqLbzKrKWUVnCVTfVersZdVDuyJQLEDzCAOmKKA="
)

// giteaBinary is a built Gitea. source is the folder of its source, from which it reads its
// templates.
type giteaBinary struct{ path, source string }

// buildGitea builds Gitea once for this machine, which takes some minutes and 150 MB. It needs a C
// compiler for SQLite.
func buildGitea(ctx context.Context) (giteaBinary, error) {
	cache, err := cacheDir()
	if err != nil {
		return giteaBinary{}, err
	}
	home := filepath.Join(cache, "gitea-"+giteaVersion)
	if err := os.MkdirAll(home, 0o755); err != nil {
		return giteaBinary{}, err
	}
	unlock, err := lock(filepath.Join(home, "lock"))
	if err != nil {
		return giteaBinary{}, fmt.Errorf("lock %s: %w", home, err)
	}
	defer unlock()
	source, err := download(ctx, home)
	if err != nil {
		return giteaBinary{}, err
	}
	binary := giteaBinary{path: filepath.Join(home, "gitea"), source: source}
	if _, err := os.Stat(binary.path); err == nil {
		return binary, nil
	}
	fresh := binary.path + ".new"
	defer os.Remove(fresh)
	args := []string{
		"build", "-trimpath", "-mod=readonly", "-buildvcs=false", "-tags", "sqlite sqlite_unlock_notify",
		"-ldflags", "-s -w -X main.Version=" + giteaVersion[1:], "-o", fresh, ".",
	}
	if _, err := runGo(ctx, source, args...); err != nil {
		return giteaBinary{}, fmt.Errorf("build Gitea: %w", err)
	}
	return binary, os.Rename(fresh, binary.path)
}

// cacheDir returns the folder for results that take a long time to make. The next run uses them
// again.
func cacheDir() (string, error) {
	if dir := os.Getenv("STACKREEVE_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "stackreeve"), err
}

// download makes sure that the source is in the module cache, and returns its folder.
func download(ctx context.Context, dir string) (string, error) {
	text, err := runGo(ctx, dir, "mod", "download", "-json", giteaModule+"@"+giteaVersion)
	if err != nil {
		return "", fmt.Errorf("download Gitea: %w", err)
	}
	var module struct{ Dir, Sum string }
	if err := json.Unmarshal(text, &module); err != nil {
		return "", fmt.Errorf("download Gitea: %w", err)
	}
	if module.Sum != giteaSum {
		return "", fmt.Errorf("download Gitea: the source has the hash %s, not %s", module.Sum, giteaSum)
	}
	return module.Dir, nil
}

// runGo runs the go command. The settings of the module under test do not affect it.
func runGo(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=1", "PWD="+dir)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil, fmt.Errorf("go %s: %w: %s", args[0], err, exit.Stderr)
	}
	return out, err
}
