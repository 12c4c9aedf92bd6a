"""nova-compute with Nova's own fake hypervisor. Its guests survive a restart (they are read back from the database),
a snapshot uploads a few bytes so that the image becomes active, and tests can delay or fail a spawn:
inject/spawn-seconds holds a number, inject/spawn-fails the names of servers."""
import io
import sys
import time
import types

from devcloud import inject


def main():
    import nova.cmd.compute     # first: it patches the standard library
    from nova import context as nova_context
    from nova import exception, objects
    from nova.compute import vm_states
    from nova.image import glance
    from nova.virt import fake

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

        def spawn(self, context, instance, *args, **kwargs):
            time.sleep(inject.seconds('spawn-seconds'))
            if instance.display_name in inject.words('spawn-fails'):
                raise exception.BuildAbortException(instance_uuid=instance.uuid, reason='ordered by inject/spawn-fails')
            return super().spawn(context, instance, *args, **kwargs)

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
