# SPDX-License-Identifier: GPL-2.0
# Yocto: the programs and libetrace, of the tree that this lies in; add this directory to
# BBFILES.  The module: etrace-module_git.bb.
SUMMARY = "Record what a build really did, from inside the kernel"
LICENSE = "GPL-2.0-only & LGPL-2.1-only"
LIC_FILES_CHKSUM = "file://COPYING;md5=b234ee4d69f5fce4486a80fdaf4a4263 \
    file://COPYING.LESSER;md5=4fbd65380cdd255951079008b364516c"
PV = "0.1"

inherit externalsrc pkgconfig qemu
EXTERNALSRC = "${THISDIR}/../.."
EXTERNALSRC_BUILD = "${WORKDIR}/build"

DEPENDS = "elfutils json-c libtraceevent libyaml nettle sqlite3 zlib zstd qemu-native"
PACKAGECONFIG ??= "fleet top"
PACKAGECONFIG[bpf] = ",BPF=0,libbpf clang-native bpftool-native"
PACKAGECONFIG[fleet] = ",HTTP=0,curl"
PACKAGECONFIG[top] = ",CURSES=0,ncurses"

# The programs are run to make their man pages.
EMULATOR = "${@qemu_wrapper_cmdline(d, d.getVar('STAGING_DIR_HOST'), [d.expand('${STAGING_DIR_HOST}${libdir}')])}"
EXTRA_OEMAKE = "-C ${S} BUILD=${B} WERROR=0 PAGE=0 ${PACKAGECONFIG_CONFARGS} \
    DESTDIR=${D} PREFIX=${prefix} LIBDIR=${libdir} 'EMULATOR=${EMULATOR}'"

do_compile() {
    oe_runmake pages
}

do_install() {
    oe_runmake install-user
    # of the module
    rm -r ${D}${mandir}/man4
}

PACKAGES =+ "${PN}-fleet libetrace"
FILES:${PN} += "${datadir}/bash-completion ${datadir}/zsh"
FILES:${PN}-fleet = "${libexecdir}/etrace"
FILES:libetrace = "${libdir}/libetrace.so.*"
# loaded on demand
RDEPENDS:${PN} += "libsqlite3"
RDEPENDS:${PN}-fleet += "${PN} libsqlite3"
