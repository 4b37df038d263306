#!/bin/sh
# Makes the certificates of this folder anew: `sh make-certificates.sh`. They prove nothing outside of the tests.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# sign NAME KEY SUBJECT EXTENSIONS FROM TO ISSUER: ISSUER is the name of an authority here, or `self`.
sign() {
    openssl req -new -key "$2" -subj "$3" -out "$work/csr"
    printf '%b' "$4" >"$work/ext"
    : >"$work/index"
    openssl rand -hex 8 >"$work/serial"
    cat >"$work/cnf" <<CONFIGURATION
[ca]
default_ca = d
[d]
database = $work/index
serial = $work/serial
new_certs_dir = $work
default_md = sha256
policy = p
[p]
commonName = supplied
CONFIGURATION
    set -- "$1" "$2" "$5" "$6" "$7"
    if [ "$5" = self ]; then
        set -- "$@" -selfsign -keyfile "$2"
    else
        set -- "$@" -cert "$5.pem" -keyfile "$work/$5.key"
    fi
    name=$1 from=$3 to=$4
    shift 5
    openssl ca -batch -notext -config "$work/cnf" "$@" -in "$work/csr" -out "$name.pem" -extfile "$work/ext" \
        -startdate "$from" -enddate "$to"
}

new_key() { openssl ecparam -name prime256v1 -genkey -noout -out "$1"; }

past=20200101000000Z future=21200101000000Z
for authority in ca other-ca; do
    new_key "$work/$authority.key"
    sign $authority "$work/$authority.key" "/CN=Test $authority" \
        'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\nsubjectKeyIdentifier=hash\n' $past $future self
done
new_key key.pem
server='subjectAltName=DNS:sip.example.test,DNS:*.wild.example.test,IP:127.0.0.1\nextendedKeyUsage=serverAuth\n'
sign server key.pem /CN=sip.example.test "$server" $past $future ca
sign expired key.pem /CN=sip.example.test "$server" $past 20200201000000Z ca
sign early key.pem /CN=sip.example.test "$server" 21100101000000Z $future ca
sign stranger key.pem /CN=sip.example.test "$server" $past $future other-ca
sign selfsigned key.pem /CN=sip.example.test "$server" $past $future self
sign client key.pem /CN=phone 'subjectAltName=DNS:phone.example.test\nextendedKeyUsage=clientAuth\n' $past $future ca
