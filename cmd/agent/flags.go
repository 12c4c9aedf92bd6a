package main

import (
	"cmp"
	"errors"
	"maps"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/describe"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
)

// stackFlags adds the flags that select stacks. The returned function loads the stacks after parsing.
func (a *app) stackFlags(cmd *cobra.Command) func() ([]config.Stack, error) {
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringArrayVar(&a.configs, "config", nil, "configuration file; can be repeated (default $STACKREEVE_CONFIG, or stackreeve.yaml in the working directory, unless that is a work tree of Git)")
	for _, s := range config.All() {
		flags.String(s.Flag, "", s.Usage+" ($"+s.Env()+")")
		if s.Flag != "stack" {
			_ = flags.MarkHidden(s.Flag) // the flag exists; `help config` lists them
		}
	}
	pointToSettings(cmd)
	flags.StringVar(&a.dataDir, "data-dir", os.Getenv("STACKREEVE_DATA_DIR"), "optional folder for a cache of repositories and the last events ($STACKREEVE_DATA_DIR; default memory)")
	flags.IntVar(&a.parallel, "parallelism", 10, "how many steps run at the same time, in each stack")
	flags.StringVar(&a.logFormat, "log-format", "text", "text or json")
	flags.BoolVarP(&a.verbose, "verbose", "v", false, "log every request to the cloud, and show plans in full")
	flags.BoolVarP(&a.quiet, "quiet", "q", false, "do not show progress")
	return func() ([]config.Stack, error) {
		if a.quiet {
			a.progress.Hush()
		}
		if err := oneOf("--log-format", a.logFormat, "text", "json"); err != nil {
			return nil, err
		}
		given := settings(flags)
		dir := ""
		if flag := flags.Lookup("dir"); flag != nil && flag.Changed {
			dir = flag.Value.String()
			a.isRepository(dir, given)
		}
		documents, err := a.stacks(given)
		if err != nil {
			return nil, err
		}
		a.documents = documents
		stacks := documents
		if !a.later {
			stacks, err = a.inFolders(cmd.Context(), documents, dir)
		}
		for _, file := range config.ExposedSecrets(stacks) {
			a.logger(false).Warn("a file with credentials can be read by everybody on this machine; remove that permission with chmod o-rwx", strings.ToLower(file.By.Kind), file.By.Name, "file", file.Path)
		}
		return stacks, err
	}
}

// isRepository makes a work tree the repository of the stack, unless a setting or a configuration file names another one.
func (a *app) isRepository(dir string, s config.Settings) {
	if files, err := a.configFiles(s); err == nil && len(files) == 0 {
		s["url"] = cmp.Or(s["url"], dir)
	}
}

// settings returns the settings of the environment, overridden by those of flags.
func settings(flags *pflag.FlagSet) config.Settings {
	s := config.Environment()
	maps.Copy(s, typed(flags))
	return s
}

// typed returns the settings of flags.
func typed(flags *pflag.FlagSet) config.Settings {
	s := config.Settings{}
	for _, setting := range config.All() {
		if f := flags.Lookup(setting.Flag); f != nil && f.Changed {
			s[setting.Flag] = f.Value.String()
		}
	}
	return s
}

func (a *app) stacks(s config.Settings) ([]config.Stack, error) {
	files, err := a.configFiles(s)
	if err != nil {
		return nil, err
	}
	stacks, err := loadStacks(files, s)
	if errors.Is(err, config.ErrNone) {
		return nil, errors.New("no stack is configured; write a stackreeve.yaml, name one with --config, or give --stack and --url")
	}
	return stacks, err
}

// loadStacks loads stacks. It refuses limits and policies for kinds that do not exist.
func loadStacks(files []string, s config.Settings) ([]config.Stack, error) {
	stacks, err := config.Load(files, s)
	if err != nil {
		return nil, err
	}
	var problems manifest.Problems
	for i := range stacks {
		problems = append(problems, stacks[i].CheckKinds(guard.Ownable(all.Kinds(nil, defaults.Defaults{})))...)
	}
	return stacks, append(problems, stacks[0].CheckPolicies(describe.Names())...).Err()
}

// configFiles returns the files that flags or the environment name. If there are none, it returns the file in the working directory.
func (a *app) configFiles(s config.Settings) ([]string, error) {
	if len(a.configs) > 0 {
		return a.configs, nil
	}
	if list := os.Getenv("STACKREEVE_CONFIG"); list != "" {
		return strings.Split(list, string(os.PathListSeparator)), nil
	}
	if s["url"] != "" {
		return nil, nil
	}
	file, err := config.Find(".")
	if err != nil || file == "" {
		return nil, err
	}
	return []string{file}, nil
}

// approveCommand returns the command that carries out the shown plan of a stack, without the hash at its end.
func approveCommand(cmd *cobra.Command, stack string) string {
	return approving(cmd, "run", "--once") + " --stack " + stack + " --approve"
}

// approving returns a command with those flags of cmd that select the stack and its connection.
func approving(cmd *cobra.Command, command ...string) string {
	words := append([]string{program}, command...)
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Annotations[onlyShows] != nil {
			return
		}
		switch f.Name {
		case "once", "approve", "output", "verbose", "exit-code", "ref", "dir", "stack", "quiet", "listen", "listen-health", "webhook-secret-file", "control-token-file":
			return
		}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			for _, v := range list.GetSlice() {
				words = append(words, "--"+f.Name, quote(v))
			}
			return
		}
		words = append(words, "--"+f.Name+"="+quote(f.Value.String()))
	})
	return strings.Join(words, " ")
}

// quote quotes a word for a shell.
func quote(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+,="
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
