package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
	"github.com/stackreeve/stackreeve/internal/session"
)

// debug returns the parent of the commands for finding a fault in the agent.
func (a *app) debug() *cobra.Command {
	cmd := &cobra.Command{Use: "debug", Short: "Look for a fault in the agent", Hidden: true, Args: exactly}
	past := &cobra.Command{
		Use:   "memory [STACK...]",
		Short: "Print the memory of stacks in --data-dir",
		RunE:  func(_ *cobra.Command, stacks []string) error { return a.printMemory(stacks) },
	}
	past.Flags().StringVar(&a.dataDir, "data-dir", os.Getenv("STACKREEVE_DATA_DIR"), "folder of the agent ($STACKREEVE_DATA_DIR)")
	cmd.AddCommand(past)
	return cmd
}

// printMemory prints the stored data of some stacks, or of all stacks.
func (a *app) printMemory(stacks []string) error {
	if a.dataDir == "" {
		return errors.New("without --data-dir, no memory is saved")
	}
	if len(stacks) == 0 {
		files, err := filepath.Glob(session.MemoryFile(a.dataDir, "*"))
		if err != nil {
			return err
		}
		for _, file := range files {
			stacks = append(stacks, strings.TrimSuffix(filepath.Base(file), ".json"))
		}
	}
	var failed error
	for _, stack := range slices.Sorted(slices.Values(stacks)) {
		m, err := memory.Open(session.MemoryFile(a.dataDir, stack), stack, time.Now())
		failed = errors.Join(failed, err)
		if _, err := fmt.Fprintf(a.out, "stack %s\n", stack); err != nil {
			return err
		}
		if err := m.Print(a.out); err != nil {
			return err
		}
	}
	return failed
}
