"""nova-compute with Nova's own fake hypervisor. Its guests survive a restart (they are read back from the database),
a snapshot uploads a few bytes so that the image becomes active, and tests can delay or fail a spawn:
inject/spawn-seconds holds a number, inject/spawn-fails the names of servers. Servers whose image has the property
devcloud_guest=1 are real machines, if there are any (guests.py)."""
import io
import sys
import time
import types

from devcloud import inject
from devcloud.guests import Guest, wanted


def main():
    import nova.cmd.compute     # first: it patches the standard library
    from nova import context as nova_context
    from nova import exception, objects
    from nova.compute import power_state, task_states, vm_states
    from nova.image import glance
    from nova.virt import fake, hardware

    homeless = (vm_states.BUILDING, vm_states.ERROR, vm_states.DELETED, vm_states.SHELVED_OFFLOADED)

    class Driver(fake.FakeDriver):
        capabilities = dict(fake.FakeDriver.capabilities, supports_image_type_qcow2=True,
                            supports_migrate_to_same_host=True)

        def init_host(self, host):
            super().init_host(host)
            admin = nova_context.get_admin_context()
            for server in objects.InstanceList.get_by_host(admin, host, expected_attrs=['flavor']):
                if server.vm_state in homeless:
                    continue
                self.resources.claim(vcpus=server.flavor.vcpus, mem=server.flavor.memory_mb,
                                     disk=server.flavor.root_gb)
                self.instances[server.uuid] = fake.FakeInstance(server.name, server.power_state, server.uuid)

        def spawn(self, context, instance, image_meta, injected_files, admin_password, allocations, network_info=None,
                  block_device_info=None, power_on=True, accel_info=None):
            time.sleep(inject.seconds('spawn-seconds'))
            if instance.display_name in inject.words('spawn-fails'):
                raise exception.BuildAbortException(instance_uuid=instance.uuid, reason='ordered by inject/spawn-fails')
            super().spawn(context, instance, image_meta, injected_files, admin_password, allocations, network_info,
                          block_device_info, power_on, accel_info)
            self.begin(instance, network_info, block_device_info, power_on)

        def begin(self, instance, network_info, block_device_info, power_on=True):
            """A machine that has a disk keeps it: a resize spawns it again."""
            guest = Guest(instance.uuid)
            if not guest.exists():
                if not wanted(instance):
                    return
                guest.seed(instance)
            for volume in (block_device_info or {}).get('block_device_mapping') or []:
                self.plug_volume(guest, volume['connection_info'], volume['mount_device'])
            if power_on:
                guest.start(network_info)

        @staticmethod
        def plug_volume(guest, connection_info, device):
            guest.attach(connection_info.get('serial') or connection_info['data']['volume_id'], device)

        def finish_migration(self, context, migration, instance, disk_info, network_info, image_meta, resize_instance,
                             allocations, block_device_info=None, power_on=True):
            # The fake one forgets the network.
            self.spawn(context, instance, image_meta, None, None, allocations, network_info=network_info,
                       block_device_info=block_device_info, power_on=power_on)

        def migrate_disk_and_power_off(self, context, instance, dest, flavor, network_info, block_device_info=None,
                                       timeout=0, retry_interval=0):
            Guest(instance.uuid).stop()

        def confirm_migration(self, context, migration, instance, network_info):
            if migration.source_compute != migration.dest_compute:
                super().destroy(context, instance, network_info)     # the machine itself is where it was

        def finish_revert_migration(self, context, instance, network_info, migration, block_device_info=None,
                                    power_on=True):
            super().finish_revert_migration(context, instance, network_info, migration, block_device_info, power_on)
            self.begin(instance, network_info, block_device_info, power_on)

        def destroy(self, context, instance, *args, **kwargs):
            super().destroy(context, instance, *args, **kwargs)
            guest = Guest(instance.uuid)
            if not guest.exists():
                return
            if instance.task_state == task_states.RESIZE_REVERTING:
                guest.stop()
            else:
                guest.remove()

        def power_off(self, instance, timeout=0, retry_interval=0):
            Guest(instance.uuid).stop(orderly=timeout > 0)
            super().power_off(instance, timeout, retry_interval)

        def power_on(self, context, instance, network_info, block_device_info=None, accel_info=None):
            super().power_on(context, instance, network_info, block_device_info, accel_info)
            self.begin(instance, network_info, block_device_info)

        def reboot(self, context, instance, network_info, reboot_type, block_device_info=None, *args, **kwargs):
            Guest(instance.uuid).stop(orderly=reboot_type.upper() == 'SOFT')
            super().reboot(context, instance, network_info, reboot_type, block_device_info, *args, **kwargs)

        def attach_volume(self, context, connection_info, instance, mountpoint, *args, **kwargs):
            super().attach_volume(context, connection_info, instance, mountpoint, *args, **kwargs)
            guest = Guest(instance.uuid)
            if guest.exists():
                self.plug_volume(guest, connection_info, mountpoint)

        def detach_volume(self, context, connection_info, instance, mountpoint, *args, **kwargs):
            super().detach_volume(context, connection_info, instance, mountpoint, *args, **kwargs)
            Guest(instance.uuid).detach(mountpoint)

        def get_info(self, instance, use_cache=True):
            info = super().get_info(instance, use_cache)
            guest = Guest(instance.uuid)
            if not guest.exists():
                return info
            return hardware.InstanceInfo(state=power_state.RUNNING if guest.pid() else power_state.SHUTDOWN)

        def snapshot(self, context, instance, image_id, update_task_state):
            super().snapshot(context, instance, image_id, update_task_state)
            images = glance.API()
            meta = {'name': images.get(context, image_id)['name'], 'disk_format': 'raw', 'container_format': 'bare'}
            images.update(context, image_id, meta, io.BytesIO(bytes(4096)), purge_props=False)

    # compute_driver names a module below nova.virt.
    module = types.ModuleType('nova.virt.devcloud')
    module.Driver = Driver
    sys.modules[module.__name__] = module
    return nova.cmd.compute.main()
