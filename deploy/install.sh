#!/bin/sh
# Install Tandem on a machine with systemd: program, user, folders and units. Nothing is started.
#
#   deploy/install.sh PROGRAM      the single executable (python deploy/single.py), a wheel, or a checkout
#
# DESTDIR=FOLDER installs below that folder and creates no user: for tests, or to build an image.
set -eu

[ $# = 1 ] || { sed -n '2,6p' "$0" >&2; exit 2; }
program=$1
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=${DESTDIR:-}
user=tandem

folder() { # PATH MODE
    mkdir -p "$root$1"
    chmod "$2" "$root$1"
    [ -n "$root" ] || chown "$user:$user" "$root$1"
}

if [ -z "$root" ] && ! getent passwd "$user" >/dev/null; then
    useradd --system --user-group --home-dir /var/lib/tandem --shell /usr/sbin/nologin "$user"
fi

mkdir -p "$root/usr/local/bin"
if [ -f "$program" ] && [ "${program%.whl}" = "$program" ]; then
    install -m 755 "$program" "$root/usr/local/bin/tandem.new"
    mv "$root/usr/local/bin/tandem.new" "$root/usr/local/bin/tandem" # atomic: an interrupted update leaves the old program
else
    # A wheel or a checkout gets a virtual environment, which an update replaces.
    rm -rf "$root/opt/tandem.old"
    [ ! -d "$root/opt/tandem" ] || mv "$root/opt/tandem" "$root/opt/tandem.old"
    mkdir -p "$root/opt"
    python3 -m venv "$root/opt/tandem"
    "$root/opt/tandem/bin/pip" install -q --no-cache-dir "$program"
    ln -sf "$root/opt/tandem/bin/tandem" "$root/usr/local/bin/tandem"
fi

folder /etc/tandem 750
folder /var/lib/tandem 700
folder /var/backups/tandem 700

units=$root/etc/systemd/system
mkdir -p "$units"
for unit in tandem.service tandem-backup.service tandem-backup.timer; do
    sed "s#\(/usr/local/bin/\|/etc/tandem\|/var/lib/tandem\|/var/backups/tandem\)#$root\1#g" "$here/$unit" >"$units/$unit"
    chmod 644 "$units/$unit"
done
[ -n "$root" ] || ! command -v systemctl >/dev/null || systemctl daemon-reload || true
echo "Installed $("$root/usr/local/bin/tandem" --version). Next: tandem init"
