package config

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/secretstore"
)

// SecretStore is a store with values that are not in the repository. Exactly one of its kinds is set.
type SecretStore struct {
	Name  string      `json:"name" rule:"required,min=1,max=63,format=name" doc:"Name by which manifests refer to the store."`
	Files *FilesStore `json:"files,omitempty" doc:"A folder of the agent's machine. Each file in it is one value."`

	Vault    *VaultStore    `json:"vault,omitempty" doc:"A secrets engine of Vault or OpenBao, KV version 2."`
	Barbican *BarbicanStore `json:"barbican,omitempty" doc:"The secrets in Barbican that the stack's credentials can read."`
}

// FilesStore is a folder with secrets.
type FilesStore struct {
	Folder string `json:"folder" rule:"required,min=1" doc:"The folder, which is not in a work tree of Git. Manifests can name every file in it and in its subfolders. Links that lead out of it are not followed. With source.paths, {folder} is replaced by the name of the stack's folder."`
}

// VaultStore is a secrets engine of Vault. Exactly one of TokenFile, AppRole and JWT is set.
type VaultStore struct {
	Address   string        `json:"address" rule:"required,min=1" doc:"Address of the server, such as https://vault.example.com:8200."`
	CAFile    string        `json:"caFile,omitempty" doc:"File with PEM certificates that are trusted besides the system's."`
	Namespace string        `json:"namespace,omitempty" rule:"max=255" doc:"Namespace; none if left out."`
	Mount     string        `json:"mount,omitempty" rule:"default=secret,max=255" doc:"Path of the secrets engine."`
	Prefix    string        `json:"prefix,omitempty" rule:"max=255" doc:"Path below which manifests can name secrets; the whole engine if left out. With source.paths, {folder} is replaced by the name of the stack's folder."`
	TokenFile string        `json:"tokenFile,omitempty" doc:"File with a token. The file is read again for each request."`
	AppRole   *VaultAppRole `json:"appRole,omitempty" doc:"A login with the auth method AppRole, instead of tokenFile."`
	JWT       *VaultJWT     `json:"jwt,omitempty" doc:"A login with the auth method JWT, instead of tokenFile."`
}

// VaultAppRole is a login with a role and its secret.
type VaultAppRole struct {
	Mount        string `json:"mount,omitempty" rule:"default=approle,max=255" doc:"Path of the auth method."`
	RoleID       string `json:"roleID" rule:"required,min=1,max=255" doc:"ID of the role."`
	SecretIDFile string `json:"secretIDFile" rule:"required,min=1" doc:"File with the secret ID of the role. The file is read again for each login."`
}

// VaultJWT is a login with a signed token, such as that of a Kubernetes service account.
type VaultJWT struct {
	Mount     string `json:"mount,omitempty" rule:"default=jwt,max=255" doc:"Path of the auth method."`
	Role      string `json:"role" rule:"required,min=1,max=255" doc:"Name of the role."`
	TokenFile string `json:"tokenFile" rule:"required,min=1" doc:"File with the signed token. The file is read again for each login."`
}

// BarbicanStore has the secrets in Barbican.
type BarbicanStore struct {
	Prefix string `json:"prefix,omitempty" rule:"max=200" doc:"Text with which the names of all secrets begin that manifests can use. Manifests give names without it; all secrets if left out. With source.paths, {folder} is replaced by the name of the stack's folder; then the prefix must end with a slash."`
}

func storeField(i int, name string) string { return fmt.Sprintf("spec.secretStores[%d].%s", i, name) }

// checkStores reports mistakes in the stores.
func (s *Spec) checkStores(add func(field, what string)) {
	for i, store := range s.SecretStores {
		if slices.ContainsFunc(s.SecretStores[:i], func(o SecretStore) bool { return o.Name == store.Name }) {
			add(storeField(i, "name"), fmt.Sprintf("another store has the name %s, too; rename one of the two", store.Name))
		}
		if store.kinds() != 1 {
			add(fmt.Sprintf("spec.secretStores[%d]", i), "needs exactly one kind of store; set "+storeKinds)
		}
		store.checkFolder(i, add)
		if v := store.Vault; v != nil {
			checkAddress(add, storeField(i, "vault.address"), v.Address)
			if countSet(v.TokenFile != "", v.AppRole != nil, v.JWT != nil) != 1 {
				add(storeField(i, "vault"), "needs exactly one login; set tokenFile, appRole or jwt")
			}
		}
	}
}

// checkFolder reports prefixes with which the stack of a folder could read secrets of another folder. Names of folders have no slashes, so
// prod/ is no beginning of prod-eu/. In the paths of the other stores, only .. could lead to another folder.
func (s SecretStore) checkFolder(i int, add func(field, what string)) {
	if b := s.Barbican; b != nil && strings.Contains(b.Prefix, folderWord) && !strings.HasSuffix(b.Prefix, "/") {
		add(storeField(i, "barbican.prefix"), fmt.Sprintf("%q does not end with a slash, so the stack of the folder a could read secrets of the folder a-b; write %q, and rename the secrets", b.Prefix, strings.TrimRight(b.Prefix, "-_.")+"/"))
	}
	check := func(field, at string) {
		if _, after, found := strings.Cut(at, folderWord); found && slices.Contains(strings.Split(after, "/"), "..") {
			add(storeField(i, field), fmt.Sprintf("%q leads out of the folder with \"..\", so stacks could read secrets of other folders; remove the \"..\"", at))
		}
	}
	if s.Vault != nil {
		check("vault.prefix", s.Vault.Prefix)
	}
	if s.Files != nil {
		check("files.folder", s.Files.Folder)
	}
}

const storeKinds = "files, vault or barbican"

func (s SecretStore) kinds() int { return countSet(s.Files != nil, s.Vault != nil, s.Barbican != nil) }

func countSet(given ...bool) (count int) {
	for _, set := range given {
		if set {
			count++
		}
	}
	return count
}

// namedFiles returns the files that the store names.
func (s *SecretStore) namedFiles(i int) (list []namedFile) {
	v := s.Vault
	if v == nil {
		return nil
	}
	list = []namedFile{{field: storeField(i, "vault.caFile"), path: &v.CAFile}, {field: storeField(i, "vault.tokenFile"), path: &v.TokenFile, secret: true}}
	if v.AppRole != nil {
		list = append(list, namedFile{field: storeField(i, "vault.appRole.secretIDFile"), path: &v.AppRole.SecretIDFile, secret: true})
	}
	if v.JWT != nil {
		list = append(list, namedFile{field: storeField(i, "vault.jwt.tokenFile"), path: &v.JWT.TokenFile, secret: true})
	}
	return list
}

// Secrets returns how the store is reached. Its functions read the files with credentials. A file in a work tree is refused.
func (v *VaultStore) Secrets(name string) (c secretstore.VaultConfig, err error) {
	field := func(of string) string { return "spec.secretStores " + name + ": " + of }
	c = secretstore.VaultConfig{Address: v.Address, Namespace: v.Namespace, Mount: cmp.Or(v.Mount, "secret"), Prefix: v.Prefix}
	read := func(of, file string) (string, error) {
		text, err := secret(field(of), file)
		return string(bytes.TrimSpace(text)), err
	}
	switch a, j := v.AppRole, v.JWT; {
	case a != nil:
		c.LoginMount = cmp.Or(a.Mount, "approle")
		c.Login = func() (map[string]string, error) {
			id, err := read("appRole.secretIDFile", a.SecretIDFile)
			return map[string]string{"role_id": a.RoleID, "secret_id": id}, err
		}
	case j != nil:
		c.LoginMount = cmp.Or(j.Mount, "jwt")
		c.Login = func() (map[string]string, error) {
			token, err := read("jwt.tokenFile", j.TokenFile)
			return map[string]string{"role": j.Role, "jwt": token}, err
		}
	default:
		c.Token = func() (string, error) { return read("tokenFile", v.TokenFile) }
	}
	c.Trust, err = trust(field("caFile"), v.CAFile)
	return c, err
}

// StoreForms returns the forms of the stores that manifests of the stack may name.
func (s *Stack) StoreForms() map[string]resolve.StoreForm {
	forms := map[string]resolve.StoreForm{}
	for _, store := range s.Spec.SecretStores {
		forms[store.Name] = resolve.StoreForm{Fields: store.Vault != nil}
	}
	return forms
}

// storesBelow makes relative folders relative to the folder of the configuration.
func (s *Spec) storesBelow(folder string) {
	for _, store := range s.SecretStores {
		if f := store.Files; f != nil && f.Folder != "" && !filepath.IsAbs(f.Folder) {
			f.Folder = filepath.Join(folder, f.Folder)
		}
	}
}

// inFolder returns the store for the stack of one folder of source.paths.
func (s SecretStore) inFolder(folder string) SecretStore {
	switch {
	case s.Files != nil:
		s.Files = &FilesStore{Folder: strings.ReplaceAll(s.Files.Folder, folderWord, folder)}
	case s.Vault != nil:
		v := *s.Vault
		v.Prefix = strings.ReplaceAll(v.Prefix, folderWord, folder)
		s.Vault = &v
	case s.Barbican != nil:
		s.Barbican = &BarbicanStore{Prefix: strings.ReplaceAll(s.Barbican.Prefix, folderWord, folder)}
	}
	return s
}
