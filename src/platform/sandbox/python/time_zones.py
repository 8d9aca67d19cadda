"""
The time zones of IANA, in the memory of the interpreter: the processes of the sandbox have no files to read them from. They come from
the package `tzdata` of the Python project (Apache License 2.0), which stands beside this file as it was published.
"""

import io
import zipfile
import zoneinfo
import zoneinfo._common
import zoneinfo._tzpath

FOLDER = "tzdata/zoneinfo/"
ZONES = {}


def preload(package):
    """`package` is the path of the file of the package `tzdata`."""
    with zipfile.ZipFile(package) as files:
        names = files.read("tzdata/zones").decode().split()
        ZONES.update({name: files.read(FOLDER + name) for name in names})
    zoneinfo._common.load_tzdata = load_tzdata
    zoneinfo.available_timezones = zoneinfo._tzpath.available_timezones = available_timezones


def load_tzdata(key):
    if key not in ZONES:
        raise zoneinfo.ZoneInfoNotFoundError(f"No time zone found with key {key}")
    return io.BytesIO(ZONES[key])


def available_timezones():
    return set(ZONES)
