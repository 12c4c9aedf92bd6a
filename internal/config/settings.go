package config

import (
	"strings"
)

// Setting is one field of a Stack that can be set by a flag or an environment variable.
type Setting struct {
	Flag  string // the name of the flag without the dashes
	Field string // path in the document; "metadata.name" for the stack's name
	Usage string
	shape shape
}

type shape int

const (
	text    shape = iota
	boolean       // true or false
	pairs         // key=value, separated by commas
	number        // a number or a percentage
	numbers       // pairs of a key and such a number, separated by commas
	list          // texts, separated by commas
)

// Env returns the name of the environment variable of the setting.
func (s Setting) Env() string {
	return "STACKREEVE_" + strings.ToUpper(strings.ReplaceAll(s.Flag, "-", "_"))
}

// All lists the settings.
func All() []Setting {
	return []Setting{
		{"stack", "metadata.name", "name of the stack; with a configuration file: the only stack that is used", text},
		{"url", "spec.source.url", "repository: https, ssh, or a local path; or an artifact: oci://registry/repository, or https and a path that ends in .tar.gz", text},
		{"branch", "spec.source.branch", "branch to follow (default the repository's own)", text},
		{"tag", "spec.source.tag", "tag to follow in a registry", text},
		{"digest", "spec.source.digest", "the only artifact or archive that is accepted: sha256: and 64 digits", text},
		{"path", "spec.source.path", "folder within the repository (default its root)", text},
		{"paths", "spec.source.paths", "folders such as clouds/*, each a stack of its own, instead of path", text},
		{"overlays", "spec.source.overlays", "folders of manifests, relative to path, the later ones merged into the earlier ones", list},
		{"kustomize", "spec.source.kustomize", "build the kustomization in that folder (default false)", boolean},
		{"values", "spec.source.values", "texts that replace ${NAME} in manifests, as NAME=TEXT", pairs},
		{"include", "spec.source.include", "files of that folder that are read, such as net/*.yaml (default all)", list},
		{"exclude", "spec.source.exclude", "files and folders of it that are not read, such as drafts", list},
		{"verify", "spec.source.verify.mode", "which objects have to be signed: head, range or tag (default range)", text},
		{"verify-openpgp-key-files", "spec.source.verify.openpgpKeyFiles", "files with OpenPGP keys that are trusted to sign", list},
		{"verify-allowed-signers-file", "spec.source.verify.allowedSignersFile", "file with SSH keys that are trusted to sign", text},
		{"verify-forge-openpgp-key-files", "spec.source.verify.forge.openpgpKeyFiles", "files with OpenPGP keys with which the forge signs merges", list},
		{"verify-forge-allowed-signers-file", "spec.source.verify.forge.allowedSignersFile", "file with SSH keys with which the forge signs merges", text},
		{"verify-since", "spec.source.verify.since", "commit that is trusted with everything before it", text},
		{"verify-tags", "spec.source.verify.tags", "patterns for the names of signed tags that count (default all)", list},
		{"verify-rewrites", "spec.source.verify.rewrites", "refuse or allow commits that do not descend from the last verified one (default refuse)", text},
		{"poll", "spec.source.poll", `when to look for new commits (default "@every 1m")`, text},
		{"ca-file", "spec.source.caFile", "file with certificates that are trusted for https, besides the system's", text},
		{"token-file", "spec.source.auth.tokenFile", "file with a Git token", text},
		{"username", "spec.source.auth.username", "user of the Git login", text},
		{"basic-auth-file", "spec.source.auth.basicAuthFile", "file with user:password", text},
		{"ssh-key-file", "spec.source.auth.sshKeyFile", "file with the private key for ssh", text},
		{"known-hosts-file", "spec.source.auth.knownHostsFile", "file with the host keys that are trusted for ssh", text},
		{"docker-config-file", "spec.source.auth.dockerConfigFile", "file config.json of Docker, with the login for a registry", text},
		{"verify-cosign-key-files", "spec.source.verify.cosignKeyFiles", "files with public keys, one of which must have signed the artifact", list},
		{"verify-cosign-repository", "spec.source.verify.cosignRepository", "repository of the same registry in which cosign stores signatures (default that of the artifact)", text},
		{"git-app-id", "spec.source.auth.githubApp.appID", "number of the GitHub App that fetches", number},
		{"git-app-installation-id", "spec.source.auth.githubApp.installationID", "number of the App's installation", number},
		{"git-app-key-file", "spec.source.auth.githubApp.privateKeyFile", "file with the App's private key", text},
		{"git-app-api-url", "spec.source.auth.githubApp.apiURL", "address of GitHub's API, for Enterprise", text},
		{"cloud", "spec.cloud", "entry of clouds.yaml (default $OS_CLOUD)", text},
		{"project", "spec.project", "project to which the credentials must belong, by ID or name", text},
		{"clouds", "spec.clouds", "further entries of clouds.yaml that manifests may name", list},
		{"cloud-project", "spec.cloudProjects", "project to which the credentials of another entry must belong, as ENTRY=PROJECT", pairs},
		{"credential-secret", "spec.credentialSecrets", "entry of clouds.yaml for a Secret that manifests name, as SECRET=ENTRY", pairs},
		{"default-network", "spec.defaults.network", "network of machines whose manifests name no network", text},
		{"vip-network", "spec.defaults.vipNetworks", "network of a vipType, as TYPE=NETWORK", pairs},
		{"region", "spec.defaults.regions", "the cloud's name of a region, as NAME=REGION", pairs},
		{"zone", "spec.defaults.zones", "availability zone of a zone, as NAME=ZONE", pairs},
		{"service-type", "spec.defaults.serviceTypes", "Octavia flavor of a serviceType, as TYPE=FLAVOR", pairs},
		{"storage-class", "spec.defaults.storageClasses", "volume type of a storageClassName, as CLASS=TYPE", pairs},
		{"image-host", "spec.defaults.imageHosts", "host on a private or local address from which images may be downloaded", list},
		{"image-download", "spec.defaults.imageDownload", "program that downloads images: agent or glance (default agent)", text},
		{"machine-network", "spec.defaults.machineNetworks", "network, as CIDR, in which the agent may connect to machines", list},
		{"etcd-image", "spec.defaults.etcd.image", "image of the machines of an EtcdCluster, if its manifest names no image", text},
		{"etcd-flavor", "spec.defaults.etcd.flavor", "their flavor", text},
		{"etcd-volume-size", "spec.defaults.etcd.volumeSize", "size in GiB of the volume for their data", number},
		{"etcd-repository", "spec.defaults.etcd.repository", "address of etcd's binary or archive", text},
		{"etcd-checksum", "spec.defaults.etcd.checksums", "SHA-256 of the file at that address, as VERSION=SUM", pairs},
		{"etcd-version", "spec.defaults.etcd.versions", "replacement for a version that manifests name, as VERSION=VERSION", pairs},
		{"etcd-master-key-file", "spec.defaults.etcd.masterKeyFile", "file with the master key of clusters with TLS: {auto: {}}", text},
		{"m3-image", "spec.defaults.m3.image", "image of the machines of an M3DBCluster, if its manifest names no image", text},
		{"m3-flavor", "spec.defaults.m3.flavor", "their flavor", text},
		{"m3-volume-size", "spec.defaults.m3.volumeSize", "size in GiB of the volume for their data", number},
		{"m3-repository", "spec.defaults.m3.repository", "address of M3DB's binary or archive", text},
		{"m3-checksum", "spec.defaults.m3.checksums", "SHA-256 of the file at that address, as VERSION=SUM", pairs},
		{"m3-version", "spec.defaults.m3.versions", "version for a tag that manifests name, as TAG=VERSION", pairs},
		{"m3-etcd-cluster", "spec.defaults.m3.etcdCluster", "EtcdCluster of M3DBClusters whose manifests name no etcd", text},
		{"s3-endpoint", "spec.defaults.s3.endpoint", "address of an object store with the S3 protocol for backups", text},
		{"s3-region", "spec.defaults.s3.region", "name of the store's region (default us-east-1)", text},
		{"s3-bucket", "spec.defaults.s3.buckets", "bucket in this store that manifests may name", list},
		{"s3-credentials-file", "spec.defaults.s3.credentialsFile", "file with the keys of the store, in the format of AWS's tools", text},
		{"s3-ca-file", "spec.defaults.s3.caFile", "file with certificates that are trusted for the store, besides the system's", text},
		{"age-key-file", "spec.decryption.ageKeyFiles", "file with age identities that decrypt manifests", list},
		{"openpgp-key-file", "spec.decryption.openpgpKeyFiles", "file with an OpenPGP private key that decrypts manifests", list},
		{"depends-on", "spec.dependsOn", "stacks that must be in sync before this one changes anything", list},
		{"suspend", "spec.suspend", "only plan and report, and change nothing (default false)", boolean},
		{"sync-mode", "spec.sync.mode", "auto, or manual: every change waits until its hash is approved (default auto)", text},
		{"marks", "spec.sync.marks", "place of the owner mark for Neutron's objects that cannot be tagged when they are created: tags or descriptions (default tags)", text},
		{"prune", "spec.sync.prune", "delete objects after their manifest was removed (default true)", boolean},
		{"drift", "spec.sync.drift", "what happens to changes that somebody makes in the cloud: correct or report (default correct)", text},
		{"drift-check", "spec.sync.driftCheck", `when to check the cloud without a new commit (default "@every 5m")`, text},
		{"max-deletes", "spec.sync.maxDeletes", "how many objects one pass may delete, replace or wipe: a number or a share (default 30%)", number},
		{"max-deletes-per-kind", "spec.sync.maxDeletesPerKind", "the same limit for a single kind, as KIND=LIMIT", numbers},
		{"allow-data-loss", "spec.sync.allowDataLoss", "allow plans to lose data that exists nowhere else, such as the data of volumes (default false)", boolean},
		{"max-objects", "spec.limits.objects", "how many objects the stack may have, with what manifests expand to (default 20000)", number},
		{"max-pull-objects", "spec.limits.pullObjects", "how many objects a pull request may add, if the branch has fewer (default 1000)", number},
		{"missing-references", "spec.sync.missingReferences", "what happens if an object refers to an object without a manifest: refuse the commit, or wait for the object (default refuse)", text},
		{"objects-of-other-stacks", "spec.sync.objectsOfOtherStacks", "refuse or allow using volumes, ports and floating IPs that another stack has marked (default refuse)", text},
		{"replace", "spec.sync.replace", "refuse or allow replacing objects to apply a change (default refuse)", text},
		{"probe", "spec.events.probe", "on: ask the services every few seconds whether something has changed (default on, or off with a RabbitMQ)", text},
		{"amqp-url-file", "spec.events.amqp.urlFile", "file with the address and the login of the cloud's RabbitMQ, for notifications", text},
		{"amqp-server", "spec.events.amqp.servers", "node of this RabbitMQ, as host:port, in place of the address in a file", list},
		{"amqp-username", "spec.events.amqp.username", "its user", text},
		{"amqp-password-file", "spec.events.amqp.passwordFile", "file with the user's password", text},
		{"amqp-tls", "spec.events.amqp.tls", "connect with TLS (default false)", boolean},
		{"amqp-ca-file", "spec.events.amqp.caFile", "file with certificates that are trusted for RabbitMQ, in place of the system's", text},
		{"amqp-cert-file", "spec.events.amqp.certFile", "file with the certificate that the agent shows to RabbitMQ", text},
		{"amqp-key-file", "spec.events.amqp.keyFile", "file with the key of this certificate", text},
		{"amqp-vhost", "spec.events.amqp.vhosts", "virtual host of the services (default /)", list},
		{"amqp-exchange", "spec.events.amqp.exchanges", "exchange of a service (default: see docs/events.md)", list},
		{"amqp-topic", "spec.events.amqp.topics", "topic of notifications (default notifications, versioned_notifications)", list},
		{"github-repository", "spec.report.github.repository", "owner/name on GitHub, for plans on pull requests", text},
		{"github-token-file", "spec.report.github.tokenFile", "file with a GitHub token", text},
		{"github-app-id", "spec.report.github.app.appID", "number of the GitHub App that reports, in place of a token", number},
		{"github-app-installation-id", "spec.report.github.app.installationID", "number of the App's installation", number},
		{"github-app-key-file", "spec.report.github.app.privateKeyFile", "file with the App's private key", text},
		{"github-api-url", "spec.report.github.apiURL", "address of GitHub's API, for Enterprise", text},
		{"github-requests-per-hour", "spec.report.github.requestsPerHour", "how many requests GitHub may get per hour (default 4000)", number},
		{"gitea-url", "spec.report.gitea.url", "address of a Gitea or Forgejo, for plans on pull requests", text},
		{"gitea-repository", "spec.report.gitea.repository", "owner/name there", text},
		{"gitea-token-file", "spec.report.gitea.tokenFile", "file with a token for this server", text},
		{"gitea-ca-file", "spec.report.gitea.caFile", "file with certificates that are trusted for the forge's server, besides the system's", text},
		{"gitea-requests-per-hour", "spec.report.gitea.requestsPerHour", "how many requests this server may get per hour (default 4000)", number},
		{"gitlab-url", "spec.report.gitlab.url", "address of a GitLab, for plans on merge requests", text},
		{"gitlab-project", "spec.report.gitlab.project", "path of the project on GitLab, with its groups", text},
		{"gitlab-token-file", "spec.report.gitlab.tokenFile", "file with a token for this server", text},
		{"gitlab-ca-file", "spec.report.gitlab.caFile", "file with certificates that are trusted for the forge's server, besides the system's", text},
		{"gitlab-requests-per-hour", "spec.report.gitlab.requestsPerHour", "how many requests this server may get per hour (default 4000)", number},
		{"gerrit-url", "spec.report.gerrit.url", "address of a Gerrit, for plans on changes", text},
		{"gerrit-project", "spec.report.gerrit.project", "name of the project on Gerrit", text},
		{"gerrit-user", "spec.report.gerrit.user", "name of the agent's account on Gerrit", text},
		{"gerrit-password-file", "spec.report.gerrit.passwordFile", "file with the account's HTTP password", text},
		{"gerrit-label", "spec.report.gerrit.label", "label to vote with, from -1 to +1", text},
		{"gerrit-ca-file", "spec.report.gerrit.caFile", "file with certificates that are trusted for the forge's server, besides the system's", text},
		{"gerrit-requests-per-hour", "spec.report.gerrit.requestsPerHour", "how many requests this server may get per hour (default 4000)", number},
		{"report-file", "spec.report.file.path", "file that gets a line for each change of a status", text},
		{"report-poll", "spec.report.poll", `when to look for pull requests (default "@every 1m")`, text},
		{"page", "spec.report.page", "address of the agent's page for browsers, used in links of notifications", text},
		{"dashboard", "spec.report.dashboards", "address of an object in the cloud's dashboard, as KIND=ADDRESS with {id}", pairs},
		{"fingerprint-key-file", "spec.fingerprints.keyFiles", "files with keys for fingerprints of secrets, the one to use first", list},
		{"price-currency", "spec.prices.currency", "currency of all prices, such as EUR; with prices, plans show by how much the costs of a month change", text},
		{"price-flavor", "spec.prices.flavors", "price of a machine for an hour, as FLAVOR=PRICE; * is every other flavor", pairs},
		{"price-volume-gb", "spec.prices.volumeGB", "price of a GiB of a volume for an hour, as TYPE=PRICE; * is every other volume", pairs},
		{"price-floating-ip", "spec.prices.floatingIP", "price of a floating IP for an hour", text},
		{"price-load-balancer", "spec.prices.loadBalancer", "price of a load balancer for an hour", text},
		{"forks", "spec.report.forks", "what happens to pull requests from forks: validate or plan (default validate)", text},
	}
}
