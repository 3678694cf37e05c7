import { clientKey, forwardedAddress } from '@fish-crab/server/app'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

describe('the key of a client', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:192.0.2.7', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7%eth0', '192.0.2.7'],
    ['2001:db8:1:2:3::4', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['2001:db8::', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
    ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
  ])('with the address %s is %s', (address, key) => {
    expect(clientKey(address)).toBe(key)
  })

  it.each([
    '',
    'unknown',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '01.2.3.4',
    '1::2::3',
    ':::',
    '12345::',
    '1:2:3:4:5:6:7:8:9',
    'g::1',
    '::ffff:999.0.2.7',
    '192.0.2.7\n',
  ])('with the text %j, which is not an address, is the unchanged text', (address) => {
    expect(clientKey(address)).toBe(address)
  })

  it('is always the same for equal texts', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV6(), fc.ipV4()), (text) => {
        expect(clientKey(text)).toBe(clientKey(text))
      }),
    )
  })

  it('with an IPv6 address is shared only within its /64 network', () => {
    const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16))
    const groups = (length: number) => fc.array(group, { minLength: length, maxLength: length })
    fc.assert(
      fc.property(groups(3), group, group, groups(4), groups(4), (network, subnet, other, host, sibling) => {
        fc.pre([...network, subnet].some((part) => part !== '0') && [...network, other].some((part) => part !== '0'))
        const key = (net: string, rest: string[]) => clientKey([...network, net, ...rest].join(':'))
        expect(key(subnet, host)).toBe(key(subnet, sibling))
        expect(key(subnet, host) === key(other, host)).toBe(subnet === other)
      }),
    )
  })
})

describe('behind trusted proxies, the address of a client', () => {
  const SOCKET = '203.0.113.9'
  it.each([
    [0, '198.51.100.1', SOCKET],
    [1, null, SOCKET],
    [1, '198.51.100.1', '198.51.100.1'],
    [1, '6.6.6.6, 198.51.100.1', '198.51.100.1'],
    [2, '6.6.6.6, 198.51.100.1, 192.0.2.7', '198.51.100.1'],
    [2, '198.51.100.1', SOCKET],
    [3, 'a,b', SOCKET],
    [1, '', SOCKET],
    [1, ',', SOCKET],
    [1, '198.51.100.1,', SOCKET],
    [1, '  198.51.100.1\t', '198.51.100.1'],
    [1, '198.51.100.1:4711', '198.51.100.1'],
    [1, '[2001:db8::1]:4711', '2001:db8::1'],
    [1, '[2001:db8::1]', '2001:db8::1'],
    [1, '2001:db8::1', '2001:db8::1'],
    [1, 'unknown', SOCKET],
    [1, undefined, SOCKET],
    [1, '_hidden', SOCKET],
    [1, '"198.51.100.1"', SOCKET],
    [1, '999.1.1.1', SOCKET],
    [1, '127.0.0.1; DROP TABLE', SOCKET],
    [2, '1.1.1.1,,2.2.2.2', SOCKET],
    [-1, '198.51.100.1', SOCKET],
  ])('for %s trusted proxies and the forwarded value %j is %s', (hops, forwarded, address) => {
    expect(forwardedAddress(SOCKET, forwarded, hops)).toBe(address)
  })

  it('is never an address that the client itself put into the header', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string().map((text) => text.replaceAll(',', ''))),
        fc.integer({ min: 1, max: 4 }),
        (forged, hops) => {
          const genuine = Array.from({ length: hops }, (_, index) => `198.51.100.${index + 1}`)
          expect(forwardedAddress(SOCKET, [...forged, ...genuine].join(','), hops)).toBe('198.51.100.1')
        },
      ),
    )
  })

  it('is found quickly in a very long header', () => {
    // CPU time does not depend on the load of the machine.
    const before = process.threadCpuUsage()
    expect(forwardedAddress(SOCKET, `${'['.repeat(200_000)},${' '.repeat(200_000)}198.51.100.1`, 1)).toBe(
      '198.51.100.1',
    )
    expect(forwardedAddress(SOCKET, `${'1.'.repeat(200_000)}`, 1)).toBe(SOCKET)
    expect(forwardedAddress(SOCKET, `${':'.repeat(200_000)}`, 1)).toBe(SOCKET)
    const { user, system } = process.threadCpuUsage(before)
    expect(user + system).toBeLessThan(500_000)
  })
})
