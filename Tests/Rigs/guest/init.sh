#!/bin/sh
# PID 1 of the guest. The kernel hands it words of its command line as variables:
# controllers=N (virtio consoles that are H4 controllers), attach=0|1, disk=1, out=1, address=A.B.C.D, systemd=1: what stands here is done
# first, then /install if there is one, and systemd takes over; its script.service calls this again, with the word `script`.
export PATH=/bin:/sbin:/usr/bin HOME=/root TERM=dumb

script() {
	stty -echo -onlcr 2>/dev/null
	sh /script
	code=$?
	if [ "${out:-0}" = 1 ]; then
		for port in /sys/class/virtio-ports/*; do
			[ "$(cat "$port/name")" = out ] && tar -c -C /out . >"/dev/${port##*/}"
		done
	fi
	[ "${disk:-0}" = 1 ] && { sync; umount /data; }
	# A line of its own, whatever the script left unfinished.
	printf '\nguest-exit %d\n' "$code"
	poweroff -f
}
[ "$1" = script ] && script

mount -t proc proc /proc; mount -t sysfs sysfs /sys; mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm; mount -t devpts devpts /dev/pts; mount -t tmpfs tmpfs /tmp; mount -t tmpfs run /run
stty -echo -onlcr 2>/dev/null
chmod 1777 /tmp
ifconfig lo 127.0.0.1 up
modprobe virtio_mmio

# plug N: the virtio console N becomes an adapter of the kernel, set up and down; `plug N now` does not wait for the kernel's
# own setup, as after a real hot plug. unplug N takes it away again.
cat >/bin/plug <<'PLUG'
#!/bin/sh
rm -f /run/plug.$1
setsid hcitest attach /dev/hvc$1 /run/plug.$1 </dev/null >/dev/null &
n=0
until [ -s /run/plug.$1 ] && hcitest list >/dev/null; do
	n=$((n + 1)); [ $n -gt 100 ] && { echo "plug: no adapter on hvc$1" >&2; exit 1; }
	usleep 20000
done
[ "$2" = now ] && exit 0
# The kernel lists the newest first.
adapter=$(hcitest list | sed -n '1s/^hci\([0-9]*\) .*/\1/p')
hcitest up $adapter; hcitest down $adapter
PLUG
cat >/bin/unplug <<'UNPLUG'
#!/bin/sh
kill "$(cat /run/plug.$1)" && rm -f /run/plug.$1
UNPLUG
chmod 755 /bin/plug /bin/unplug

if [ "${controllers:-0}" -gt 0 ] || [ "${out:-0}" = 1 ]; then modprobe virtio_console; fi
if [ "${controllers:-0}" -gt 0 ]; then
	modprobe hci_uart
	modprobe -a ecb cmac ccm
	if [ "${attach:-1}" = 1 ]; then
		n=0; while [ $n -lt "$controllers" ]; do plug $n; n=$((n + 1)); done
	fi
fi
if [ "${disk:-0}" = 1 ]; then
	modprobe -a crc32c_generic virtio_blk ext4
	mount -t ext4 /dev/vda /data || echo "init: /data could not be mounted"
fi
if [ -n "$address" ]; then
	modprobe virtio_net
	ifconfig eth0 "$address" netmask 255.255.255.0 up
fi
mkdir -p /out

if [ "${systemd:-0}" = 1 ]; then
	[ ! -e /install ] || sh /install || echo "init: /install failed"
	exec /lib/systemd/systemd
fi
script
