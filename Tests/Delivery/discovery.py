"""What Home Assistant's MQTT discovery requires, as its own schemas have it: components/mqtt of the packages 2023.7.3 and 2025.4.4 on PyPI
(binary_sensor.py, sensor.py, device_tracker.py, discovery.py; the common part in mixins.py, later schemas.py), abbreviations.py for the short
keys, and sensor/const.py for units.
2024.3.3, installed and asked, accepted every message that home_assistant.py provoked then, and dropped no key. `in_zones`: device_tracker/entity.py
in its repository, July 2026."""
import json
import re

import jinja2

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
SHORT = {'avty_t': 'availability_topic', 'avty_tpl': 'availability_template', 'json_attr_t': 'json_attributes_topic',
         'json_attr_tpl': 'json_attributes_template', 'stat_t': 'state_topic',
         'val_tpl': 'value_template', 'uniq_id': 'unique_id', 'dev_cla': 'device_class', 'unit_of_meas': 'unit_of_measurement',
         'src_type': 'source_type', 'dev': 'device', 'o': 'origin', 'ids': 'identifiers', 'mdl': 'model', 'sw': 'sw_version'}
SOURCES = {'gps', 'router', 'bluetooth', 'bluetooth_le'}


def of(seen, kind):
    return {m.topic for m in seen.messages if m.topic.startswith(f'homeassistant/{kind}/') and m.payload}


def expand(config):
    """Keys in full; `~` at the beginning or the end of a topic stands for the base."""
    config = {SHORT.get(key, key): value for key, value in config.items()}
    for part in 'device', 'origin':
        config[part] = {SHORT.get(key, key): value for key, value in config[part].items()}
    base = config['~']
    return {key: re.sub(r'^~|~$', lambda _: base, value) if key.endswith('_topic') else value for key, value in config.items()}


# What our messages say of somebody who is here, and of nobody; and what Home Assistant is then to show, by the kind in unique_id.
HERE = {'served_count': 1, 'state': 'inside', 'zone': 'near', 'distance_m': 1.5, 'average': -60}
GONE = {'served_count': 0, 'state': 'outside', 'zone': 'unknown'}
SHOWN = {'trigger': ('ON', 'OFF'), 'region': ('ON', 'OFF'), 'tracker': ('home', 'not_home'), 'distance': ('1.5', 'None'), 'level': ('-60', 'None')}


def render(template, **known):
    """As Home Assistant does it, but what would only be a warning in its log is an error here."""
    return jinja2.Environment(undefined=jinja2.StrictUndefined).from_string(template).render(**known)


def shows(config):
    """Checks what an entity shows of us, and that a rehearsal under our name changes none of it: an empty value is passed over; a tracker's, which
    was not before 2024.6, must be what it is."""
    kind = re.search('_(trigger|region|tracker|distance|level)_', config['unique_id'])[1]
    for says, shown in zip((HERE, GONE), SHOWN[kind]):
        for before in 'home', 'not_home', 'unknown', 'unavailable':
            real, rehearsal = (render(config['value_template'], this={'state': before}, value_json=words)
                               for words in (says, {**says, 'simulated': True}))
            assert real == shown, (config, says, real)
            assert rehearsal == ('' if kind != 'tracker' else 'home' if before == 'home' else 'not_home'), (config, says, before, rehearsal)
    if kind == 'tracker':
        for says, zones in (HERE, ['zone.home']), (GONE, []):
            for words, shown in (says, {**says, 'in_zones': zones}), ({**says, 'simulated': True},) * 2:
                assert json.loads(render(config['json_attributes_template'], value_json=words)) == shown, (config, words)
    for state in {'state': 'offline'}, {'radios': [{'state': 'scanning'}]}, {'radios': [{'state': 'failed'}]}:
        assert render(config['availability_template'], value_json={**state, 'simulated': True}) == '', (config, state)


def check(message):
    config = expand(json.loads(message.payload))
    match = re.fullmatch(r'homeassistant/([a-z_]+)(?:/[A-Za-z0-9_-]+)?/[A-Za-z0-9_-]+/config', message.topic)
    assert match and message.qos == 1 and len(message.payload) < 1024, message
    kind = match[1]
    required, known = KINDS[kind]
    assert required <= set(config), (kind, config)
    assert set(config) <= COMMON | known, (kind, set(config) - COMMON - known)
    # Without a unique id and a device with an identifier it belongs to nothing; without an origin's name it is refused.
    assert isinstance(config['unique_id'], str) and config['device'].get('identifiers') and set(config['device']) <= DEVICE, config
    assert config['origin'].get('name') and set(config['origin']) <= ORIGIN, config
    for key, value in config.items():
        if key.endswith('_topic'):
            assert value and not re.search(r'[+#\0]', value), (key, value)
        if key.endswith('_template'):
            assert value.count('{{') == value.count('}}') == 1, (key, value)
    if 'device_class' in config:
        units = CLASSES[kind][config['device_class']]
        assert units is None or config['unit_of_measurement'] in units, config
    if kind == 'device_tracker':
        assert config.get('source_type', 'gps') in SOURCES, config
