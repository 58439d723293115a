#!/usr/bin/env bash
# Unpacks CPython 3.14 and 3.15 from Debian's own packages into one folder, beside what the machine has:
# nothing is installed and no system file changes. The two programs are patched to the C library that
# they were built against, which is unpacked with them. For tests; does nothing where they run already.
#   tools/debian_pythons.sh [FOLDER]      default: .cache/debian-pythons of the checkout
set -euo pipefail

folder=${1:-$(cd "$(dirname "$0")/.." && pwd)/.cache/debian-pythons}
release=${DEBIAN_RELEASE:-forky}
versions=(3.14 3.15)
libraries=(libc6 libgcc-s1 libexpat1 zlib1g libssl3t64 libbz2-1.0 libffi8 liblzma5 libncursesw6
  libreadline8t64 libsqlite3-0 libtinfo6 libuuid1 libzstd1)

works() {
  for version in "${versions[@]}"; do
    "$folder/usr/bin/python$version" -c 'import ssl, ctypes' 2>/dev/null || return 1
  done
}
works && exit 0

command -v patchelf >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends patchelf; }

# apt with a state of its own: another release's package lists must not mix with the machine's.
apt_home=$(mktemp -d)
trap 'rm -rf "$apt_home"' EXIT
mkdir -p "$apt_home"/{lists/partial,cache/archives/partial,etc/preferences.d,packages}
touch "$apt_home/status"
mirror=$(sed -n 's/^URIs: *\([^ ]*\).*/\1/p' /etc/apt/sources.list.d/*.sources | head -n 1)
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
echo "deb [signed-by=$keyring] ${mirror:-http://deb.debian.org/debian} $release main" >"$apt_home/sources.list"
cat >"$apt_home/apt.conf" <<CONF
Dir::Etc::sourcelist "$apt_home/sources.list";
Dir::Etc::sourceparts "-";
Dir::Etc::preferencesparts "$apt_home/etc/preferences.d";
Dir::State::lists "$apt_home/lists";
Dir::State::status "$apt_home/status";
Dir::Cache "$apt_home/cache";
APT::Sandbox::User "root";
CONF
export APT_CONFIG=$apt_home/apt.conf
apt-get update -qq

packages=("${libraries[@]}")
for version in "${versions[@]}"; do
  packages+=("python$version" "python$version-minimal" "libpython$version-minimal" "libpython$version-stdlib"
    "libpython$version-dev" "libpython$version")
done
mkdir -p "$folder"
cd "$apt_home/packages"
apt-get download -qq "${packages[@]}"
for package in *.deb; do dpkg-deb -x "$package" "$folder"; done

architecture=$(dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null || echo x86_64-linux-gnu)
lib=$folder/usr/lib/$architecture
loader=$(find "$lib" -maxdepth 1 -name 'ld-linux-*.so.*' | head -n 1)
for version in "${versions[@]}"; do
  # pyconfig.h leads to one of the architecture, which compilers look for in /usr/include only.
  ln -sfn "../$architecture" "$folder/usr/include/python$version/$architecture"
  patchelf --set-interpreter "$loader" --force-rpath --set-rpath "$lib" "$folder/usr/bin/python$version"
done
works
