package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/stackreeve/stackreeve"

	"github.com/stackreeve/stackreeve/internal/demo"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

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
