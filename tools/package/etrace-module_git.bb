# SPDX-License-Identifier: GPL-2.0
# Yocto: the module of etrace, of the tree that this lies in, for the kernel of the image.
SUMMARY = "Record what a build really did - module of the kernel"
LICENSE = "GPL-2.0-only"
LIC_FILES_CHKSUM = "file://COPYING;md5=b234ee4d69f5fce4486a80fdaf4a4263"
PV = "0.1"

# kbuild builds in the tree.
inherit externalsrc module
EXTERNALSRC = "${THISDIR}/../.."
EXTERNALSRC_BUILD = "${EXTERNALSRC}"

EXTRA_OEMAKE += "KDIR=${STAGING_KERNEL_BUILDDIR} DESTDIR=${D}"
MAKE_TARGETS = "module"
MODULES_INSTALL_TARGET = "install-module"
