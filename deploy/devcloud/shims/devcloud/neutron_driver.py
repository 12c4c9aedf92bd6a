"""Neutron without agents: every port that names a host is bound and ACTIVE at once (as with OVN), and router ports,
floating IPs and trunks get the status that an L3 or trunk agent would report. Everything else is stock Neutron."""
from neutron.services.qos.drivers.openvswitch import driver as ovs_qos
from neutron.services.trunk.drivers import base as trunk_base
from neutron_lib import constants
from neutron_lib.api.definitions import portbindings
from neutron_lib.callbacks import events, registry, resources
from neutron_lib.plugins import constants as plugins
from neutron_lib.plugins import directory
from neutron_lib.plugins.ml2 import api
from neutron_lib.services.qos import base as qos_base
from neutron_lib.services.trunk import constants as trunk

VIF_TYPES = [portbindings.VIF_TYPE_OVS, portbindings.VIF_TYPE_UNBOUND]
VIF_DETAILS = {portbindings.CAP_PORT_FILTER: True,
               portbindings.VIF_DETAILS_CONNECTIVITY: portbindings.CONNECTIVITY_L2}
ROUTER_OWNERS = (constants.DEVICE_OWNER_ROUTER_INTF, constants.DEVICE_OWNER_ROUTER_GW)


@registry.has_registry_receivers
class TrunkDriver(trunk_base.DriverBase):
    @property
    def is_loaded(self):
        return True


class MechanismDriver(api.MechanismDriver):
    @property
    def connectivity(self):
        return portbindings.CONNECTIVITY_L2

    def initialize(self):
        self.trunk = TrunkDriver('devcloud', VIF_TYPES, (trunk.SEGMENTATION_TYPE_VLAN,), can_trunk_bound_port=True)
        self.qos = qos_base.DriverBase(
            name='devcloud', vif_types=VIF_TYPES, vnic_types=[portbindings.VNIC_NORMAL],
            supported_rules=ovs_qos.SUPPORTED_RULES, requires_rpc_notifications=False)
        for event in (events.AFTER_CREATE, events.AFTER_UPDATE):
            registry.subscribe(self.floating_ip_changed, resources.FLOATING_IP, event)
        registry.subscribe(self.trunk_changed, resources.TRUNK, events.AFTER_CREATE)
        for event in (events.AFTER_CREATE, events.AFTER_DELETE):
            registry.subscribe(self.trunk_changed, resources.SUBPORTS, event)

    def bind_port(self, context):
        if context.segments_to_bind:
            segment = context.segments_to_bind[0]
            context.set_binding(segment[api.ID], portbindings.VIF_TYPE_OVS, dict(VIF_DETAILS),
                                status=constants.PORT_STATUS_ACTIVE)

    def create_port_postcommit(self, context):
        self.activate_router_port(context)

    def update_port_postcommit(self, context):
        self.activate_router_port(context)

    # Nobody binds a router's port to a host, so bind_port never sees one.
    def activate_router_port(self, context):
        port = context.current
        if port['device_owner'] in ROUTER_OWNERS and port['status'] != constants.PORT_STATUS_ACTIVE:
            directory.get_plugin().update_port_status(
                context._plugin_context, port['id'], constants.PORT_STATUS_ACTIVE)

    def floating_ip_changed(self, resource, event, trigger, payload=None):
        fip = payload.latest_state
        status = constants.FLOATINGIP_STATUS_ACTIVE if fip.get('port_id') else constants.FLOATINGIP_STATUS_DOWN
        if fip.get('status') != status:
            directory.get_plugin(plugins.L3).update_floatingip_status(
                payload.context.elevated(), payload.resource_id, status)
            fip['status'] = status

    def trunk_changed(self, resource, event, trigger, payload=None):
        state = payload.latest_state
        if state is not None and state.status != trunk.TRUNK_ACTIVE_STATUS:
            state.update(status=trunk.TRUNK_ACTIVE_STATUS)
