#!/bin/sh
# Install Debian's PostgreSQL, MariaDB and Java, which the tests of the engines start servers with.
# Does nothing for what is there. No system service is started: the tests start their own.
set -eu

PATH="$PATH:/usr/sbin:/usr/local/sbin"
wanted=""
ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || command -v postgres >/dev/null 2>&1 \
    || wanted="$wanted postgresql"
{ command -v mariadbd && command -v mariadb-install-db; } >/dev/null 2>&1 \
    || wanted="$wanted mariadb-server"
command -v java >/dev/null 2>&1 || [ -x "${JAVA_HOME:-}/bin/java" ] \
    || wanted="$wanted default-jre-headless"
if [ -z "$wanted" ]; then
    exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "Not installed:$wanted; and this is not Debian: install them by other means." >&2
    exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
    echo "Not installed:$wanted; run this script as root, or install them yourself." >&2
    exit 1
fi

# Debian asks this program whether a service may be started; 101 is no.
policy=/usr/sbin/policy-rc.d
log=$(mktemp)
ours="$log"
if [ ! -e "$policy" ]; then
    ours="$log $policy"
fi
# shellcheck disable=SC2064,SC2086 # as they are now, and several words
trap "rm -f $ours" EXIT
trap 'exit 1' HUP INT TERM
if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
fi
# another install may be under way: wait for it
install() {
    # shellcheck disable=SC2086 # several words
    DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 install -y -qq --no-install-recommends $wanted \
        >"$log" 2>&1
}
# the lists of packages may be there and new enough
if ! install; then
    apt-get -o DPkg::Lock::Timeout=600 update -qq
    install || { cat "$log" >&2; exit 1; }
fi
# nor when the machine is started again
for package in $wanted; do
    case $package in
    postgresql) update-rc.d postgresql disable ;;
    mariadb-server) update-rc.d mariadb disable ;;
    esac
done
