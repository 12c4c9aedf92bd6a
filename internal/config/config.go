// Package config reads the agent's configuration: documents of the kinds Stack, Policy, Notification and Agents, and
// flags and environment variables.
//
// It contains all fields and their defaults, and explains mistakes in them. It does not connect to the servers that
// the fields name.
package config

import (
	"cmp"
	"context"
	"maps"
	"os"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/notify"
	"github.com/stackreeve/stackreeve/internal/policy"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/schedule"
	"github.com/stackreeve/stackreeve/internal/source"
)

// GVK is the kind Stack of configuration files.
var GVK = manifest.GroupVersionKind{Group: "stackreeve.dev", Version: "v1alpha1", Kind: "Stack"}

// Stack is one folder of one branch of a repository, and the cloud to which it is applied. It comes from [Load],
// complete and checked.
type Stack struct {
	Name   string
	Origin manifest.Origin
	Spec   Spec

	Poll, DriftCheck schedule.Schedule
	PullPoll         schedule.Schedule // the times at which to list pull requests
	Limits           guard.Limits

	of, only string // of: see [Stack.Of]. only: the one stack of source.paths that --stack names; "" for all
	gone     bool

	where         func(field string) manifest.Origin // nil if no file sets it.
	policies      []policy.Policy                    // the policies of all stacks.
	notifications []notify.Rule                      // the rules of all stacks.
	agents        *Agents                            // the Agents document for all stacks; nil if there is none.
	shared        []documentFiles                    // the documents that all stacks share, with the files that they name.
}

// Where returns the place of a field in the configuration. If no file sets the field, it returns the place of the
// document.
func (s *Stack) Where(field string) manifest.Origin {
	at := s.Origin
	if s.where != nil {
		at.Line = s.where(field).Line
	}
	return at
}

// Body is a whole document, for the commands schema and explain.
type Body struct {
	Spec Spec `json:"spec" rule:"required" doc:"The repository, the cloud, and the settings of the stack."`
}

// Spec is the content of a Stack document.
type Spec struct {
	Source            Source            `json:"source" rule:"required" doc:"Where the manifests are."`
	Cloud             string            `json:"cloud,omitempty" doc:"Entry of clouds.yaml; $OS_CLOUD, or the OS_* variables, if left out. With source.paths, {folder} is replaced by the folder."`
	Project           string            `json:"project,omitempty" rule:"max=255" doc:"ID or name of the project to which the credentials must belong. If they belong to another project, nothing is planned or done. With source.paths, {folder} is replaced by the folder."`
	Clouds            []string          `json:"clouds,omitempty" rule:"max=20,unique" doc:"Further entries of clouds.yaml that manifests may name in cloudCredentialsRef.cloudName. Without any, every name in a manifest means cloud. Everybody who may merge manifests uses these entries with all their rights."`
	CloudProjects     map[string]string `json:"cloudProjects,omitempty" doc:"The same as project, for the entries in clouds: the ID or name of the project to which the credentials of each entry must belong."`
	CredentialSecrets map[string]string `json:"credentialSecrets,omitempty" doc:"Entries of clouds.yaml, namely cloud or one of clouds, by the Secret that manifests name in cloudCredentialsRef.secretName. \"\" leaves the choice to cloudName. Every other Secret must be among the manifests, and its content is not used. If this field is left out, Secrets are ignored."`
	Defaults          defaults.Defaults `json:"defaults,omitempty" doc:"Values for fields that manifests leave out, and the meaning of organisation-specific names in manifests."`
	DependsOn         []string          `json:"dependsOn,omitempty" rule:"max=100,unique" doc:"Stacks of the same configuration that must be in sync before a change of this stack is carried out."`
	Suspend           bool              `json:"suspend,omitempty" doc:"true: the stack is planned and reported, but its cloud is not changed."`
	Sync              Sync              `json:"sync,omitempty" doc:"Limits and rules for the changes that the agent makes."`
	Limits            SizeLimits        `json:"limits,omitempty" doc:"Limits for the size of the stack."`
	Prices            *Prices           `json:"prices,omitempty" doc:"Prices. With prices, plans show by how much the costs of a month change."`
	Events            Events            `json:"events,omitempty" doc:"How the agent notices changes in the cloud before the next check."`
	Report            Report            `json:"report,omitempty" doc:"Where the agent reports: the forge that has the repository."`

	Decryption   Decryption    `json:"decryption,omitempty" doc:"The private keys for manifests that SOPS encrypted."`
	SecretStores []SecretStore `json:"secretStores,omitempty" rule:"max=20" doc:"Stores with values that are not in the repository, for ExternalSecrets. Everybody who may merge manifests can use every value in them, within the folders and prefixes given here."`
	Fingerprints Fingerprints  `json:"fingerprints,omitempty" doc:"How the cloud remembers which secrets were applied."`
}

// Decryption names the files with private keys for encrypted manifests.
type Decryption struct {
	AgeKeyFiles     []string `json:"ageKeyFiles,omitempty" rule:"max=8,unique" doc:"Files with age identities, as age-keygen writes them. They are read again for every commit. While keys are rotated, name the files with the old and the new key."`
	OpenPGPKeyFiles []string `json:"openpgpKeyFiles,omitempty" rule:"max=8,unique" doc:"Files with armored OpenPGP private keys without a passphrase. They are read again for every commit."`
}

// Fingerprints configures the texts that are stored in the cloud to detect whether a secret has changed.
type Fingerprints struct {
	KeyFiles []string `json:"keyFiles,omitempty" rule:"max=8,unique" doc:"Files, each with a key of 16 bytes or more. Without a key, fingerprints are slow salted hashes, from which a PIN can be guessed. The first key is used, and the others are still recognised."`
}

// Source is the place of the manifests.
type Source struct {
	URL    string `json:"url" rule:"required,min=1" doc:"A Git repository: https, ssh, or a local path. Or an artifact: oci://registry/repository, or https and a path that ends in .tar, .tar.gz, .tgz or .tar.zst."`
	Branch string `json:"branch,omitempty" doc:"Branch to follow; the repository's default branch if left out."`
	Tag    string `json:"tag,omitempty" doc:"Tag to follow in a registry."`
	Digest string `json:"digest,omitempty" doc:"The only artifact or archive that is accepted: sha256: and 64 digits."`
	Path   string `json:"path,omitempty" doc:"Folder within the repository; its root if left out."`
	Paths  string `json:"paths,omitempty" doc:"Patterns of folders such as clouds/*, instead of path. Each folder is a stack of its own. The name of the stack is the name of this document, a dash and the folder."`

	Overlays []string `json:"overlays,omitempty" rule:"min=1,max=10,unique" doc:"Folders in place of path, each relative to path, such as ../base and . (the folder itself). Documents of a later folder are merged into those of earlier ones that have the same kind, namespace and name. With source.paths, {folder} is replaced by the folder."`

	Kustomize bool `json:"kustomize,omitempty" rule:"default=false" doc:"Whether the folder has a kustomization, whose result is the manifests. The last one of overlays is the folder, and the kustomization may use the others. Fields that could fetch addresses or run programs are refused."`

	Values     map[string]string `json:"values,omitempty" rule:"max=1000,raw" doc:"Texts that replace ${name} in the specs and names of manifests, by name. They have precedence over valuesFrom. With source.paths, {folder} is replaced by the folder."`
	ValuesFrom []ValuesFrom      `json:"valuesFrom,omitempty" rule:"max=20" doc:"Sources of further values. A later one has precedence."`

	Include []string `json:"include,omitempty" rule:"max=100,unique" doc:"Files of that folder, or of each of overlays, that are read, such as net/*.yaml or **/prod-*.yaml, and folders with their full name; all if left out. If a file is no longer read, its objects are deleted, as if their manifests were removed. A commit is refused if an entry of this list gave objects before and matches nothing now."`
	Exclude []string `json:"exclude,omitempty" rule:"max=100,unique" doc:"Files and folders that are not read, such as drafts or **/*.tmpl.yaml, even if include has them."`

	Libraries []Library `json:"libraries,omitempty" rule:"max=20" doc:"Folders of other repositories, each at one commit. Their Definitions make kinds for the stack, like those in the stack's own folder. They give the stack no objects."`

	Verify *Verify `json:"verify,omitempty" doc:"Which signatures a commit needs before anything of it is read. Without it, everybody who can push to the branch decides what is applied."`

	Poll   string `json:"poll,omitempty" rule:"default=@every 1m" doc:"Times at which the agent looks for new commits, as a cron expression."`
	CAFile string `json:"caFile,omitempty" doc:"File with PEM certificates that are trusted besides the system's."`
	Auth   Auth   `json:"auth,omitempty" doc:"Files with the credentials; they are read again at every fetch."`
}

// ValuesFrom is a source of values.
type ValuesFrom struct {
	File      string `json:"file,omitempty" doc:"File in the folder of the manifests, relative to path: a mapping of names to texts, without apiVersion and kind."`
	ConfigMap string `json:"configMap,omitempty" doc:"ConfigMap among the manifests. Each key of its data is the name of a value."`
	Secret    string `json:"secret,omitempty" doc:"Secret among the manifests. Each key of its data is the name of a value. Fields that contain one of them are shown nowhere."`
}

// Auth contains the paths of the files with credentials.
type Auth struct {
	TokenFile      string `json:"tokenFile,omitempty" doc:"File with a token, for https."`
	Username       string `json:"username,omitempty" doc:"User of the login; x-access-token for https and git for ssh if left out."`
	BasicAuthFile  string `json:"basicAuthFile,omitempty" doc:"File with user:password, for https."`
	SSHKeyFile     string `json:"sshKeyFile,omitempty" doc:"File with a private key without a passphrase, for ssh."`
	KnownHostsFile string `json:"knownHostsFile,omitempty" doc:"File with the host keys that are trusted, for ssh."`

	DockerConfigFile string `json:"dockerConfigFile,omitempty" doc:"The file config.json of Docker, with the login for a registry. Programs that the file names are not run."`

	GitHubApp *SourceApp `json:"githubApp,omitempty" doc:"A GitHub App that may read the repository, for https."`
}

// Sync configures which changes the agent may make without an approval.
type Sync struct {
	Mode              string                          `json:"mode,omitempty" rule:"enum=auto|manual,default=auto" doc:"Whether changes are carried out automatically. With manual, each plan waits until its hash is approved, even if it only corrects drift."`
	Prune             *bool                           `json:"prune,omitempty" rule:"default=true" doc:"Whether objects are deleted after their manifest was removed."`
	Drift             string                          `json:"drift,omitempty" rule:"enum=correct|report,default=correct" doc:"What happens to changes that somebody makes in the cloud."`
	DriftCheck        string                          `json:"driftCheck,omitempty" rule:"default=@every 5m" doc:"Times at which the cloud is checked without a new commit, as a cron expression."`
	MaxDeletes        *manifest.IntOrString           `json:"maxDeletes,omitempty" rule:"default=30%" doc:"How many objects one pass may delete, replace or wipe: a number, or a share of the stack's objects. A plan with more is held until its hash is approved."`
	MaxDeletesPerKind map[string]manifest.IntOrString `json:"maxDeletesPerKind,omitempty" doc:"Additional limits for single kinds: a number, or a share of the stack's objects of that kind."`
	AllowDataLoss     bool                            `json:"allowDataLoss,omitempty" rule:"default=false" doc:"Whether a plan may lose data that exists nowhere else, such as that of volumes, snapshots, backups, containers and namespaces of databases. If not, every plan that would lose such data is held until its hash is approved."`
	MissingReferences string                          `json:"missingReferences,omitempty" rule:"enum=refuse|wait,default=refuse" doc:"What happens if an object refers to an object without a manifest. refuse: the commit is refused. wait: the object waits, as with K-ORC, and an object to which others refer is not deleted with its manifest."`
	Windows           []Window                        `json:"windows,omitempty" rule:"max=32" doc:"Times at which the cloud may be changed; at any time if left out. Plans are always made and reported, and show when the next window begins."`
	Replace           string                          `json:"replace,omitempty" rule:"enum=refuse|allow,default=refuse" doc:"Whether an object may be deleted and recreated to apply a change."`
	// ObjectsOfOtherStacks applies to imports of objects that contain the mark of another stack of the project.
	ObjectsOfOtherStacks string `json:"objectsOfOtherStacks,omitempty" rule:"enum=refuse|allow,default=refuse" doc:"Whether volumes, their snapshots and backups, ports and floating IPs with the mark of another stack may be imported and used: attached, copied, plugged. Uses that only read, such as the address in a DNS record, are always allowed."`
	Marks                string `json:"marks,omitempty" rule:"enum=tags|descriptions,default=tags" doc:"Place of the owner mark of networks, subnets, routers and ports in clouds that accept no tags in a create request (before 2025). descriptions: after the text of the description, which needs one request for each object instead of three. A person who overwrites a whole description then removes the mark."`
}

// SizeLimits limits the size of a stack, because anybody may write its manifests.
type SizeLimits struct {
	Objects     int `json:"objects,omitempty" rule:"min=1,max=1000000,default=20000" doc:"How many objects the stack may have, including those that manifests expand to. A group of 1000 machines has about 3000 objects. A commit with more objects than the limit is refused."`
	PullObjects int `json:"pullObjects,omitempty" rule:"min=1,max=1000000,default=1000" doc:"How many objects a pull request may add. It may always add as many as the branch has, and never exceeds objects."`
}

// Bounds returns the maximum size of a revision of the stack's branch.
func (s *Stack) Bounds() resolve.Bounds { return resolve.Bounds{Objects: s.Spec.Limits.Objects} }

// PullBounds returns the maximum size of a pull request into a branch of the given size.
func (s *Stack) PullBounds(branch resolve.Size) resolve.Bounds {
	return s.Bounds().ForPull(branch, s.Spec.Limits.PullObjects)
}

// Prune reports whether objects are deleted after their manifest was removed.
func (s *Stack) Prune() bool { return s.Spec.Sync.Prune == nil || *s.Spec.Sync.Prune }

// LeavesDrift reports whether drift is only reported and not corrected, unless a manifest says otherwise.
func (s *Stack) LeavesDrift() bool {
	return s.Spec.Sync.Drift == "report" || s.Spec.Sync.Mode == "manual"
}

// Policies returns the policies of the stack's configuration.
func (s *Stack) Policies() []plan.Policy {
	policies := []plan.Policy{guard.ReportDrift(s.Spec.Sync.Drift == "report")}
	if !s.Prune() {
		policies = append(policies, guard.NoPrune)
	}
	if s.Spec.Suspend {
		policies = append(policies, guard.Suspend("suspend is true in the agent's configuration"))
	}
	if len(s.policies) > 0 {
		policies = append(policies, policy.Judge(s.policies, s.Name))
	}
	policies = append(policies, s.Spec.Sync.inTime()...)
	if s.Spec.Sync.Mode == "manual" {
		policies = append(policies, guard.Manual("sync.mode is manual in the agent's configuration"))
	}
	return policies
}

// MainCloud returns the stack's main entry of clouds.yaml, or "" if the OS_* variables replace it.
func (s *Stack) MainCloud() string { return cmp.Or(s.Spec.Cloud, os.Getenv("OS_CLOUD")) }

// Entries returns the entries of clouds.yaml that manifests may name.
func (s *Stack) Entries() resolve.Entries {
	main := s.MainCloud()
	further := slices.DeleteFunc(slices.Clone(s.Spec.Clouds), func(name string) bool { return name == "" || name == main })
	return resolve.Entries{Main: main, Further: further, Secrets: s.Spec.CredentialSecrets}
}

// unknownEntries finds entries in credentialSecrets or cloudProjects that the stack does not have.
func (s *Stack) unknownEntries() (problems manifest.Problems) {
	has := append(s.Entries().Further, "", s.MainCloud())
	for _, secret := range slices.Sorted(maps.Keys(s.Spec.CredentialSecrets)) {
		if entry := s.Spec.CredentialSecrets[secret]; !slices.Contains(has, entry) {
			field := "spec.credentialSecrets." + secret
			problems = append(problems, manifest.Problem{Origin: s.Origin, Key: manifest.Key{Kind: GVK.Kind, Name: s.Name}, Field: field,
				What: "is the entry " + entry + " of clouds.yaml, which is neither the stack's spec.cloud nor one of its spec.clouds", Fix: "correct it, or add it to spec.clouds"})
		}
	}
	for _, entry := range slices.Sorted(maps.Keys(s.Spec.CloudProjects)) {
		if !slices.Contains(s.Spec.Clouds, entry) {
			field := "spec.cloudProjects." + entry
			problems = append(problems, manifest.Problem{Origin: s.Origin, Key: manifest.Key{Kind: GVK.Kind, Name: s.Name}, Field: field,
				What: "names an entry of clouds.yaml that spec.clouds does not have", Fix: "correct it, or add it to spec.clouds; that of spec.cloud is spec.project"})
		}
	}
	return problems
}

// Repo returns the configuration of the stack's source. dir is a cache folder; "" means that the cache is in memory.
// token makes tokens of the GitHub App in source.auth. Without an App, token is not used and may be nil.
func (s *Stack) Repo(dir string, token func(context.Context) (string, error)) source.Config {
	return s.Spec.repo(dir, token)
}

func (s *Spec) repo(dir string, token func(context.Context) (string, error)) source.Config {
	src := s.Source
	return source.Config{URL: src.URL, Branch: src.Branch, Path: src.root(), Folders: src.layers(), CAFile: src.CAFile, Dir: dir, Auth: src.Auth.files(token)}
}

// files converts Auth for package source. token makes tokens of the GitHub App, if there is one.
func (a Auth) files(token func(context.Context) (string, error)) source.Auth {
	if a.GitHubApp == nil {
		token = nil
	}
	return source.Auth{
		TokenFile: a.TokenFile, Username: a.Username, BasicAuthFile: a.BasicAuthFile,
		SSHKeyFile: a.SSHKeyFile, KnownHostsFile: a.KnownHostsFile, Token: token,
	}
}
