// SPDX-License-Identifier: LGPL-2.1
/* The table of families.  See grammar.h. */
#include "command/grammar.h"

#define OPTION(name, forms, role, text) { name, forms, role, text },
#define SET(name) \
	static unsigned short name##_letters[OPTION_LETTERS + 1]; \
	static const struct option_set name = { \
		name##_rows, sizeof(name##_rows) / sizeof((name##_rows)[0]), name##_letters \
	}

/* ---- options ---- */

static const struct option gcc_rows[] = {
#include "command/gcc.def"
};
static const struct option gcc_next_rows[] = {
#include "command/gcc_next.def"
};
static const struct option cc1_rows[] = {
#include "command/cc1.def"
};
static const struct option clang_rows[] = {
#include "command/clang.def"
};
static const struct option clang_next_rows[] = {
#include "command/clang_next.def"
};
static const struct option clang_cc1_rows[] = {
#include "command/clang_cc1.def"
};
static const struct option clang_cc1_next_rows[] = {
#include "command/clang_cc1_next.def"
};
static const struct option armclang_rows[] = {
#include "command/armclang.def"
};
static const struct option intel_llvm_rows[] = {
#include "command/intel_llvm.def"
};
static const struct option emcc_rows[] = {
#include "command/emcc.def"
};
static const struct option hipcc_rows[] = {
#include "command/hipcc.def"
};
static const struct option cl_rows[] = {
#include "command/cl.def"
};
static const struct option cl_next_rows[] = {
#include "command/cl_next.def"
};
static const struct option clang_cl_rows[] = {
#include "command/clang_cl.def"
};
static const struct option clang_cl_next_rows[] = {
#include "command/clang_cl_next.def"
};
static const struct option nvcc_rows[] = {
#include "command/nvcc.def"
};
static const struct option nvcc_next_rows[] = {
#include "command/nvcc_next.def"
};
static const struct option intel_rows[] = {
#include "command/intel.def"
};
static const struct option armcc_rows[] = {
#include "command/armcc.def"
};
static const struct option nvhpc_rows[] = {
#include "command/nvhpc.def"
};
static const struct option xl_rows[] = {
#include "command/xl.def"
};
static const struct option ti_rows[] = {
#include "command/ti.def"
};
static const struct option sdcc_rows[] = {
#include "command/sdcc.def"
};
static const struct option iar_rows[] = {
#include "command/iar.def"
};
static const struct option tcc_rows[] = {
#include "command/tcc.def"
};
static const struct option rustc_rows[] = {
#include "command/rustc.def"
};
static const struct option swiftc_rows[] = {
#include "command/swiftc.def"
};
static const struct option javac_rows[] = {
#include "command/javac.def"
};
static const struct option wrapper_rows[] = {
#include "command/wrapper.def"
};
static const struct option run_rows[] = {
#include "command/run.def"
};
static const struct option loader_rows[] = {
#include "command/loader.def"
};
static const struct option rewrapper_rows[] = {
#include "command/rewrapper.def"
};
static const struct option ld_rows[] = {
#include "command/ld.def"
};
static const struct option ld_next_rows[] = {
#include "command/ld_next.def"
};
static const struct option link_rows[] = {
#include "command/link.def"
};
static const struct option ar_rows[] = {
#include "command/ar.def"
};

SET(gcc);
SET(gcc_next);
SET(cc1);
SET(clang);
SET(clang_next);
SET(clang_cc1);
SET(clang_cc1_next);
SET(armclang);
SET(intel_llvm);
SET(emcc);
SET(hipcc);
SET(cl);
SET(cl_next);
SET(clang_cl);
SET(clang_cl_next);
SET(nvcc);
SET(nvcc_next);
SET(intel);
SET(armcc);
SET(nvhpc);
SET(xl);
SET(ti);
SET(sdcc);
SET(iar);
SET(tcc);
SET(rustc);
SET(swiftc);
SET(javac);
SET(wrapper);
SET(run);
SET(loader);
SET(rewrapper);
SET(ld);
SET(ld_next);
SET(link);
SET(ar);

/* ---- variables ---- */

#define C_ENV \
	{ .name = "CPATH", .option = "-I" }, \
	{ .name = "C_INCLUDE_PATH", .option = "-isystem", \
	  .languages = "c c-header assembler-with-cpp" }, \
	{ .name = "CPLUS_INCLUDE_PATH", .option = "-isystem", .languages = "c++ c++-header" }, \
	{ .name = "OBJC_INCLUDE_PATH", .option = "-isystem", \
	  .languages = "objective-c objective-c-header" }, \
	{ .name = "OBJCPLUS_INCLUDE_PATH", .option = "-isystem", \
	  .languages = "objective-c++ objective-c++-header" }

static const struct family_env gcc_env[] = { C_ENV, { 0 } };
static const struct family_env clang_env[] = {
	C_ENV, { .name = "SDKROOT", .option = "-isysroot", .before = true }, { 0 }
};
static const struct family_env armclang_env[] = {
	{ .name = "ARMCOMPILER6_CLANGOPT", .before = true }, { 0 }
};
static const struct family_env armcc_env[] = {
	{ .name = "ARMCC5_CCOPT", .before = true }, { 0 }
};
static const struct family_env emcc_env[] = { { .name = "EMCC_CFLAGS" }, { 0 } };
static const struct family_env hipcc_env[] = {
	{ .name = "HIPCC_COMPILE_FLAGS_APPEND" }, { 0 }
};
static const struct family_env nvcc_env[] = {
	C_ENV, { .name = "NVCC_PREPEND_FLAGS", .before = true },
	{ .name = "NVCC_APPEND_FLAGS" }, { 0 }
};
static const struct family_env cl_env[] = {
	{ .name = "INCLUDE", .option = "/I", .separator = ';' },
	{ .name = "CL", .before = true }, { .name = "_CL_" }, { 0 }
};
static const struct family_env clang_cl_env[] = {
	{ .name = "INCLUDE", .option = "-imsvc", .separator = ';' },
	{ .name = "CL", .before = true }, { .name = "_CL_" }, { 0 }
};
static const struct family_env ti_env[] = {
	{ .name = "C_DIR", .option = "-I", .separator = ';' }, { 0 }
};
static const struct family_env iar_env[] = {
	{ .name = "C_INCLUDE", .option = "-I", .separator = ';' },
	{ .name = "QCCARM", .before = true }, { 0 }
};
static const struct family_env sdcc_env[] = {
	{ .name = "SDCC_INCLUDE", .option = "-I" }, { 0 }
};
static const struct family_env javac_env[] = {
	{ .name = "JDK_JAVAC_OPTIONS", .before = true }, { 0 }
};

/* ---- families ---- */

#define C_ONLY		"c headers assembler "
#define C_PLUS		"c++ objective-c++ headers assembler "
#define C_ALL		C_ONLY "c++ objective-c objective-c++ "
#define GCC_LANGUAGES	" fortran ada d go"

#define UNIX		.dashes = "-", .object = ".o", .program = "a.out", .at = AT_GNU
#define WINDOWS		.dashes = "-/", .at = AT_WINDOWS

#define GCC		UNIX, .tool = TOOL_DRIVER, .sets = { &gcc, &gcc_next }, .env = gcc_env
#define CLANG		UNIX, .tool = TOOL_DRIVER, .sets = { &clang, &gcc, &clang_next }
/* Compilers based on clang: their own options first, then clang's */
#define OF_CLANG(own)	UNIX, .tool = TOOL_DRIVER, .sets = { own, &clang, &gcc, &clang_next }
#define CC1		.dashes = "-", .tool = TOOL_PROPER, .sets = { &cc1, &gcc, &gcc_next }, \
			.object = ".s", .at = AT_GNU, .compiles_only = true
#define INTEL		UNIX, .tool = TOOL_DRIVER, .sets = { &intel }, .env = gcc_env
#define NVHPC		UNIX, .tool = TOOL_DRIVER, .sets = { &nvhpc }
#define IAR		.dashes = "-", .tool = TOOL_DRIVER, .sets = { &iar }, .at = AT_NONE, \
			.languages = "c c++", .language = "c", .env = iar_env, \
			.compiles_only = true

const struct family families[] = {
	{
		.name = "gcc", GCC, .languages = C_ALL GCC_LANGUAGES,
		.programs = "gcc cc c89 c99 gnatgcc gccgo mpicc mpigcc oshcc shmemcc h5cc h5pcc winegcc",
	}, {
		.name = "g++", GCC, .languages = C_PLUS GCC_LANGUAGES,
		.programs = "g++ c++ mpic++ mpicxx mpiCC mpigxx oshc++ oshcxx oshCC h5c++ wineg++ CC",
	}, {
		.name = "gfortran", GCC, .languages = C_ALL GCC_LANGUAGES,
		.programs = "gfortran g77 f77 f90 f95 mpifort mpif77 mpif90 oshfort h5fc h5pfc caf ftn",
	}, {
		.name = "gnat", GCC, .languages = C_ALL GCC_LANGUAGES,
		.programs = "gnat+compile", .compiles_only = true,
	}, {
		.name = "gdc", GCC, .languages = C_ALL GCC_LANGUAGES, .programs = "gdc",
	}, {
		.name = "clang", CLANG, .languages = C_ALL "cuda hip opencl ir modules fortran",
		.programs = "clang amdclang ibm-clang ibm-clang_r tiarmclang zapcc craycc afl-clang-fast\n"
			    "afl-clang-lto mpiclang oshclang",
		.env = clang_env,
	}, {
		.name = "clang++", CLANG, .languages = C_PLUS "cuda hip opencl ir modules fortran",
		.programs = "clang++ amdclang++ ibm-clang++ ibm-clang++_r zapcc++ crayCC\n"
			    "afl-clang-fast++ afl-clang-lto++",
		.env = clang_env,
	}, {
		.name = "flang", CLANG, .languages = "fortran assembler ir",
		.programs = "flang flang-new amdflang",
	}, {
		.name = "armclang", OF_CLANG(&armclang), .languages = C_ALL "ir",
		.programs = "armclang", .env = armclang_env,
	}, {
		.name = "icx", OF_CLANG(&intel_llvm), .languages = C_ALL "ir", .programs = "icx mpiicx",
		.env = clang_env,
	}, {
		.name = "icpx", OF_CLANG(&intel_llvm), .languages = C_PLUS "ir",
		.programs = "icpx dpcpp mpiicpx", .env = clang_env,
	}, {
		.name = "ifx", OF_CLANG(&intel_llvm), .languages = C_ONLY "fortran",
		.programs = "ifx mpiifx",
	}, {
		.name = "emcc", OF_CLANG(&emcc), .languages = C_ALL "ir", .programs = "emcc",
		.env = emcc_env,
	}, {
		.name = "em++", OF_CLANG(&emcc), .languages = C_PLUS "ir", .programs = "em++",
		.env = emcc_env,
	}, {
		.name = "zig cc", CLANG, .languages = C_ALL "ir", .programs = "zig+cc",
	}, {
		.name = "zig c++", CLANG, .languages = C_PLUS "ir", .programs = "zig+c++",
	}, {
		.name = "hipcc", OF_CLANG(&hipcc), .languages = C_PLUS "cuda hip ir",
		.programs = "hipcc", .env = hipcc_env,
	}, {
		.name = "clang-cl", WINDOWS, .tool = TOOL_DRIVER,
		.sets = { &cl, &cl_next, &clang_cl, &clang_cl_next }, .programs = "clang-cl",
		.languages = "c c++ assembler modules", .object = ".obj", .program = "*.exe",
		.env = clang_cl_env,
	}, {
		.name = "cl", WINDOWS, .tool = TOOL_DRIVER, .sets = { &cl, &cl_next }, .programs = "cl",
		.languages = "c c++ modules", .object = ".obj", .program = "*.exe", .env = cl_env,
	}, {
		.name = "nvcc", UNIX, .tool = TOOL_DRIVER, .sets = { &nvcc, &nvcc_next },
		.programs = "nvcc", .languages = "c c++ cuda ptx", .env = nvcc_env,
	}, {
		.name = "icc", INTEL, .languages = C_ALL, .programs = "icc mpiicc",
	}, {
		.name = "icpc", INTEL, .languages = C_PLUS, .programs = "icpc mpiicpc",
	}, {
		.name = "ifort", INTEL, .languages = "fortran c assembler",
		.programs = "ifort mpiifort",
	}, {
		.name = "armcc", UNIX, .tool = TOOL_DRIVER, .sets = { &armcc }, .programs = "armcc armcpp",
		.languages = "c c++ assembler", .env = armcc_env,
	}, {
		.name = "nvc", NVHPC, .languages = "c assembler", .programs = "nvc pgcc",
	}, {
		.name = "nvc++", NVHPC, .languages = "c++ assembler cuda",
		.programs = "nvc++ pgc++ pgcpp pgCC",
	}, {
		.name = "nvfortran", NVHPC, .languages = "fortran c assembler",
		.programs = "nvfortran pgfortran pgf77 pgf90 pgf95",
	}, {
		.name = "xlc", UNIX, .tool = TOOL_DRIVER, .sets = { &xl }, .languages = "c c++ assembler",
		.programs = "xlc xlc_r cc_r xlC xlC_r xlc++ xlc++_r xlclang xlclang++ c89_r c99_r mpixlc mpixlC",
	}, {
		.name = "xlf", UNIX, .tool = TOOL_DRIVER, .sets = { &xl }, .languages = "fortran assembler",
		.programs = "xlf xlf_r xlf90 xlf90_r xlf95 xlf95_r xlf2003 xlf2003_r xlf2008 xlf2008_r\n"
			    "mpixlf",
	}, {
		.name = "ti", .dashes = "-", .tool = TOOL_DRIVER, .sets = { &ti }, .env = ti_env,
		.languages = "c c++ asm", .object = ".obj", .at = AT_GNU, .compiles_only = true,
		.programs = "cl430 cl2000 cl6x cl55 cl470 cl7x clpru armcl",
	}, {
		.name = "sdcc", .dashes = "-", .tool = TOOL_DRIVER, .sets = { &sdcc },
		.programs = "sdcc", .languages = "c", .object = ".rel", .program = "*.ihx",
		.at = AT_NONE, .env = sdcc_env,
	}, {
		.name = "iar", IAR, .object = ".o",
		.programs = "iccarm iccrx iccrl78 iccrh850 iccriscv iccstm8 iccsh iccv850",
	}, {
		.name = "iar 8051", IAR, .object = ".r51", .programs = "icc8051",
	}, {
		.name = "iar avr", IAR, .object = ".r90", .programs = "iccavr",
	}, {
		.name = "iar msp430", IAR, .object = ".r43", .programs = "icc430",
	}, {
		.name = "tcc", UNIX, .tool = TOOL_DRIVER, .sets = { &tcc }, .languages = "c assembler",
		.programs = "tcc", .env = gcc_env,
	}, {
		.name = "rustc", .dashes = "-", .tool = TOOL_DRIVER, .sets = { &rustc },
		.programs = "rustc", .languages = "rust", .language = "rust", .object = ".o",
		.program = "*", .at = AT_LINES,
	}, {
		.name = "swiftc", .dashes = "-", .tool = TOOL_DRIVER, .sets = { &swiftc },
		.programs = "swiftc", .languages = "swift", .object = ".o", .program = "*",
		.at = AT_GNU, .together = true,
	}, {
		.name = "javac", .dashes = "-", .tool = TOOL_DRIVER, .sets = { &javac },
		.programs = "javac ecj", .languages = "java", .at = AT_GNU, .together = true,
		.compiles_only = true, .env = javac_env,
	},

	/* compilers proper, and other programs that drivers start */
	{
		.name = "cc1", CC1, .programs = "cc1 cc1obj", .languages = C_ALL, .language = "c",
	}, {
		.name = "cc1plus", CC1, .programs = "cc1plus cc1objplus", .languages = C_PLUS,
		.language = "c++",
	}, {
		.name = "f951", CC1, .programs = "f951 f771", .languages = "fortran", .language = "f95",
	}, {
		.name = "gnat1", CC1, .programs = "gnat1", .languages = "ada", .language = "ada",
	}, {
		.name = "d21", CC1, .programs = "d21 cc1d", .languages = "d", .language = "d",
	}, {
		.name = "go1", CC1, .programs = "go1", .languages = "go", .language = "go",
	}, {
		.name = "clang -cc1", .dashes = "-", .tool = TOOL_PROPER,
		.sets = { &clang_cc1, &clang_cc1_next, &gcc, &clang_next },
		.programs = "clang+-cc1 clang+++-cc1 flang+-fc1 flang-new+-fc1 armclang+-cc1 icx+-cc1\n"
			    "clang-cl+-cc1",
		.languages = C_ALL "cuda hip opencl ir modules fortran", .object = ".o",
		.compiles_only = true,
	}, {
		.name = "swift-frontend", .dashes = "-", .tool = TOOL_PROPER, .sets = { &swiftc },
		.programs = "swift-frontend+-frontend swiftc+-frontend swift+-frontend",
		.languages = "swift", .object = ".o", .together = true, .compiles_only = true,
	}, {
		.name = "as", .dashes = "-", .tool = TOOL_PROPER, .sets = { &gcc, &gcc_next },
		.programs = "as clang+-cc1as", .at = AT_GNU, .compiles_only = true,
	}, {
		.name = "collect2", .dashes = "-", .tool = TOOL_PROPER, .sets = { &ld, &ld_next },
		.programs = "collect2", .at = AT_GNU,
	},

	{
		.name = "wrapper", .dashes = "-", .tool = TOOL_WRAPPER, .sets = { &wrapper },
		.programs = "ccache distcc sccache icecc icerun buildcache gomacc clippy-driver",
	}, {
		.name = "rewrapper", .dashes = "-", .tool = TOOL_WRAPPER, .sets = { &rewrapper },
		.programs = "rewrapper",
	}, {
		.name = "run", .dashes = "-", .tool = TOOL_WRAPPER, .sets = { &run },
		.programs = "env nice time timeout nohup stdbuf taskset ionice chrt linux32 linux64 sudo\n"
			    "setsid fakeroot eatmydata",
		.runs = true,
	}, {
		.name = "loader", .dashes = "-", .tool = TOOL_WRAPPER, .sets = { &loader },
		.programs = "ld.so ld-linux-x86-64.so.2 ld-linux-x32.so.2 ld-linux.so.2 ld-linux-aarch64.so.1\n"
			    "ld-linux-armhf.so.3 ld-linux-riscv64-lp64d.so.1 ld64.so.1 ld64.so.2\n"
			    "ld-musl-x86_64.so.1 ld-musl-i386.so.1 ld-musl-aarch64.so.1 ld-musl-armhf.so.1",
		.runs = true,
	},

	{
		.name = "ld", UNIX, .tool = TOOL_LINKER, .sets = { &ld, &ld_next },
		.programs = "ld ld.bfd ld.gold ld.lld lld gold mold ld.mold ld64 ld64.lld wasm-ld zig+ld.lld",
	}, {
		.name = "link", WINDOWS, .tool = TOOL_LINKER, .sets = { &link }, .ignores_case = true,
		.programs = "link.exe lld-link lib.exe llvm-lib", .program = "*.exe",
	}, {
		.name = "ar", .dashes = "-", .tool = TOOL_ARCHIVER, .sets = { &ar }, .at = AT_GNU,
		.programs = "ar gcc-ar llvm-ar armar ar430 ar6x ar2000 tiarmar emar zig+ar xiar",
	},
	{ 0 }
};
