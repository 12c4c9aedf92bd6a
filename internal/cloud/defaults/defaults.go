// Package defaults is the part of a stack's configuration that kinds use for its manifests.
package defaults

import (
	"crypto/tls"
	"net/netip"

	"github.com/stackreeve/stackreeve/internal/etcd/pki"
	"github.com/stackreeve/stackreeve/internal/s3"
)

// Defaults are values of a stack's configuration. They replace values that manifests leave out, and translate names that only the
// organisation uses into the cloud's names.
type Defaults struct {
	Network      string            `json:"network,omitempty" doc:"Network of machines and load balancers whose manifests name no network."`
	VIPNetworks  map[string]string `json:"vipNetworks,omitempty" doc:"Names of networks, by the spec.vipType of a LoadBalancer."`
	Regions      map[string]string `json:"regions,omitempty" doc:"Regions of the cloud, by the spec.region of a manifest."`
	Zones        map[string]string `json:"zones,omitempty" doc:"Availability zones, by the spec.zone of a manifest."`
	ServiceTypes map[string]string `json:"serviceTypes,omitempty" doc:"Flavors of Octavia, by the spec.serviceType of a LoadBalancer. \"\" means no flavor."`
	// StorageClasses are for manifests that were written for a Kubernetes cluster.
	StorageClasses map[string]string `json:"storageClasses,omitempty" doc:"Volume types by the storageClassName of an EtcdCluster or M3DBCluster. \"\" means the cloud's default type, which is also used for a name that this list does not have."`
	ImageHosts     []string          `json:"imageHosts,omitempty" doc:"Hosts on private or local addresses from which images may be downloaded. All other hosts must be on public addresses."`
	// ImageDownload says who downloads images from their addresses.
	ImageDownload string `json:"imageDownload,omitempty" rule:"enum=agent|glance,default=agent" doc:"Program that downloads images. agent: the agent, which checks each address when it connects. glance: Glance itself, if Glance offers web-download and the manifest gives neither hash nor decompress; the agent then cannot check the addresses to which names and redirects lead."`
	// MachineNetworks bound the addresses to which the agent itself connects, because the addresses of machines come from manifests.
	MachineNetworks []string `json:"machineNetworks,omitempty" rule:"max=100,unique,format=cidr" doc:"Networks, as CIDR, of machines that the agent connects to: for probes, and for members of etcd and M3DB. It connects to no other machines. If left out, it connects to the ports of the stack's machines in every network, and to etcdEndpoints of an EtcdBackup within Subnets of the stack. It never connects to its own machine or to link-local addresses."`
	Etcd            *Etcd    `json:"etcd,omitempty" doc:"Defaults for the machines of an EtcdCluster, and for the programs on them."`
	M3              *M3      `json:"m3,omitempty" doc:"Defaults for the machines of an M3DBCluster, and for the programs on them."`
	S3              *S3      `json:"s3,omitempty" doc:"Object store of the S3 protocol for backups, besides the cloud's Swift."`
	// Region is the region that the stack works in. It comes from the cloud's entry, not from this configuration. "" if unknown (validate
	// without a cloud).
	Region string `json:"-"`
	// Keys are not in the configuration. They are read from their files when a cloud is opened.
	Keys Keys `json:"-"`
	// Memory is the stack's memory; nil if each login has its own.
	Memory *Memory `json:"-"`
}

// Networks are the networks of machines to which the agent may connect; none means all.
func (d Defaults) Networks() (list []netip.Prefix) {
	for _, text := range d.MachineNetworks {
		if p, err := netip.ParsePrefix(text); err == nil { // the configuration was validated before
			list = append(list, p.Masked())
		}
	}
	return list
}

// Keys are the secrets that kinds need in addition to the login to the cloud; all are nil if nothing is written to a cloud.
type Keys struct {
	// Master is the key in etcd.masterKeyFile; nil if there is none.
	Master *pki.Master
	// S3 reads s3.credentialsFile. S3Trust has the certificates that are trusted there, including s3.caFile; nil for the system's.
	S3      func() (s3.Keys, error)
	S3Trust *tls.Config
}

// S3 is an object store outside the cloud. Anyone who may merge manifests can write snapshots to its buckets, and restore from them.
type S3 struct {
	Endpoint        string   `json:"endpoint" rule:"required,min=1" doc:"Address of the store, without a bucket: https://s3.eu-central-1.amazonaws.com, https://minio.example.org. Requests have the bucket in the path."`
	Region          string   `json:"region,omitempty" rule:"min=1,default=us-east-1" doc:"Name of its region."`
	Buckets         []string `json:"buckets" rule:"required,min=1,max=20,unique" doc:"Buckets that manifests may name. They must exist. Each pass of a stack with an EtcdBackup lists the stack's objects in all of them."`
	CredentialsFile string   `json:"credentialsFile" rule:"required,min=1" doc:"File with the keys, in the format of AWS's tools: aws_access_key_id, aws_secret_access_key and, if there is one, aws_session_token in a section [default]. It is read again for each request."`
	CAFile          string   `json:"caFile,omitempty" doc:"File with PEM certificates that are trusted for this server, besides the system's."`
}

// Etcd are defaults for values that an EtcdCluster lacks, above all one that was written for another operator.
type Etcd struct {
	Image      string            `json:"image,omitempty" doc:"Image of the machines: one with cloud-init and systemd, such as Debian 12."`
	Flavor     string            `json:"flavor,omitempty" doc:"Size of the machines."`
	VolumeSize int               `json:"volumeSize,omitempty" rule:"min=1" doc:"Size in GiB of the volume for the data of each machine. If left out, the data is on the machine's own disk."`
	Repository string            `json:"repository,omitempty" doc:"Address of the binary of etcd, or of a .tar.gz with it. {version} and {arch} (amd64, arm64) in the address are filled in. Debian's package etcd-server if left out."`
	Checksums  map[string]string `json:"checksums,omitempty" doc:"SHA-256 of the file at that address, by version."`
	Versions   map[string]string `json:"versions,omitempty" doc:"Replacements for versions that manifests name: the version in the manifest, and the version that is used."`
	// MasterKeyFile is read when a cloud is opened.
	MasterKeyFile string `json:"masterKeyFile,omitempty" doc:"File with the master key from which keys and certificates are derived, with TLS: {auto: {}}. It has 32 random bytes or more, for example from openssl rand -hex 32. Everybody who has the key can use every such cluster. If the key is lost, nobody can change these clusters."`
}

// M3 are defaults for values that an M3DBCluster lacks, above all one that was written for another operator.
type M3 struct {
	Image       string            `json:"image,omitempty" doc:"Image of the machines: one with cloud-init, systemd and Python, such as Debian 12."`
	Flavor      string            `json:"flavor,omitempty" doc:"Size of the machines."`
	VolumeSize  int               `json:"volumeSize,omitempty" rule:"min=1" doc:"Size in GiB of the volume for the data of each machine; 10 if left out."`
	Repository  string            `json:"repository,omitempty" doc:"Address of the file m3dbnode, or of a .tar.gz with it. {version} and {arch} (amd64, arm64) in the address are filled in. M3DB's own releases if left out."`
	Checksums   map[string]string `json:"checksums,omitempty" doc:"SHA-256 of the file at that address, by version."`
	Versions    map[string]string `json:"versions,omitempty" doc:"Versions by the tags of images that manifests name, such as latest."`
	EtcdCluster string            `json:"etcdCluster,omitempty" doc:"EtcdCluster for M3DBClusters that name no etcd. If left out, each such cluster gets an EtcdCluster of its own."`
}
