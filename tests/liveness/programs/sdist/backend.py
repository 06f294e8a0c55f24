"""A build backend that needs no other package: a wheel is a zip file with three extra members."""
import os
import zipfile

NAME, VERSION = "hello_sdist", "1.0"


def build_wheel(folder, config_settings=None, metadata_directory=None):
    info = "%s-%s.dist-info" % (NAME, VERSION)
    file = "%s-%s-py3-none-any.whl" % (NAME, VERSION)
    members = {
        "%s/__init__.py" % NAME: open("%s/__init__.py" % NAME).read(),
        info + "/METADATA": "Metadata-Version: 2.1\nName: hello-sdist\nVersion: %s\n" % VERSION,
        info + "/WHEEL": "Wheel-Version: 1.0\nGenerator: backend\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        info + "/entry_points.txt": "[console_scripts]\nhello-sdist = hello_sdist:main\n",
    }
    members[info + "/RECORD"] = "".join("%s,,\n" % name for name in members) + info + "/RECORD,,\n"
    with zipfile.ZipFile(os.path.join(folder, file), "w") as wheel:
        for name, text in members.items():
            wheel.writestr(name, text)
    return file


if __name__ == "__main__":
    print(build_wheel("."))
