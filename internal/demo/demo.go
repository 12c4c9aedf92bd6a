// Package demo shows a complete example on a machine without any preparation. It starts the simulator, makes a
// Git repository from an example, and runs the program's own commands, as a visitor would type them.
//
// It prepares the simulator and the repository, and makes changes in the cloud that the agent does not know
// about. The output is that of the real commands.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

// Show is one run of the demo.
type Show struct {
	// Out receives the visitor's output.
	Out io.Writer
	// Command runs one command of the program and returns its exit code.
	Command func(ctx context.Context, args ...string) int
	// Example contains the files of the repository.
	Example fs.FS

	dir    string
	repo   *repository
	server *simulator.Server
}

// Stage starts the cloud on listen ("127.0.0.1:0" for any port) and makes the repository, both in a new
// temporary folder. Close removes them.
func (s *Show) Stage(ctx context.Context, listen string) error {
	var err error
	if s.dir, err = os.MkdirTemp("", "stackreeve-demo-"); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	// builds and locks take a little time, as they do on a real cloud
	options := simulator.Options{BuildDelay: 2 * time.Second, PendingDelay: 700 * time.Millisecond}
	if s.server, err = simulator.Start(ctx, listen, options); err != nil {
		return err
	}
	if err := os.WriteFile(s.path("clouds.yaml"), s.server.CloudsYAML(), 0o600); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	if s.repo, err = newRepository(s.path("repo"), s.Example); err != nil {
		return err
	}
	if err = s.repo.commit("Two machines behind a load balancer"); err != nil {
		return err
	}
	if err := os.WriteFile(s.path("stackreeve.yaml"), []byte(config(s.repo.dir)), 0o644); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	return os.Setenv("OS_CLIENT_CONFIG_FILE", s.path("clouds.yaml"))
}

func (s *Show) path(name string) string { return filepath.Join(s.dir, name) }

func config(repo string) string {
	return `apiVersion: stackreeve.dev/v1alpha1
kind: Stack
metadata: {name: demo}
spec:
  source: {url: ` + repo + `, branch: main, poll: "@every 2s"}
  cloud: demo
  defaults:
    network: private
    vipNetworks: {private: private, public: public}
    regions: {tokyo1: RegionOne}
    zones: {dev: az-a}
    serviceTypes: {generic: ""}
  sync: {driftCheck: "@every 5s"}
`
}

// Close stops the cloud and removes the temporary folder.
func (s *Show) Close() error {
	var err error
	if s.server != nil {
		err = s.server.Close()
	}
	if s.dir != "" {
		err = errors.Join(err, os.RemoveAll(s.dir))
	}
	return err
}

// Play runs the example: from an empty cloud to a cloud that equals its repository.
func (s *Show) Play(ctx context.Context) error {
	scenes := []struct {
		say string
		do  func(context.Context) error
	}{
		{"A Git repository with three manifests, and an empty cloud. What would happen?", s.command(2, "plan")},
		{"Make it so.", s.command(0, "run", "--once")},
		{"Somebody deletes a machine behind our back …", s.deleteServer("virtualmachinegroup-sample-0")},
		{"… which is seen …", s.command(2, "plan")},
		{"… and corrected.", s.command(0, "run", "--once")},
		{"A commit asks for a third machine in the group.", s.scale},
		{"The load balancer follows in the same pass.", s.command(0, "run", "--once")},
		{"And now? Nothing is left to do, and nothing is written.", s.command(0, "run", "--once")},
	}
	for _, scene := range scenes {
		if _, err := fmt.Fprintf(s.Out, "\n# %s\n", scene.say); err != nil {
			return err
		}
		if err := scene.do(ctx); err != nil {
			return err
		}
	}
	return nil
}

// command returns a function that prints a command line and runs it. Its exit code must be want.
func (s *Show) command(want int, args ...string) func(context.Context) error {
	return func(ctx context.Context) error {
		s.prompt("stackreeve " + strings.Join(args, " "))
		if code := s.Command(ctx, append(args, "--config", s.path("stackreeve.yaml"))...); code != want {
			return fmt.Errorf("demo: stackreeve %s ended with exit code %d, want %d", strings.Join(args, " "), code, want)
		}
		return nil
	}
}

func (s *Show) prompt(line string) { _, _ = fmt.Fprintf(s.Out, "$ %s\n", line) }

// scale commits a third replica to the repository.
func (s *Show) scale(context.Context) error {
	if err := s.repo.edit("virtualmachinegroup.yaml", "replicas: 2", "replicas: 3"); err != nil {
		return err
	}
	s.prompt("sed -i 's/replicas: 2/replicas: 3/' virtualmachinegroup.yaml && git commit -qam 'A third machine'")
	return s.repo.commit("A third machine")
}

// deleteServer deletes a server, as anybody with credentials could, and waits until it is deleted.
func (s *Show) deleteServer(name string) func(context.Context) error {
	return func(ctx context.Context) error {
		s.prompt("openstack server delete --wait " + name)
		c, err := cloud.Open(ctx, cloud.Config{Cloud: "demo", File: s.path("clouds.yaml"), Version: "demo"})
		if err != nil {
			return err
		}
		for first := true; ; first = false {
			id, err := findServer(ctx, c, name)
			if err != nil || id == "" {
				return err
			}
			if first {
				if err := c.Do(ctx, cloud.Call{Service: cloud.Compute, Method: http.MethodDelete, Path: "servers/" + id}); err != nil {
					return err
				}
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(200 * time.Millisecond):
			}
		}
	}
}

func findServer(ctx context.Context, c *cloud.Client, name string) (id string, err error) {
	list, err := cloud.List[struct{ ID, Name string }](ctx, c, cloud.Call{Service: cloud.Compute, Path: "servers"}, "servers")
	for _, server := range list {
		if server.Name == name {
			return server.ID, err
		}
	}
	return "", err
}

// Invite prints commands that the visitor can try while the agent is running.
func (s *Show) Invite() {
	_, _ = fmt.Fprintf(s.Out, `
# The cloud and the agent keep running. Try them in another terminal:

  export OS_CLIENT_CONFIG_FILE=%[1]s OS_CLOUD=demo
  openstack server list                    # or any other OpenStack client
  openstack server delete vm-sample        # the agent makes it again
  cd %[2]s                                 # edit a manifest, git commit -am change: it follows
  stackreeve status --config %[3]s

Ctrl-C ends it and removes everything.

`, s.path("clouds.yaml"), s.repo.dir, s.path("stackreeve.yaml"))
}

// Serve runs the agent until ctx ends.
func (s *Show) Serve(ctx context.Context) int {
	return s.Command(ctx, "run", "--config", s.path("stackreeve.yaml"))
}
