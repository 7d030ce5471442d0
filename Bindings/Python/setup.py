"""Builds the wheel: compiles the C library of this source tree by CMake, and adds it to the package."""

import pathlib
import shutil
import subprocess
import tempfile

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class BuildWithLibrary(build_py):
    def run(self):
        shutil.rmtree(self.build_lib, ignore_errors=True)  # what an earlier build has left
        super().run()
        if self.editable_mode:
            return  # uses AUDIOSESSION_LIBRARY, or the library of the system
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["cmake", "-S", ROOT, "-B", folder, "-DBUILD_TESTING=OFF", "-DCMAKE_BUILD_TYPE=Release"], check=True)
            subprocess.run(["cmake", "--build", folder, "--target", "audiosession"], check=True)
            (library,) = (path for path in pathlib.Path(folder).rglob("libaudiosession.so.*") if path.is_symlink())
            shutil.copyfile(library, pathlib.Path(self.build_lib) / "audiosession" / library.name)


class PlatformWheel(bdist_wheel):
    """A wheel for every Python 3 on this kind of machine."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class WithLibrary(Distribution):
    def has_ext_modules(self):
        return True


setup(distclass=WithLibrary, cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel})
