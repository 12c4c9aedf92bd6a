"""A volume driver without a disk: Cinder's own fake, with room that the scheduler believes in, and with every copy
of bytes left out."""
import io

from cinder.tests import fake_driver


class Driver(fake_driver.FakeLoggingVolumeDriver):
    def _update_volume_stats(self):
        super()._update_volume_stats()
        for pool in self._stats['pools']:
            pool.update(reserved_percentage=0, multiattach=True, online_extend_support=True)

    def clone_image(self, context, volume, image_location, image_meta, image_service):
        return {}, True

    def copy_image_to_volume(self, context, volume, image_service, image_id, disable_sparse=False):
        pass

    def copy_volume_to_image(self, context, volume, image_service, image_meta):
        image_service.update(context, image_meta['id'], {}, io.BytesIO(bytes(4096)))

    def create_cloned_volume(self, volume, src_vol):
        pass

    def create_volume_from_snapshot(self, volume, snapshot):
        pass

    def extend_volume(self, volume, new_size):
        pass

    def revert_to_snapshot(self, context, volume, snapshot):
        pass
