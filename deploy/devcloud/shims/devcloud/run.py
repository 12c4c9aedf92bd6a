"""python3 -m devcloud.run PROGRAM MODULE:FUNCTION ARGUMENT... calls an OpenStack console entry point."""
import importlib
import sys

program, entry_point, *arguments = sys.argv[1:]
module, function = entry_point.split(':')
sys.argv = [program, *arguments]
if program.startswith('cinder'):
    importlib.import_module('devcloud.cinder_context')
sys.exit(getattr(importlib.import_module(module), function)())
