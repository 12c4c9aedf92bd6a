package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve"
	"github.com/stackreeve/stackreeve/internal/demo"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

func (a *app) simulator() *cobra.Command {
	var listen, file string
	var options simulator.Options
	cmd := &cobra.Command{
		Use:   "simulator",
		Short: "Run an OpenStack in memory, for experiments and tests",
		Long: `Runs an OpenStack in memory that speaks the real HTTP APIs: gophercloud, the openstack client and Terraform's
provider can talk to it. All data is lost at its end. The users demo, demo2 and admin have projects and passwords
of the same names. Faults and latency are injected under /_simulator/, which explains itself.`,
		Args: exactly,
	}
	flags := cmd.Flags()
	flags.StringVar(&listen, "listen", "127.0.0.1:5000", "address to listen on")
	flags.StringVar(&file, "clouds-file", "", "file to write a clouds.yaml to")
	flags.DurationVar(&options.BuildDelay, "build-delay", 2*time.Second, "how long servers stay in BUILD")
	flags.DurationVar(&options.PendingDelay, "pending-delay", time.Second, "how long load balancers and DNS zones stay in PENDING states")
	flags.DurationVar(&options.TokenTTL, "token-ttl", 4*time.Hour, "how long tokens live")
	flags.BoolVar(&options.TagsOnCreate, "tags-on-create", false, "offer Neutron's extension tag-creation")
	flags.IntVar(&options.MaxPage, "max-page", 0, "largest page of a list; 0 means the default of each service")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return a.simulate(cmd.Context(), listen, file, options) }
	return cmd
}

func (a *app) simulate(ctx context.Context, listen, file string, options simulator.Options) error {
	server, err := simulator.Start(ctx, listen, options)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%w; choose another one with --listen, such as 127.0.0.1:5001", err)
	}
	if err != nil {
		return err
	}
	if file != "" {
		if err := os.WriteFile(file, server.CloudsYAML(), 0o600); err != nil {
			return err
		}
	}
	fmt.Fprintf(a.out, "OpenStack on %s (Keystone: %s/identity/v3)\n", server.URL, server.URL)
	if file != "" {
		fmt.Fprintf(a.out, "export OS_CLIENT_CONFIG_FILE=%s OS_CLOUD=demo\n", file)
	}
	return server.Wait()
}

func (a *app) demo() *cobra.Command {
	var serve bool
	var listen string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show a complete example on an embedded cloud and a local repository",
		Args:  exactly,
	}
	cmd.Flags().BoolVar(&serve, "serve", false, "keep the cloud and the agent running afterwards, for your own experiments")
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "address of the embedded cloud")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return a.perform(cmd.Context(), serve, listen) }
	return cmd
}

func (a *app) perform(ctx context.Context, serve bool, listen string) (err error) {
	example, err := stackreeve.Example("verda")
	if err != nil {
		return err
	}
	show := &demo.Show{Out: a.out, Example: example, Command: func(ctx context.Context, args ...string) int {
		return (&app{out: a.out, err: a.err}).execute(ctx, args)
	}}
	defer func() { err = errors.Join(err, show.Close()) }()
	if err := show.Stage(context.WithoutCancel(ctx), listen); err != nil {
		return err
	}
	if err := show.Play(ctx); err != nil {
		return err
	}
	if serve {
		show.Invite()
		if code := show.Serve(ctx); code != int(plan.InSync) && ctx.Err() == nil {
			return exit(code)
		}
		return nil
	}
	_, err = fmt.Fprintln(a.out, "\n# This is the end of the demo. `demo --serve` keeps everything running for your own experiments.")
	return err
}
