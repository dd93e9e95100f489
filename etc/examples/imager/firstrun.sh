#!/bin/bash
# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
#
# The first boot of Raspberry Pi OS based on Debian 12, which has no cloud-init: adds the apt repository, installs obd-agent,
# and hands the configuration over. Replace each value that is marked; the steps are in docs/tasks/prepare-card.md. The
# broker's password is in a file beside this one, mqtt-password, which is removed from there.
# The machine runs this once, as root and without a network, and boots again.
set +e

# Replace: the name of this Pi, your public key; the Wi-Fi's name, password and country.
name=van-12
key='ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExampleExampleExampleExampleExampleExample you@example.org'
custom=/usr/lib/raspberrypi-sys-mods/imager_custom
if [ -x $custom ]; then
    $custom set_hostname $name
    $custom enable_ssh -k "$key"
    $custom set_wlan 'van wifi' 'at least eight characters' 'DE'
else
    echo $name >/etc/hostname
fi

# The password leaves the partition that everybody with the card can read.
install -d -m 700 /etc/credstore
install -m 600 /boot/firmware/mqtt-password /etc/credstore/obd-agent.mqtt-password && rm /boot/firmware/mqtt-password

# Replace: the sources file that your repository serves, obd-agent.sources.
cat >/etc/apt/sources.list.d/obd-agent.sources <<'END'
Types: deb
URIs: https://apt.example.org
Suites: stable
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 (the lines of your key)
 -----END PGP PUBLIC KEY BLOCK-----
END

# Replace: the broker. All keys are explained in obd-agent.toml(5).
install -d /etc/obd-agent
cat >/etc/obd-agent/agent.toml <<'END'
[adapter]
address = "ble"
[vehicle]
name = "${hostname}"
[mqtt]
url = "mqtts://broker.example.org"
username = "${hostname}"
password_file = "credential:mqtt-password"
END

# Tries until the network and the clock are there, once; a Pi has no clock of its own.
cat >/etc/systemd/system/obd-agent-install.service <<'END'
[Unit]
Description=Install obd-agent at the first boot
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0
[Service]
Type=oneshot
Environment=DEBIAN_FRONTEND=noninteractive
ExecStart=apt-get --quiet update --error-on=any
ExecStart=apt-get --quiet --yes -o DPkg::Lock::Timeout=300 install obd-agent
ExecStart=systemctl disable obd-agent-install
Restart=on-failure
RestartSec=15
[Install]
WantedBy=multi-user.target
END
systemctl enable obd-agent-install

rm -f /boot/firmware/firstrun.sh
sed -i 's| systemd\.[^ ]*||g' /boot/firmware/cmdline.txt
exit 0
