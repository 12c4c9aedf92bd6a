package secretfiles

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/localfile"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/sops"
)

// Encrypt encrypts a file in place. The fields that given leaves out come from the creation rule of the nearest .sops.yaml in
// the folder of the file or above it.
func Encrypt(file string, given sops.Encryption, now time.Time) error {
	if ext := strings.ToLower(filepath.Ext(file)); ext != ".yaml" && ext != ".yml" {
		return fmt.Errorf("%s: only .yaml and .yml files are encrypted; encrypt others with: sops encrypt -i FILE", file)
	}
	text, err := localfile.Read(file, manifest.DefaultFileBytes)
	if err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if len(given.Recipients) == 0 || given.Field == "" {
		rule, err := creationRule(file)
		if err != nil && len(given.Recipients) == 0 {
			return err
		}
		if len(given.Recipients) == 0 {
			given.Recipients = rule.Recipients
		}
		if given.Field == "" {
			given.Field, given.Expression = rule.Field, rule.Expression
		}
		given.MACOnly = given.MACOnly || rule.MACOnly
	}
	encrypted, err := sops.Encrypt(text, given, now)
	if errors.Is(err, sops.ErrNothing) {
		return fmt.Errorf("%s: no value lies below a key that matches %s; name the keys with --encrypted-regex", file, cmp.Or(given.Expression, sops.UsualExpression))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if err := localfile.Replace(file, encrypted); err != nil {
		return err
	}
	return os.Chmod(file, info.Mode().Perm())
}

// creationRule reads the rule for a file from the nearest .sops.yaml.
func creationRule(file string) (sops.Encryption, error) {
	full, err := filepath.Abs(file)
	if err != nil {
		return sops.Encryption{}, err
	}
	for folder := filepath.Dir(full); ; folder = filepath.Dir(folder) {
		rules := filepath.Join(folder, sops.RulesFile)
		text, err := localfile.Read(rules, localfile.Config)
		if err == nil {
			name, _ := filepath.Rel(folder, full) // an error is impossible, because the folder is above the file
			rule, err := sops.CreationRule(text, filepath.ToSlash(name))
			if err != nil {
				err = fmt.Errorf("%s: %w", rules, err)
			}
			return rule, err
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return sops.Encryption{}, err
		}
		if folder == filepath.Dir(folder) {
			return sops.Encryption{}, fmt.Errorf("%s: there is no recipient; name a public key with --age, or write a %s", file, sops.RulesFile)
		}
	}
}
