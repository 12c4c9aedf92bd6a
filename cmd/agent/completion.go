package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/pattern"
)

// completions completes the values of flags that have a choice, in every command.
func (a *app) completions(root *cobra.Command) {
	fixed := map[string][]string{"log-format": {"text", "json"}, "drift": {"correct", "report"}, "replace": {"refuse", "allow"}, "forks": {"validate", "plan"}, "prune": {"true", "false"}}
	for _, cmd := range root.Commands() {
		complete := func(flag string, f cobra.CompletionFunc) {
			if cmd.Flags().Lookup(flag) != nil {
				_ = cmd.RegisterFlagCompletionFunc(flag, f) // it is registered once
			}
		}
		for flag, values := range fixed {
			complete(flag, cobra.FixedCompletions(slices.Clone(values), cobra.ShellCompDirectiveNoFileComp))
		}
		if output := cmd.Flags().Lookup("output"); output != nil {
			complete("output", cobra.FixedCompletions(listedIn(output.Usage), cobra.ShellCompDirectiveNoFileComp))
		}
		complete("stack", a.completeStacks)
		complete("kind", cobra.FixedCompletions(kindNames(), cobra.ShellCompDirectiveNoFileComp))
		for _, flag := range []string{"dir", "data-dir"} {
			if cmd.Flags().Lookup(flag) != nil {
				_ = cmd.MarkFlagDirname(flag) // it is there
			}
		}
		if cmd.Flags().Lookup("config") != nil {
			_ = cmd.MarkFlagFilename("config", "yaml", "yml", "json") // it is there
		}
	}
}

var enumeration = pattern.Of(`^([a-z]+)((?:, [a-z]+)*),? or ([a-z]+)`)

// listedIn are the values that the usage of a flag begins with, as in "text, json
// or yaml".
func listedIn(usage string) []string {
	m := enumeration.FindStringSubmatch(usage)
	if m == nil {
		return nil
	}
	return strings.FieldsFunc(m[1]+m[2]+","+m[3], func(r rune) bool { return r == ',' || r == ' ' })
}

// completeStacks names the configured stacks. A configuration that is wrong or
// missing names none.
func (a *app) completeStacks(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	if files, err := a.configFiles(config.Settings{}); err == nil && len(files) > 0 {
		slices.Sort(files) // cobra parses flags twice, and a file twice has each stack twice
		stacks, err := config.Load(slices.Compact(files), nil)
		for _, s := range stacks {
			if err == nil {
				names = append(names, s.Name)
			}
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeFields completes KIND.FIELD, a step at a time.
func completeFields(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	kind, path, dotted := strings.Cut(typed, ".")
	if !dotted {
		return kindNames(), cobra.ShellCompDirectiveNoFileComp
	}
	d, err := find(kind, nil)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	before := path[:strings.LastIndex(path, ".")+1]
	var list []string
	for _, name := range manifest.FieldsAt(d.body, strings.TrimSuffix(before, ".")) {
		list = append(list, kind+"."+before+name)
	}
	return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
