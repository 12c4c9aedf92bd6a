// Package defaults is the part of a stack's configuration that kinds use for its manifests.
package defaults

import (
	"crypto/tls"
	"net/netip"

	"github.com/stackreeve/stackreeve/internal/etcd/pki"
	"github.com/stackreeve/stackreeve/internal/s3"
)

// Defaults are values of a stack's configuration. They are used if manifests give none, or use names of their organisation.
type Defaults struct {
	Network      string            `json:"network,omitempty" doc:"Network of machines and load balancers that name none."`
	VIPNetworks  map[string]string `json:"vipNetworks,omitempty" doc:"LoadBalancer spec.vipType to network name."`
	Regions      map[string]string `json:"regions,omitempty" doc:"spec.region to the cloud's region."`
	Zones        map[string]string `json:"zones,omitempty" doc:"spec.zone to availability zone."`
	ServiceTypes map[string]string `json:"serviceTypes,omitempty" doc:"LoadBalancer spec.serviceType to Octavia flavor; \"\" for none."`
	// StorageClasses are for manifests that were written for a Kubernetes cluster.
	StorageClasses map[string]string `json:"storageClasses,omitempty" doc:"storageClassName of an EtcdCluster or M3DBCluster to volume type; \"\" for the cloud's default, which it is where none is named."`
	ImageHosts     []string          `json:"imageHosts,omitempty" doc:"Hosts on private or local addresses that images may be downloaded from. All others must be on public addresses."`
	// ImageDownload says who downloads images from their addresses.
	ImageDownload string `json:"imageDownload,omitempty" rule:"enum=agent|glance,default=agent" doc:"Who downloads images. agent: the agent, which judges each address when it connects. glance: Glance itself, where it offers web-download and the manifest gives neither hash nor decompress; Glance then decides alone where names and redirects lead."`
	// MachineNetworks bound the addresses to which the agent itself connects: the addresses of machines come from manifests.
	MachineNetworks []string `json:"machineNetworks,omitempty" rule:"max=100,unique,format=cidr" doc:"Networks, as CIDR, in which machines are that the agent asks itself: for probes, and as members of etcd and M3DB. Others are not asked. Without it the ports of the stack's machines are asked wherever they are, and etcdEndpoints of an EtcdBackup within Subnets of the stack. This machine and its link are never asked."`
	Etcd            *Etcd    `json:"etcd,omitempty" doc:"Machines of an EtcdCluster, and what runs on them, where its manifest does not say."`
	M3              *M3      `json:"m3,omitempty" doc:"Machines of an M3DBCluster, and what runs on them, where its manifest does not say."`
	S3              *S3      `json:"s3,omitempty" doc:"Object store of the S3 protocol that backups may be kept in, besides the cloud's Swift."`
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
	// Master is the key in etcd.masterKeyFile; nil for none.
	Master *pki.Master
	// S3 reads s3.credentialsFile. S3Trust has the certificates that are trusted there, including s3.caFile; nil for the system's.
	S3      func() (s3.Keys, error)
	S3Trust *tls.Config
}

// S3 is an object store outside the cloud. Anyone who may merge manifests can write snapshots to its buckets, and restore from them.
type S3 struct {
	Endpoint        string   `json:"endpoint" rule:"required,min=1" doc:"Its address, without a bucket: https://s3.eu-central-1.amazonaws.com, https://minio.example.org. Buckets stand in the path."`
	Region          string   `json:"region,omitempty" rule:"min=1,default=us-east-1" doc:"What it calls the place where it is."`
	Buckets         []string `json:"buckets" rule:"required,min=1,max=20,unique" doc:"Buckets that manifests may name. They have to be there. Each pass of a stack with an EtcdBackup lists what is the stack's in all of them."`
	CredentialsFile string   `json:"credentialsFile" rule:"required,min=1" doc:"File with the keys, as AWS's tools write it: aws_access_key_id, aws_secret_access_key and, where there is one, aws_session_token in a section [default]. It is read again for each request."`
	CAFile          string   `json:"caFile,omitempty" doc:"PEM certificates that are trusted for it besides the system's."`
}

// Etcd are defaults for values that an EtcdCluster lacks, above all one that was written for another operator.
type Etcd struct {
	Image      string            `json:"image,omitempty" doc:"Image of the machines: one with cloud-init and systemd, such as Debian 12."`
	Flavor     string            `json:"flavor,omitempty" doc:"Size of the machines."`
	VolumeSize int               `json:"volumeSize,omitempty" rule:"min=1" doc:"Size in GiB of the volume that the data of each machine is on; without one it is on the machine's own disk."`
	Repository string            `json:"repository,omitempty" doc:"Address of etcd itself, a binary or a .tar.gz with one, {version} and {arch} (amd64, arm64) filled in; Debian's package etcd-server without one."`
	Checksums  map[string]string `json:"checksums,omitempty" doc:"SHA-256 of what is at that address, by version."`
	Versions   map[string]string `json:"versions,omitempty" doc:"Version that is used in place of one that manifests name."`
	// MasterKeyFile is read when a cloud is opened.
	MasterKeyFile string `json:"masterKeyFile,omitempty" doc:"File with the master key that keys and certificates are derived from, with TLS: {auto: {}}: 32 bytes of randomness or more, as of openssl rand -hex 32. Who has it can use every such cluster; without it nobody can change them any more."`
}

// M3 are defaults for values that an M3DBCluster lacks, above all one that was written for another operator.
type M3 struct {
	Image       string            `json:"image,omitempty" doc:"Image of the machines: one with cloud-init, systemd and Python, such as Debian 12."`
	Flavor      string            `json:"flavor,omitempty" doc:"Size of the machines."`
	VolumeSize  int               `json:"volumeSize,omitempty" rule:"min=1" doc:"Size in GiB of the volume that the data of each machine is on; 10 without it."`
	Repository  string            `json:"repository,omitempty" doc:"Address of M3DB itself, m3dbnode or a .tar.gz with it, {version} and {arch} (amd64, arm64) filled in; its own releases without one."`
	Checksums   map[string]string `json:"checksums,omitempty" doc:"SHA-256 of what is at that address, by version."`
	Versions    map[string]string `json:"versions,omitempty" doc:"Version that is used in place of a tag of images that manifests name, such as latest."`
	EtcdCluster string            `json:"etcdCluster,omitempty" doc:"EtcdCluster that clusters use which do not say where etcd is; without it each has one of its own."`
}
