/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/*
 * The address of a socket as text: used by the module, and by the reader of the
 * BPF programs' records.  Pure functions; the including file must provide the kernel's
 * names (AF_INET, memcpy).
 */
#ifndef ETRACE_ADDRESS_H
#define ETRACE_ADDRESS_H

#define ETRACE_SOCKADDR_MAX	128	/* bytes, the kernel takes no more */
#define ETRACE_ADDRESS_MAX	128	/* bytes of text */

/* Smaller sizes are not a valid address of the family for the kernel. */
#define ETRACE_SIZE_INET	16u
#define ETRACE_SIZE_INET6	24u

static inline unsigned short etrace_address_family(const unsigned char *sa, unsigned int size)
{
	unsigned short family = 0;

	if (size >= sizeof(family))
		memcpy(&family, sa, sizeof(family));
	return family;
}

/* Prints a number of at most five digits. */
static inline char *etrace_put_number(char *p, unsigned int n)
{
	unsigned int unit = 10000;

	while (unit > 1 && n < unit)
		unit /= 10;
	for (; unit; unit /= 10)
		*p++ = '0' + n / unit % 10;
	return p;
}

static inline char *etrace_put_inet(char *p, const unsigned char *a)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		if (i)
			*p++ = '.';
		p = etrace_put_number(p, a[i]);
	}
	return p;
}

/* Prints 16 bits of an IPv6 address. */
static inline char *etrace_put_group(char *p, const unsigned char *a)
{
	unsigned int n = a[0] << 8 | a[1];
	int shift = 12;

	while (shift && !(n >> shift))
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		*p++ = "0123456789abcdef"[n >> shift & 15];
	return p;
}

/* Prints an IPv6 address by RFC 5952: without the longest run of zeros; ::ffff:1.2.3.4. */
static inline char *etrace_put_inet6(char *p, const unsigned char *a)
{
	static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };
	unsigned int n = memcmp(a, mapped, sizeof(mapped)) ? 8 : 6;
	unsigned int i, j, zeros = n, len = 1;

	for (i = 0; i < n; i++) {
		for (j = i; j < n && !(a[2 * j] | a[2 * j + 1]); j++)
			;
		if (j - i > len) {
			zeros = i;
			len = j - i;
		}
	}
	for (i = 0; i < n; i++) {
		if (i == zeros) {
			*p++ = ':';
			*p++ = ':';
			i += len - 1;
			continue;
		}
		if (i && p[-1] != ':')
			*p++ = ':';
		p = etrace_put_group(p, a + 2 * i);
	}
	if (n == 8)
		return p;
	if (p[-1] != ':')
		*p++ = ':';
	return etrace_put_inet(p, a + 12);
}

/*
 * Prints the name of a unix socket: a path up to its NUL; or '@' and an abstract name, with
 * an '@' for each NUL in the name, as in /proc/net/unix.
 */
static inline char *etrace_put_unix(char *p, const unsigned char *name, unsigned int len)
{
	unsigned int i;
	int abstract = len && !name[0];

	for (i = 0; i < len && (abstract || name[i]); i++)
		*p++ = name[i] ? name[i] : '@';
	return p;
}

/**
 * etrace_address - the text of an address
 * @text: room for ETRACE_ADDRESS_MAX bytes; no NUL is added
 * @sa: the address, in any memory
 * @size: bytes of the address, at most ETRACE_SOCKADDR_MAX
 *
 * "/run/x", "@abstract", "127.0.0.1:80", "[::1]:80"; "family 16" for other
 * families and for truncated addresses; nothing if even the family is missing.
 *
 * Return: number of bytes of text.
 */
static inline unsigned int etrace_address(char *text, const unsigned char *sa, unsigned int size)
{
	unsigned short family = etrace_address_family(sa, size);
	unsigned int port;
	char *p = text;

	if (size < sizeof(family))
		return 0;
	if (family == AF_UNIX)
		return etrace_put_unix(p, sa + 2, size - 2) - text;
	if (family == AF_INET && size >= ETRACE_SIZE_INET) {
		p = etrace_put_inet(p, sa + 4);
	} else if (family == AF_INET6 && size >= ETRACE_SIZE_INET6) {
		*p++ = '[';
		p = etrace_put_inet6(p, sa + 8);
		*p++ = ']';
	} else {
		memcpy(p, "family ", 7);
		return etrace_put_number(p + 7, family) - text;
	}
	port = sa[2] << 8 | sa[3];
	*p++ = ':';
	return etrace_put_number(p, port) - text;
}

#endif /* ETRACE_ADDRESS_H */
