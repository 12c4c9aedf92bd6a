// Package all is the one place that names every kind.
package all

import (
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/addressgroup"
	"github.com/stackreeve/stackreeve/internal/cloud/addressscope"
	"github.com/stackreeve/stackreeve/internal/cloud/applicationcredential"
	"github.com/stackreeve/stackreeve/internal/cloud/barbicansecret"
	"github.com/stackreeve/stackreeve/internal/cloud/configmap"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/dnsrecordset"
	"github.com/stackreeve/stackreeve/internal/cloud/dnszone"
	"github.com/stackreeve/stackreeve/internal/cloud/domain"
	"github.com/stackreeve/stackreeve/internal/cloud/endpoint"
	"github.com/stackreeve/stackreeve/internal/cloud/etcdbackup"
	"github.com/stackreeve/stackreeve/internal/cloud/etcdcluster"
	"github.com/stackreeve/stackreeve/internal/cloud/etcdmember"
	"github.com/stackreeve/stackreeve/internal/cloud/etcdrestore"
	"github.com/stackreeve/stackreeve/internal/cloud/flavor"
	"github.com/stackreeve/stackreeve/internal/cloud/floatingip"
	"github.com/stackreeve/stackreeve/internal/cloud/group"
	"github.com/stackreeve/stackreeve/internal/cloud/image"
	"github.com/stackreeve/stackreeve/internal/cloud/keypair"
	"github.com/stackreeve/stackreeve/internal/cloud/loadbalancer"
	"github.com/stackreeve/stackreeve/internal/cloud/m3dbcluster"
	"github.com/stackreeve/stackreeve/internal/cloud/m3dbinstance"
	"github.com/stackreeve/stackreeve/internal/cloud/m3dbnamespace"
	"github.com/stackreeve/stackreeve/internal/cloud/network"
	"github.com/stackreeve/stackreeve/internal/cloud/port"
	"github.com/stackreeve/stackreeve/internal/cloud/portforwarding"
	"github.com/stackreeve/stackreeve/internal/cloud/project"
	"github.com/stackreeve/stackreeve/internal/cloud/qospolicy"
	"github.com/stackreeve/stackreeve/internal/cloud/quota"
	"github.com/stackreeve/stackreeve/internal/cloud/role"
	"github.com/stackreeve/stackreeve/internal/cloud/roleassignment"
	"github.com/stackreeve/stackreeve/internal/cloud/router"
	"github.com/stackreeve/stackreeve/internal/cloud/routerinterface"
	"github.com/stackreeve/stackreeve/internal/cloud/secret"
	"github.com/stackreeve/stackreeve/internal/cloud/securitygroup"
	"github.com/stackreeve/stackreeve/internal/cloud/server"
	"github.com/stackreeve/stackreeve/internal/cloud/servergroup"
	"github.com/stackreeve/stackreeve/internal/cloud/service"
	"github.com/stackreeve/stackreeve/internal/cloud/sharenetwork"
	"github.com/stackreeve/stackreeve/internal/cloud/subnet"
	"github.com/stackreeve/stackreeve/internal/cloud/subnetpool"
	"github.com/stackreeve/stackreeve/internal/cloud/swiftcontainer"
	"github.com/stackreeve/stackreeve/internal/cloud/trunk"
	"github.com/stackreeve/stackreeve/internal/cloud/user"
	"github.com/stackreeve/stackreeve/internal/cloud/virtualmachine"
	"github.com/stackreeve/stackreeve/internal/cloud/virtualmachinegroup"
	"github.com/stackreeve/stackreeve/internal/cloud/volume"
	"github.com/stackreeve/stackreeve/internal/cloud/volumebackup"
	"github.com/stackreeve/stackreeve/internal/cloud/volumesnapshot"
	"github.com/stackreeve/stackreeve/internal/cloud/volumesnapshotschedule"
	"github.com/stackreeve/stackreeve/internal/cloud/volumetype"
	"github.com/stackreeve/stackreeve/internal/definition"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Kinds lists the kinds, in an order in which each comes after those it
// depends on. c may be nil where only their rules are needed, and d is
// empty where nothing is expanded.
func Kinds(c *cloud.Client, d defaults.Defaults) []kind.Kind {
	return append([]kind.Kind{
		configmap.Kind(),
		secret.Kind(),
		domain.Kind(c),
		project.Kind(c),
		quota.Kind(c),
		role.Kind(c),
		group.Kind(c),
		user.Kind(c),
		roleassignment.Kind(c),
		service.Kind(c),
		endpoint.Kind(c),
		applicationcredential.Kind(c),
		image.Kind(c, d),
		flavor.Kind(c),
		keypair.Kind(c),
		servergroup.Kind(c),
		volumetype.Kind(c),
		dnszone.Kind(c),
		barbicansecret.Kind(c),
		swiftcontainer.Kind(c),
		addressscope.Kind(c),
		subnetpool.Kind(c),
		addressgroup.Kind(c),
		qospolicy.Kind(c),
		network.Kind(c),
		subnet.Kind(c),
		router.Kind(c),
		routerinterface.Kind(c),
		securitygroup.Kind(c),
		sharenetwork.Kind(c),
		port.Kind(c),
		trunk.Kind(c),
		volume.Kind(c),
		volumesnapshot.Kind(c),
		volumesnapshotschedule.Kind(c),
		volumebackup.Kind(c),
		server.Kind(c, d.Keys.Master),
		loadbalancer.Kind(c, d),
		floatingip.Kind(c),
		portforwarding.Kind(c),
		dnsrecordset.Kind(c),
		virtualmachine.Kind(d),
		virtualmachinegroup.Kind(),
		etcdrestore.Kind(c, d),
		etcdmember.Kind(c, d),
		etcdcluster.Kind(d),
		etcdbackup.Kind(c, d),
		m3dbinstance.Kind(c),
		m3dbnamespace.Kind(c),
		m3dbcluster.Kind(d),
	}, definition.Kinds()...)
}
