"""Version of the API that this package follows, and of this build."""

__version__ = "2.13.0+subnormal"
cuda = None
hip = None
git_version = "subnormal"
debug = False
