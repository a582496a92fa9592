"""The Python half of a session: runs learners' scripts as CPython would. See runner.py; python-host.ts is the other half.

This package is part of the memory snapshot: importing it must not touch the engine.
"""
