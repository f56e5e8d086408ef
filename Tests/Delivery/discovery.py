"""What Home Assistant's MQTT discovery requires, as its own schemas have it: components/mqtt of the packages 2023.7.3 and 2025.4.4 on PyPI
(binary_sensor.py, sensor.py, device_tracker.py, discovery.py; the common part in mixins.py, later schemas.py), and sensor/const.py for units.
2024.3.3, installed and asked, accepted every message that home_assistant.py provokes, and dropped no key."""
import json
import re

# Keys without which an entity is refused, and those that are known; what is common to all stands apart.
COMMON = {'~', 'unique_id', 'name', 'availability_topic', 'availability_template', 'device', 'origin', 'json_attributes_topic',
          'json_attributes_template', 'value_template', 'state_topic', 'device_class', 'icon', 'qos', 'payload_available',
          'payload_not_available', 'entity_category', 'enabled_by_default', 'object_id', 'default_entity_id'}
KINDS = {
    'binary_sensor': ({'state_topic'}, {'payload_on', 'payload_off', 'off_delay', 'expire_after', 'force_update'}),
    'sensor': ({'state_topic'}, {'unit_of_measurement', 'state_class', 'suggested_display_precision', 'expire_after', 'force_update'}),
    'device_tracker': ({'state_topic'}, {'source_type', 'payload_home', 'payload_not_home', 'payload_reset'}),
}
# Of the classes we might name; a sensor's class allows these units alone.
CLASSES = {'binary_sensor': {'occupancy': None, 'presence': None, 'motion': None},
           'sensor': {'distance': {'m', 'km', 'cm', 'mm', 'ft', 'in', 'yd', 'mi'}, 'signal_strength': {'dB', 'dBm'}}}
DEVICE = {'identifiers', 'connections', 'name', 'model', 'manufacturer', 'sw_version', 'hw_version', 'via_device', 'suggested_area',
          'configuration_url', 'serial_number', 'model_id'}
ORIGIN = {'name', 'sw_version', 'support_url'}
SOURCES = {'gps', 'router', 'bluetooth', 'bluetooth_le'}


def of(seen, kind):
    return {m.topic for m in seen.messages if m.topic.startswith(f'homeassistant/{kind}/') and m.payload}


def expand(config):
    """`~` at the beginning or the end of a topic stands for the base."""
    base = config['~']
    return {key: re.sub(r'^~|~$', lambda _: base, value) if key.endswith('_topic') else value for key, value in config.items()}


def check(message):
    config = json.loads(message.payload)
    match = re.fullmatch(r'homeassistant/([a-z_]+)(?:/[A-Za-z0-9_-]+)?/[A-Za-z0-9_-]+/config', message.topic)
    assert match and message.qos == 1 and len(message.payload) < 1024, message
    kind = match[1]
    required, known = KINDS[kind]
    assert required <= set(config), (kind, config)
    assert set(config) <= COMMON | known, (kind, set(config) - COMMON - known)
    # Without a unique id and a device with an identifier it belongs to nothing; without an origin's name it is refused.
    assert isinstance(config['unique_id'], str) and config['device'].get('identifiers') and set(config['device']) <= DEVICE, config
    assert config['origin'].get('name') and set(config['origin']) <= ORIGIN, config
    for key, value in expand(config).items():
        if key.endswith('_topic'):
            assert value and not re.search(r'[+#\0]', value), (key, value)
        if key.endswith('_template'):
            assert value.count('{{') == value.count('}}') == 1, (key, value)
    if 'device_class' in config:
        units = CLASSES[kind][config['device_class']]
        assert units is None or config['unit_of_measurement'] in units, config
    if kind == 'device_tracker':
        assert config.get('source_type', 'gps') in SOURCES, config
