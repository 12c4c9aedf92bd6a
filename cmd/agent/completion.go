package main

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/describe"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/natural"
	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/session"
)

// completions completes the values of flags for which only some values are possible, in every command.
func (a *app) completions(root *cobra.Command) {
	fixed := map[string][]string{"log-format": {"text", "json"}, "drift": {"correct", "report"}, "replace": {"refuse", "allow"}, "forks": {"validate", "plan"}, "prune": {"true", "false"}}
	for _, cmd := range everyCommand(root) {
		complete := func(flag string, f cobra.CompletionFunc) {
			if cmd.Flags().Lookup(flag) != nil {
				_ = cmd.RegisterFlagCompletionFunc(flag, f) // this fails only for a second registration
			}
		}
		for flag, values := range fixed {
			complete(flag, cobra.FixedCompletions(slices.Clone(values), cobra.ShellCompDirectiveNoFileComp))
		}
		if output := cmd.Flags().Lookup("output"); output != nil {
			complete("output", cobra.FixedCompletions(listedIn(output.Usage), cobra.ShellCompDirectiveNoFileComp))
		}
		complete("stack", func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			return a.completeStacks(cmd, nil, typed)
		})
		complete("kind", cobra.FixedCompletions(describe.Names(), cobra.ShellCompDirectiveNoFileComp))
		for _, flag := range []string{"dir", "data-dir"} {
			if cmd.Flags().Lookup(flag) != nil {
				_ = cmd.MarkFlagDirname(flag) // the flag exists
			}
		}
		if cmd.Flags().Lookup("config") != nil {
			_ = cmd.MarkFlagFilename("config", "yaml", "yml", "json") // the flag exists
		}
	}
}

// everyCommand returns the commands below a command, at any depth.
func everyCommand(root *cobra.Command) (list []*cobra.Command) {
	for _, cmd := range root.Commands() {
		list = append(append(list, cmd), everyCommand(cmd)...)
	}
	return list
}

var enumeration = pattern.Of(`^([a-z]+)((?:, [a-z]+)*),? or ([a-z]+)`)

// listedIn returns the values at the beginning of a flag's usage, as in "text, json or yaml".
func listedIn(usage string) []string {
	m := enumeration.FindStringSubmatch(usage)
	if m == nil {
		return nil
	}
	return strings.FieldsFunc(m[1]+m[2]+","+m[3], func(r rune) bool { return r == ',' || r == ' ' })
}

// completionPatience is the maximum time for which a shell waits for names from repositories.
const completionPatience = 3 * time.Second

// configured returns the documents of the configuration, and the stacks of the repositories that answer in time. If the configuration is wrong
// or missing, it returns none.
func (a *app) configured(ctx context.Context, given config.Settings) (documents, stacks []config.Stack) {
	a.progress.Hush()
	slices.Sort(a.configs) // cobra parses flags twice, and a file that is in the list twice would add each of its stacks twice
	a.configs = slices.Compact(a.configs)
	documents, err := a.stacks(given)
	if err != nil {
		return nil, nil
	}
	a.documents = documents
	stacks, _, _ = a.stacksIn(documents, func(s *config.Stack, base, pattern string) ([]string, error) { // invalid folders have no names
		_, files, err := a.opener().BaseFolder(ctx, s, base, "", "")
		if err != nil {
			return nil, err
		}
		return session.FoldersOf(files, s, pattern)
	})
	return documents, stacks
}

// patient returns a context for completion in a command. It ends after [completionPatience].
func patient(cmd *cobra.Command) (context.Context, context.CancelFunc) {
	ctx := cmd.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	return context.WithTimeout(ctx, completionPatience)
}

// completeStacks completes the names of configured stacks, including the stacks of folders.
func (a *app) completeStacks(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := patient(cmd)
	defer cancel()
	documents, stacks := a.configured(ctx, config.Settings{})
	var names []string
	for _, s := range slices.Concat(documents, stacks) {
		names = append(names, s.Name)
	}
	slices.SortFunc(names, natural.Compare)
	return slices.Compact(names), cobra.ShellCompDirectiveNoFileComp
}

// completeObjects completes KIND/NAME, or KIND and names of that kind, with the objects of the repositories.
func (a *app) completeObjects(cmd *cobra.Command, args []string, typed string) (list []string, as cobra.ShellCompDirective) {
	ctx, cancel := patient(cmd)
	defer cancel()
	keys := a.completeKeys(ctx, settings(cmd.Flags()))
	before, _, slashed := strings.Cut(typed, "/")
	bare := len(args) > 0 && !strings.Contains(args[0], "/")
	as = cobra.ShellCompDirectiveNoFileComp
	for _, key := range keys {
		_, name, _ := strings.Cut(key.String(), "/")
		switch {
		case bare && isKind(args[0], key.Kind) && !slices.Contains(args, name):
			list = append(list, name)
		case bare:
		case slashed && isKind(before, key.Kind):
			list = append(list, before+"/"+name)
		case !slashed:
			list, as = append(list, key.Kind+"/"), as|cobra.ShellCompDirectiveNoSpace
		}
	}
	slices.SortFunc(list, natural.Compare)
	return slices.Compact(list), as
}

// isKind reports whether a word is the name of a kind.
func isKind(word, kind string) bool {
	d, err := describe.Find(word, nil)
	return strings.EqualFold(word, kind) || err == nil && d.GVK.Kind == kind
}

// completeKeys returns the keys of all objects in the newest commits of stacks.
func (a *app) completeKeys(ctx context.Context, given config.Settings) (keys []manifest.Key) {
	_, stacks := a.configured(ctx, given)
	o := a.opener()
	o.Log = slog.New(slog.DiscardHandler)
	for i := range stacks {
		s := &stacks[i]
		repo, err := o.Source(s)
		if err != nil {
			continue
		}
		if rev, _, err := repo.Fetch(ctx); err == nil {
			read, _, _ := o.Contents(ctx, s, "", s.Bounds(), rev.Files) // invalid manifests have no names
			for _, want := range read.Want {
				if want.Data == nil {
					keys = append(keys, want.Key)
				}
			}
		}
		_ = repo.Close() // the source is only a cache
	}
	return keys
}

// completeFields completes KIND.FIELD, one part at a time.
func completeFields(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	kind, path, dotted := strings.Cut(typed, ".")
	if !dotted {
		return describe.Names(), cobra.ShellCompDirectiveNoFileComp
	}
	d, err := describe.Find(kind, nil)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	before := path[:strings.LastIndex(path, ".")+1]
	var list []string
	for _, name := range manifest.FieldsAt(d.Body, strings.TrimSuffix(before, ".")) {
		list = append(list, kind+"."+before+name)
	}
	return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
