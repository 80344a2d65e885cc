#!/usr/bin/python3 -SIB
# SPDX-License-Identifier: GPL-2.0
import socket

listening = socket.socket()
listening.bind(("127.0.0.1", 8765))
listening.listen(1)
talking = socket.create_connection(("127.0.0.1", 8765))
there, _ = listening.accept()
there.send(b"data\n")
print(talking.recv(100).decode().strip())
try:
    socket.create_connection(("127.0.0.1", 9))
except ConnectionRefusedError:
    print("nobody")
