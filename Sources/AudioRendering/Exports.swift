// The types of drivers and devices: importing AudioRendering is enough to use them.
@_exported public import struct AudioSessionTypes.AudioDevice
@_exported public import struct AudioSessionTypes.DeviceOverride
@_exported public import struct AudioSessionTypes.DevicePort
@_exported public import enum AudioSessionTypes.PortType
