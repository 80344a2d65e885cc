#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Bug reports of users of other compilation database tools, as small builds that are recorded here
# with strace.

. "${0%/*}/../lib.sh"

begin_builds

# nvcc runs its host compiler on the same source and on temporary files.  A stand-in for nvcc.
build "Bear 174" "CUDA: compilers that nvcc starts have no entries" <<'END'
printf '#!/bin/sh -e\ng++ -E -x c++ -D__CUDACC__ k.cu -o k.ii\ng++ -c k.ii -o k.o\nrm k.ii\n' > nvcc
chmod +x nvcc
cp a.cc k.cu
PATH=.:$PATH
nvcc -arch sm_70 -c k.cu -o k.o
= k.cu k.o *nvcc -arch sm_70 -c k.cu -o k.o
END

build "Bear 216" "a version appended to the name (g++6) is recognized" <<'END'
ln -s "$(command -v g++)" g++6
PATH=.:$PATH
g++6 -I. -std=c++17 -MMD -MP -c -o a.o a.cc
= a.cc a.o g++6 -I. -std=c++17 -MMD -MP -c -o a.o a.cc
END

build "Bear 230" "--links lists links" --links <<'END'
gcc -c a.c
gcc -c b.c
gcc main.c a.o b.o -o main
= a.c a.o gcc -c a.c
= b.c b.o gcc -c b.c
= main.c main* gcc main.c *
= main.c main gcc main.c a.o b.o -o main
END

build "Bear 601" "precompiled headers have entries" <<'END'
clang++ -std=c++17 -c -o a.pch -xc++-header a.h
g++ -std=c++17 a.h
= a.h a.pch clang++ -std=c++17 -c -o a.pch -xc++-header a.h
= a.h a.h.gch g++ -std=c++17 a.h
END

build "Bear 638" "clang -cc1 has no entry of its own" <<'END'
clang++ -std=c++17 -Dmain=c a.cc -c -o a.o
clang -o main a.c b.c main.c
= a.cc a.o clang++ -std=c++17 -Dmain=c a.cc -c -o a.o
= a.c main* clang -o main* a.c
= b.c main* clang -o main* b.c
= main.c main* clang -o main* main.c
END

build "Bear 642" "a target before the name and a thread model after it are recognized" <<'END'
ln -s "$(command -v g++)" x86_64-w64-mingw32-g++-win32
ln -s "$(command -v gcc)" x86_64-w64-mingw32-gcc-posix
PATH=.:$PATH
x86_64-w64-mingw32-g++-win32 -D _WINDOWS -I ./include -c a.cc -o a.o
x86_64-w64-mingw32-gcc-posix -c b.c
= a.cc a.o x86_64-w64-mingw32-g++-win32 -D _WINDOWS -I ./include -c a.cc -o a.o
= b.c b.o x86_64-w64-mingw32-gcc-posix -c b.c
END

build "clangd 593" "a compiler behind a wrapper has its own command as entry" <<'END'
printf '#!/bin/sh\nexec "$@"\n' > gomacc
chmod +x gomacc
"$PWD/gomacc" clang++ -c a.cc -o a.o
nice env LC_ALL=C clang -c b.c
= a.cc a.o clang++ -c a.cc -o a.o
= b.c b.o clang -c b.c
END

build "clangd 2328" "mpicxx: the entry has the include paths that it adds" <<'END'
mkdir mpi
echo 'int mpi();' > mpi/mpi.h
printf '#!/bin/sh\nexec g++ -I%s/mpi "$@"\n' "$PWD" > mpicxx
chmod +x mpicxx
echo '#include <mpi.h>' > b.cc
PATH=.:$PATH
mpicxx -c b.cc -o b.o
= b.cc b.o g++ -I*/mpi -c b.cc -o b.o
END

build "Sourcetrail 682" "each of several sources of a command has its own entry" <<'END'
gcc -c a.c b.c
gcc -DALL -I. a.c b.c main.c -o main
= a.c a.o gcc -c a.c
= b.c b.o gcc -c b.c
= a.c main* gcc -DALL -I. a.c -o main*
= b.c main* gcc -DALL -I. b.c -o main*
= main.c main* gcc -DALL -I. main.c -o main*
END

build "ninja 1760" "an @file that ninja has removed is expanded" <<'END'
cat > build.ninja <<'EOF'
rule cc
  command = gcc @$out.rsp
  rspfile = $out.rsp
  rspfile_content = -DIN_FILE=$only -c $in -o $out
build a.o: cc a.c
  only = 1
build b.o: cc b.c
  only = 2
EOF
ninja
= a.c a.o gcc *-D*IN_FILE=1* a.c*
= b.c b.o gcc *-D*IN_FILE=2* b.c*
END
